/// One thing a PAM module shows or asks (`struct pam_message`).
public struct Message: Sendable, Equatable {
    /// The four styles of `pam_conv(3)`.
    public enum Style: String, Sendable {
        /// Asks; what is typed stays hidden (`PAM_PROMPT_ECHO_OFF`).
        case secret
        /// Asks; what is typed is shown (`PAM_PROMPT_ECHO_ON`).
        case visible
        /// Tells; takes no answer (`PAM_TEXT_INFO`).
        case info
        /// Tells of something wrong; takes no answer (`PAM_ERROR_MSG`).
        case error

        /// Whether the module waits for an answer.
        public var wantsAnswer: Bool { self == .secret || self == .visible }
    }

    public var style: Style
    /// As the module wrote it: may hold control characters.
    public var text: String

    public init(style: Style, text: String) {
        self.style = style
        self.text = text
    }
}
