// Made by scripts/interfaces from Interfaces/org.coffer.Authentication.varlink: change that file.
import Varlink

/// A person's conversation with PAM. The authenticator's own socket carries it, one conversation a connection.
public enum Authentication {
    /// The interface's name.
    public static let interface = "org.coffer.Authentication"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
        # A person's conversation with PAM. The authenticator's own socket carries it, one conversation a connection.
        interface org.coffer.Authentication

        # One message of PAM's (pam_conv(3)).
        type Message (
          # It is secret (a hidden answer), visible (an answer shown while typed), info or error. The last two take no answer.
          style: string,
          text: string
        )

        # Starts the conversation for a challenge of the broker's.
        method Begin(challenge: string) -> (
          message: ?Message,
          # Nothing more is asked. The person is authenticated, and the broker has been told.
          done: bool
        )

        # Answers the last message.
        method Continue(
          # It is left out after info and error.
          answer: ?string
        ) -> (message: ?Message, done: bool)

        # Asks the person once, and keeps the answer for the caller's uid in the terminal session that the caller is in.
        # Reads of items that want no more than a person's presence use the answer again. Unlocking never does.
        # The answer ends with its time, with the session, with a lock, and with Forget.
        method Authorize(
          # How long the answer is good, 1 to 300.
          seconds: int
        ) -> (message: ?Message, done: bool)

        # Ends all that Authorize began for the caller's uid.
        method Forget() -> (
          # At how many terminals an answer was still good.
          ended: int
        )

        # Makes another signing key. Keychains that are made or renewed from then on trust it. Only root may call this.
        method RenewSigningKey() -> (
          # How many keychains are under a former key. That key stays until RotateAll of org.coffer.Keychain has renewed them.
          former: int
        )

        # Gives up. The conversation ends, and the challenge is spent.
        method Cancel() -> ()

        # Tells whether the caller can be asked for a finger here and now, by a client of its own uid.
        # It takes no challenge, begins no conversation, and asks nobody.
        method Biometry() -> (
          usable: bool,
          # It is fingerprint.
          type: string,
          # Why a finger cannot be asked for and what to do about it, for people to read.
          reason: ?string,
          # The digest of the enrolled fingers, in hexadecimal. It is absent where there are none that could be trusted.
          currentSet: ?string
        )

        # The person was not recognised.
        error Failed (
          message: string,
          # password: the answer was wrong. expired: the account or its password is. denied: the account may not.
          # tries: there were too many. bound-password: the keychain is bound to another password than the login's.
          # biometry: no finger can be asked for here, none was recognised, or the item is bound to other fingers.
          reason: string
        )
        # The person gave up.
        error Cancelled (message: string)
        # The person did not answer in time.
        error TimedOut (message: string)
        # The broker does not know the challenge, or it is another process's.
        error ChallengeRefused (message: string)
        # The answer is too long or has a NUL byte, or a call came out of order.
        # Or an answer cannot be used again for so long, or from where the caller is.
        # Or an item would be bound to a finger where none is enrolled.
        error InvalidArgument (message: string)
        # PAM is not set up: a service file or a module is missing.
        error Misconfigured (message: string)
        # The broker cannot be reached, or is not who it should be.
        error BrokerUnavailable (message: string)
        # The person is authenticated, and the broker could not use it.
        error NotCompleted (
          message: string,
          # It is one of TPM's in org.coffer.Keychain, or damaged, or failed.
          kind: string,
          # The TPM's own code, or 0.
          code: int
        )
        # Too many conversations of this user, or of all users, are open.
        error LimitExceeded (message: string)

