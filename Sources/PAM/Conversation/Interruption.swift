/// Why a conversation ended before PAM had an answer.
public enum Interruption: String, Error, Sendable {
    /// The person gave up.
    case cancelled
    /// The time limit passed.
    case timedOut = "timed out"
    /// The other end of the conversation has closed.
    case gone
    /// A module sent a message in a style that means nothing to a person, such as `PAM_BINARY_PROMPT`.
    case unsupported
    /// There was no memory to give the answer to the module.
    case outOfMemory = "out of memory"
}
