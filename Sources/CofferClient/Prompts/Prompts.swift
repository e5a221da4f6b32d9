/// How a person is asked when a call needs one.
///
/// ```swift
/// let quiet = Keychain(service: "com.example.daemon", prompts: .never)
/// ```
///
/// Two are equal if they ask alike. Handlers are equal if one is a copy of the other, because closures cannot be compared.
public struct Prompts: Sendable, Hashable {
    /// The ways, for backends.
    package enum Way: Sendable {
        case automatic
        case never
        case handler(@Sendable (PromptMessage) async throws -> String?)
    }

    package let way: Way
    /// Tells one handler from another.
    private let mark: Mark?
    /// What the person is told before they are asked, after the authenticator's own words; nil for nothing more than the authenticator says.
    package var announcement: String?
    /// What a terminal has shown in earlier tries; nil to show every notice whole.
    package var shown: ShownNotice?

    /// Asks at the terminal; else by the program that `COFFER_ASKPASS` names; else by pinentry, where there is a display.
    /// If none of these is there, the call throws as with ``never``.
    public static let automatic = Prompts(way: .automatic, mark: nil)

    /// The same, for tries that follow each other. The terminal repeats the first line of a notice only.
    package func remembering(_ shown: ShownNotice) -> Prompts {
        var prompts = self
        prompts.shown = shown
        return prompts
    }

    /// The same, for a program that asks on behalf of another one. The person is told so before they are asked.
    package func announcing(_ text: String) -> Prompts {
        var prompts = self
        prompts.announcement = text
        return prompts
    }

    /// Asks nobody. A call that needs a person throws `.authenticationNeeded`, or `.locked` if it needs nothing but an open vault. The access log has
    /// the attempt.
    public static let never = Prompts(way: .never, mark: nil)

    /// Asks in the application's own window.
    ///
    /// The closure gets each message of PAM's in turn. For a message that asks, it returns the answer, or nil if the person gives up.
    /// For one that tells, its result is ignored. When the call is cancelled, or somebody else ends the conversation, the closure's task is cancelled.
    /// ```swift
    /// let keychain = Keychain(service: "com.example.app", prompts: .handler { message in
    ///     guard message.wantsAnswer else {
    ///         await window.show(message.text)
    ///         return nil
    ///     }
    ///     return await window.ask(message.text, hidden: message.isHidden)
    /// })
    /// ```
    public static func handler(_ ask: @escaping @Sendable (PromptMessage) async throws -> String?) -> Prompts {
        Prompts(way: .handler(ask), mark: Mark())
    }

    private final class Mark: Sendable {}

    /// Whether both ask alike.
    public static func == (one: Prompts, other: Prompts) -> Bool {
        guard one.mark === other.mark, one.announcement == other.announcement, one.shown === other.shown else {
            return false
        }
        switch (one.way, other.way) {
        case (.automatic, .automatic), (.never, .never), (.handler, .handler): return true
        default: return false
        }
    }

    /// Hashes what `==` compares, but for the announcement.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(mark.map(ObjectIdentifier.init))
        if case .never = way { hasher.combine(1) }
    }
}

/// One message of a conversation with a person, as PAM has it (pam_conv(3)).
///
/// ```swift
/// let message = PromptMessage(style: .hiddenQuestion, text: "Password: ")
/// assert(message.wantsAnswer && message.isHidden)
/// ```
public struct PromptMessage: Sendable, Hashable {
    /// What PAM's message wants (PAM's message styles).
    public enum Style: Sendable, Hashable {
        /// Asks, and the answer must not be shown (PAM_PROMPT_ECHO_OFF).
        case hiddenQuestion
        /// Asks, and the answer may be shown (PAM_PROMPT_ECHO_ON).
        case visibleQuestion
        /// Tells something (PAM_TEXT_INFO).
        case information
        /// Tells that something failed (PAM_ERROR_MSG).
        case failure
    }

    /// What the message wants.
    public let style: Style
    /// The text, safe to show: characters that move the cursor or are invisible are escaped, and no line is longer than 72 columns.
    public let text: String

    /// For tests of a handler.
    public init(style: Style, text: String) {
        self.style = style
        self.text = text
    }

    /// Whether the handler must return a text.
    public var wantsAnswer: Bool { style == .hiddenQuestion || style == .visibleQuestion }

    /// Whether the answer must not be shown.
    public var isHidden: Bool { style == .hiddenQuestion }
}
