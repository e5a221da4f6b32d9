public import Cryptography

/// The person's side of a PAM transaction. It is called on the thread that runs the transaction, and may block it.
public protocol Conversation: AnyObject, Sendable {
    /// Shows a message and, if its style wants one, waits for the answer. The answer has at most ``Answer/maximumCount`` bytes, none of them NUL.
    func respond(to message: Message) throws(Interruption) -> SecretBytes?

    /// Waits for the delay that modules request after a failure. Returns early if the conversation is interrupted.
    func pause(microseconds: UInt32)
}
