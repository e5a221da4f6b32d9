public import Cryptography

/// The person's side of a PAM transaction. Called on the thread that runs the transaction, and may block it.
public protocol Conversation: AnyObject, Sendable {
    /// Shows a message and, where its style asks for one, waits for the answer: at most ``Answer/maximumCount`` bytes, none of them NUL.
    func respond(to message: Message) throws(Interruption) -> SecretBytes?

    /// Waits out the delay that modules ask for after a failure; returns early when the conversation is interrupted.
    func pause(microseconds: UInt32)
}
