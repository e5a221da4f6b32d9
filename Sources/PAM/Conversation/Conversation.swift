public import Cryptography

/// The person's side of a PAM transaction. It is called on the thread that runs the transaction, and may block it.
public protocol Conversation: AnyObject, Sendable {
    /// Shows a message and, if its style wants one, waits for the answer. The answer has at most ``Answer/maximumCount`` bytes, none of them NUL.
    func respond(to message: Message) throws(Interruption) -> SecretBytes?

    /// Waits for the delay that modules request after a failure. Returns early if the conversation is interrupted.
    func pause(microseconds: UInt32)
}

/// One text that a PAM module shows or asks (`struct pam_message`).
public struct Message: Sendable, Equatable {
    /// The four styles of `pam_conv(3)`.
    public enum Style: String, Sendable {
        /// A question; the typing stays hidden (`PAM_PROMPT_ECHO_OFF`).
        case secret
        /// A question; the typing is shown (`PAM_PROMPT_ECHO_ON`).
        case visible
        /// Information; takes no answer (`PAM_TEXT_INFO`).
        case info
        /// An error; takes no answer (`PAM_ERROR_MSG`).
        case error

        /// Whether the module waits for an answer.
        public var wantsAnswer: Bool { self == .secret || self == .visible }
    }

    public var style: Style
    /// The text as the module wrote it. It may contain control characters.
    public var text: String

    public init(style: Style, text: String) {
        self.style = style
        self.text = text
    }
}

/// Checks what may be given to a PAM module as an answer.
public enum Answer {
    /// `PAM_MAX_RESP_SIZE` (512) counts the NUL that ends the answer.
    public static let maximumCount = 511

    /// The reason why these bytes cannot be an answer; nil if they can. A NUL byte would silently cut the password short.
    public static func objection(to bytes: SecretBytes) -> String? {
        guard bytes.count <= maximumCount else { return "an answer may have at most \(maximumCount) bytes" }
        let hasNUL = bytes.withBytes { span in
            var found: UInt8 = 0
            for index in span.indices where span[index] == 0 { found = 1 }
            return found != 0
        }
        return hasNUL ? "an answer may not contain a NUL byte" : nil
    }
}

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
