import BrokerProtocol

/// A way to ask a person: the terminal, a program that the person named, or a dialog.
package protocol Prompter {
    /// Shows a message that takes no answer.
    mutating func tell(_ message: Authentication.Message) throws(KeychainError)

    /// Asks for an answer.
    /// - Parameter hangUp: a descriptor that becomes readable when nobody waits for the answer.
    /// - Returns: nil if the person gives up.
    mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String?
}

/// Used when root acts for an account that has nobody to ask. The authenticator asks nothing then.
package struct NoPrompter: Prompter {
    private let reason: String
    private let advice: String

    /// - Parameters:
    ///   - reason: the message if the authenticator asks all the same.
    ///   - advice: the advice for that case.
    package init(
        reason: String = "the authenticator asks for a person, but this vault has none to ask",
        advice: String = "only root may open it"
    ) {
        self.reason = reason
        self.advice = advice
    }

    package mutating func tell(_ message: Authentication.Message) throws(KeychainError) {}

    package mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? {
        throw KeychainError(.authenticationNeeded, reason, advice: advice)
    }
}
