import BrokerProtocol

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
