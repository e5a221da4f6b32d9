/// Why a conversation ended before PAM had an answer.
public enum Interruption: String, Error, Sendable {
    /// The person gave up.
    case cancelled
    /// The time limit passed.
    case timedOut = "timed out"
    /// The other end of the conversation is no longer there.
    case gone
    /// A module sent a message of a style that has no meaning to a person (`PAM_BINARY_PROMPT`, say).
    case unsupported
    /// An answer could not be handed to the module, for want of memory.
    case outOfMemory = "out of memory"
}
