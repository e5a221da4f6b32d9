import Varlink

/// `org.coffer.Authentication`, spoken between a client and the authenticator.
public enum Authentication {
    /// The interface's name.
    public static let interface = "org.coffer.Authentication"

    /// One message of PAM's (pam_conv(3)).
    public struct Message: Codable, Sendable, Equatable {
        public var style: Style
        public var text: String

        public init(style: Style, text: String) {
            self.style = style
            self.text = text
        }

        public enum Style: String, Codable, Sendable {
            /// PAM_PROMPT_ECHO_OFF
            case secret
            /// PAM_PROMPT_ECHO_ON
            case visible
            /// PAM_TEXT_INFO
            case info
            /// PAM_ERROR_MSG
            case error
        }
    }

    /// What comes next in a conversation.
    public struct Step: Codable, Sendable, Equatable {
        public var message: Message?
        public var done: Bool

        public init(message: Message?, done: Bool) {
            self.message = message
            self.done = done
        }
    }

    public struct Begin: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Begin"
        public typealias Reply = Step
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }
    }

    public struct Continue: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Continue"
        public typealias Reply = Step
        public var answer: String?

        public init(answer: String?) { self.answer = answer }
    }

    public struct Cancel: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Cancel"
        public typealias Reply = Nothing

        public init() {}
    }

    /// Has the person asked once, for programs of this terminal session to use the answer again.
    public struct Authorize: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Authorize"
        public typealias Reply = Step
        public var seconds: Int64

        public init(seconds: Int64) { self.seconds = seconds }
    }

    /// Ends what `Authorize` began, at all terminals of the user.
    public struct Forget: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Forget"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
            /// At how many terminals an answer was still good.
            public var ended: Int64

            public init(ended: Int64) { self.ended = ended }
        }
    }

    /// Makes another signing key for keychains that are made or renewed from then on. Root's alone.
    public struct RenewSigningKey: VarlinkMethod {
        public static let name = "org.coffer.Authentication.RenewSigningKey"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
            /// How many keychains are under a former key.
            public var former: Int64

            public init(former: Int64) { self.former = former }
        }
    }

    /// Whether the calling user can be asked for a finger, here and now. No challenge, and no conversation.
    public struct Biometry: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Biometry"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
            public var usable: Bool
            /// `fingerprint`.
            public var type: String
            /// Why not, and what to do about it, for people to read.
            public var reason: String?
            /// The digest of the enrolled fingers, in hexadecimal; nil where there are none, or none that can be trusted.
            public var currentSet: String?

            public init(usable: Bool, type: String, reason: String? = nil, currentSet: String? = nil) {
                self.usable = usable
                self.type = type
                self.reason = reason
                self.currentSet = currentSet
            }
        }
    }

    /// Why a person was refused, as `reason` of `Failed` carries it.
    public enum FailureReason: String, Codable, Sendable {
        case password, expired, denied, tries
        /// A finger cannot be asked for, did not match, or is not one of those that the item is bound to.
        case biometry
        /// The keychain is bound to another password than the login's.
        case boundPassword = "bound-password"
    }
}
