import BrokerProtocol

/// A way to ask a person: the terminal, a program that the person named, a dialog.
package protocol Prompter {
    /// Shows something that takes no answer.
    mutating func tell(_ message: Authentication.Message) throws(KeychainError)

    /// Asks; nil when the person gives up.
    /// - Parameter hangUp: a descriptor that becomes readable when nobody waits for the answer any more.
    mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String?
}