        """#

    /// One message of PAM's (pam_conv(3)).
    public struct Message: Codable, Sendable, Equatable {
        /// It is secret (a hidden answer), visible (an answer shown while typed), info or error. The last two take no
        /// answer.
        public var style: Style
        public var text: String

        public init(style: Style, text: String) {
            self.style = style
            self.text = text
        }
    }

    /// What Begin, Continue and Authorize reply.
    public struct Step: Codable, Sendable, Equatable {
        public var message: Message?
        /// Nothing more is asked. The person is authenticated, and the broker has been told.
        public var done: Bool

        public init(message: Message? = nil, done: Bool) {
            self.message = message
            self.done = done
        }
    }

    /// Starts the conversation for a challenge of the broker's.
    public struct Begin: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Begin"
        public typealias Reply = Step
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }
    }

    /// Answers the last message.
    public struct Continue: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Continue"
        public typealias Reply = Step
        /// It is left out after info and error.
        public var answer: String?

        public init(answer: String? = nil) { self.answer = answer }
    }

    /// Asks the person once, and keeps the answer for the caller's uid in the terminal session that the caller is in.
    /// Reads of items that want no more than a person's presence use the answer again. Unlocking never does. The
    /// answer ends with its time, with the session, with a lock, and with Forget.
    public struct Authorize: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Authorize"
        public typealias Reply = Step
        /// How long the answer is good, 1 to 300.
        public var seconds: Int64

        public init(seconds: Int64) { self.seconds = seconds }
    }

    /// Ends all that Authorize began for the caller's uid.
    public struct Forget: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Forget"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
            /// At how many terminals an answer was still good.
            public var ended: Int64

            public init(ended: Int64) { self.ended = ended }
        }
    }

    /// Makes another signing key. Keychains that are made or renewed from then on trust it. Only root may call this.
    public struct RenewSigningKey: VarlinkMethod {
        public static let name = "org.coffer.Authentication.RenewSigningKey"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
            /// How many keychains are under a former key. That key stays until RotateAll of org.coffer.Keychain has
            /// renewed them.
            public var former: Int64

            public init(former: Int64) { self.former = former }
        }
    }

    /// Gives up. The conversation ends, and the challenge is spent.
    public struct Cancel: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Cancel"
        public typealias Reply = Nothing

        public init() {}
    }

    /// Tells whether the caller can be asked for a finger here and now, by a client of its own uid. It takes no
    /// challenge, begins no conversation, and asks nobody.
    public struct Biometry: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Biometry"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
            public var usable: Bool
            /// It is fingerprint.
            public var type: String
            /// Why a finger cannot be asked for and what to do about it, for people to read.
            public var reason: String?
            /// The digest of the enrolled fingers, in hexadecimal. It is absent where there are none that could be
            /// trusted.
            public var currentSet: String?

            public init(usable: Bool, type: String, reason: String? = nil, currentSet: String? = nil) {
                self.usable = usable
                self.type = type
                self.reason = reason
                self.currentSet = currentSet
            }
        }
    }
}

extension Fault.Name {
    /// The person was not recognised.
    ///
    /// reason: password: the answer was wrong. expired: the account or its password is. denied: the account may not.
    /// tries: there were too many. bound-password: the keychain is bound to another password than the login's.
    /// biometry: no finger can be asked for here, none was recognised, or the item is bound to other fingers.
    public static let authenticationFailed = Self(rawValue: "org.coffer.Authentication.Failed")
    /// The person gave up.
    public static let authenticationCancelled = Self(rawValue: "org.coffer.Authentication.Cancelled")
    /// The person did not answer in time.
    public static let authenticationTimedOut = Self(rawValue: "org.coffer.Authentication.TimedOut")
    /// The broker does not know the challenge, or it is another process's.
    public static let authenticationChallengeRefused = Self(rawValue: "org.coffer.Authentication.ChallengeRefused")
    /// The answer is too long or has a NUL byte, or a call came out of order. Or an answer cannot be used again for
    /// so long, or from where the caller is. Or an item would be bound to a finger where none is enrolled.
    public static let authenticationInvalidArgument = Self(rawValue: "org.coffer.Authentication.InvalidArgument")
    /// PAM is not set up: a service file or a module is missing.
    public static let authenticationMisconfigured = Self(rawValue: "org.coffer.Authentication.Misconfigured")
    /// The broker cannot be reached, or is not who it should be.
    public static let brokerUnavailable = Self(rawValue: "org.coffer.Authentication.BrokerUnavailable")
    /// The person is authenticated, and the broker could not use it.
    ///
    /// kind: It is one of TPM's in org.coffer.Keychain, or damaged, or failed.
    ///
    /// code: The TPM's own code, or 0.
    public static let notCompleted = Self(rawValue: "org.coffer.Authentication.NotCompleted")
    /// Too many conversations of this user, or of all users, are open.
    public static let authenticationLimitExceeded = Self(rawValue: "org.coffer.Authentication.LimitExceeded")
}
