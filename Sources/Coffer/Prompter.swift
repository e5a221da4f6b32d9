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
