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
