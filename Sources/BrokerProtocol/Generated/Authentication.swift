// Made by scripts/interfaces from Interfaces/org.coffer.Authentication.varlink: change that file.
import JSON
import Varlink

/// A person's conversation with PAM. The authenticator's own socket carries it, one conversation a connection. Its
/// errors have message, advice and cause as those of org.coffer.Keychain.
public enum Authentication {
    /// The interface's name.
    public static let interface = "org.coffer.Authentication"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
        # A person's conversation with PAM. The authenticator's own socket carries it, one conversation a connection.
        # Its errors have message, advice and cause as those of org.coffer.Keychain.
        interface org.coffer.Authentication

        # One message of PAM (pam_conv(3)).
        type Message (
          # It is secret (a hidden answer), visible (an answer shown while typed), info or error. The last two take no answer.
          style: string,
          text: string
        )

        # Starts the conversation for a challenge of the broker.
        method Begin(
          challenge: string,
          # The number of a descriptor among those that come with this call (SCM_RIGHTS), which is 0: one end of a pair of Unix
          # sockets that the caller's user has made. The conversation goes on over it, beginning with the answer to this call.
          # An agent that got its connection from another process has the other end for itself, so that nobody else can take or
          # add a byte. If it is left out, the conversation goes on over the connection.
          channel: ?int,
          # For a challenge that adds a machine to a circle: the code that the person has typed, JOIN- and six groups.
          code: ?string,
          # For such a challenge: true refuses a machine that has not proved that its keys are in a TPM of root's list.
          attested: ?bool,
          # What the challenge may be for: purposes of org.coffer.Keychain. A challenge for anything else is refused before anybody
          # is asked. A program that answers without showing a person the text gives them, because the broker alone says what a
          # challenge is for.
          purposes: ?[]string
        ) -> (
          message: ?Message,
          # Nothing more is asked. The person is authenticated, and the broker has been told.
          done: bool,
          # The message's number in this conversation, from 1. A client that shares its connection notices by it that a message went to somebody else.
          step: ?int
        )

        # Makes a challenge for a machine that is to prove that its keys are in a TPM of root's list, before it is added to a
        # circle. It begins no conversation, and asks nobody.
        method Challenge(
          # The code that the person has typed, JOIN- and six groups.
          code: string,
          # The request of the machine and the identity of its TPM, as they lie in the store, base64.
          request: string,
          identity: string
        ) -> (
          # Sealed under the code, for the store, base64.
          challenge: string
        )

        # Answers the last message.
        method Continue(
          # It is left out after info and error.
          answer: ?string
        ) -> (message: ?Message, done: bool, step: ?int)

        # Asks the person once, and keeps the answer for the caller's uid in the caller's terminal session.
        # Reads of items that require only a person's presence use the answer again. Unlocking never does.
        # The answer ends with its time, the session, a lock, or Forget.
        method Authorize(
          # How long the answer is valid, 1 to 300.
          seconds: int
        ) -> (message: ?Message, done: bool, step: ?int)

        # Ends all that Authorize began for the caller's uid, and all leases of that uid (Lease of org.coffer.Keychain).
        method Forget() -> (
          # The number of terminals that still had a valid answer.
          ended: int,
          # The number of leases that were still valid.
          leases: int
        )

        # Makes another signing key. Vaults that are made or renewed from then on trust it. Only root may call this.
        method RenewSigningKey() -> (
          # How many vaults use a former key. That key stays until RotateAll of org.coffer.Keychain has renewed them.
          former: int
        )

        # Moves the registry's record of a vault aside, after SetAsideVault of org.coffer.Keychain. Only root may call this.
        # The owner gets a copy of the vault's file that they can read, for the recovery code. Nothing is removed or replaced.
        method SetAside(
          # user:UID or group:GID.
          owner: string,
          # As SetAsideVault gave it.
          stamp: string
        ) -> (
          # Where the record is now. It is absent if there was none.
          record: ?string,
          # The owner's copy of the file. It is absent for a group's vault and a service vault, which have no recovery code, and if there is no file.
          # It is also absent if the vault was made for an account of another name: the number may be another person's now.
          copy: ?string
        )

        # Gives up. The conversation ends, and the challenge is spent.
        method Cancel() -> ()

        # Tells whether Coffer can now ask the caller for a finger, if a client of the same uid makes a request.
        # It takes no challenge, begins no conversation, and asks nobody.
        method Biometry() -> (
          usable: bool,
          # It is fingerprint.
          type: string,
          # Why Coffer cannot ask for a finger, for people to read.
          reason: ?string,
          # What to do about it, for people to read. It is left out if there is nothing to do.
          advice: ?string,
          # The reason for programs. no-reader: none was found. not-enrolled: the user has enrolled no finger.
          # not-looked-for: root's configuration has no system bus, or nobody answers there. unavailable: not now, or not in this session.
          obstacle: ?string,
          # The digest of the enrolled fingers, in hexadecimal. It is absent if none can be trusted.
          currentSet: ?string
        )

        # The person was not recognised.
        error Failed (
          message: string,
          advice: ?string,
          # password: the answer was wrong. expired: the account or its password has expired. denied: the account may not do it.
          # tries: there were too many. bound-password: the vault is bound to another password than the login password.
          # biometry: Coffer cannot ask for a finger, recognised none, or the item is bound to other fingers.
          reason: string,
          # For biometry: as obstacle of Biometry, or not-recognised, or other-fingers.
          kind: ?string
        )
        # The person gave up.
        error Cancelled (message: string, advice: ?string)
        # The person did not answer in time, or the answer waited too long for others.
        error TimedOut (message: string, advice: ?string)
        # The broker does not know the challenge, or it belongs to another process.
        error ChallengeRefused (message: string, advice: ?string)
        # The answer is too long or has a NUL byte, or a call came out of order.
        # Or an answer cannot be used again for so long, or the caller has no terminal session.
        # Or an item would be bound to a finger, but none is enrolled.
        error InvalidArgument (
          message: string,
          advice: ?string,
          # For an item that would be bound to a finger: as obstacle of Biometry.
          kind: ?string
        )
        # PAM is not set up: a service file or a module is missing. Or the authenticator cannot start.
        error Misconfigured (
          message: string,
          advice: ?string,
          # PAM's own code (pam 4), if PAM was asked.
          cause: ?string
        )
        # The broker cannot be reached, or runs as the wrong user.
        error BrokerUnavailable (message: string, advice: ?string)
        # The person is authenticated, but the broker could not use the answer.
        error NotCompleted (
          message: string,
          advice: ?string,
          # It is a kind of the error TPM of org.coffer.Keychain, or damaged, or failed.
          kind: string,
          # The TPM's own code, or 0.
          code: int,
          cause: ?string
        )
        # Too many conversations of this user, or of all users, are open.
        error LimitExceeded (message: string, advice: ?string)

        """#

    /// One message of PAM (pam_conv(3)).
    public struct Message: JSONValue, Equatable {
        /// It is secret (a hidden answer), visible (an answer shown while typed), info or error. The last two take no
        /// answer.
        public var style: Style
        public var text: String

        public init(style: Style, text: String) {
            self.style = style
            self.text = text
        }

        private static let jsonNames = ["style", "text"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var style: Style?
            var text: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: style = try reader.read()
                default: text = try reader.read()
                }
            }
            self.init(style: try members.required(style, "style"), text: try members.required(text, "text"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("style", style)
            writer.member("text", text)
            writer.endObject()
        }
    }

    /// What Begin, Continue and Authorize reply.
    public struct Step: JSONValue, Equatable {
        public var message: Message?
        /// Nothing more is asked. The person is authenticated, and the broker has been told.
        public var done: Bool
        /// The message's number in this conversation, from 1. A client that shares its connection notices by it that
        /// a message went to somebody else.
        public var step: Int64?

        public init(message: Message? = nil, done: Bool, step: Int64? = nil) {
            self.message = message
            self.done = done
            self.step = step
        }

        private static let jsonNames = ["done", "message", "step"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var message: Message?
            var done: Bool?
            var step: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: done = try reader.read()
                case 1: message = try reader.read()
                default: step = try reader.read()
                }
            }
            self.init(message: message, done: try members.required(done, "done"), step: step)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("done", done)
            writer.member("message", message)
            writer.member("step", step)
            writer.endObject()
        }
    }

    /// Starts the conversation for a challenge of the broker.
    public struct Begin: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Begin"
        public typealias Reply = Step
        public var challenge: String
        /// The number of a descriptor among those that come with this call (SCM_RIGHTS), which is 0: one end of a
        /// pair of Unix sockets that the caller's user has made. The conversation goes on over it, beginning with the
        /// answer to this call. An agent that got its connection from another process has the other end for itself,
        /// so that nobody else can take or add a byte. If it is left out, the conversation goes on over the
        /// connection.
        public var channel: Int64?
        /// For a challenge that adds a machine to a circle: the code that the person has typed, JOIN- and six groups.
        public var code: String?
        /// For such a challenge: true refuses a machine that has not proved that its keys are in a TPM of root's
        /// list.
        public var attested: Bool?
        /// What the challenge may be for: purposes of org.coffer.Keychain. A challenge for anything else is refused
        /// before anybody is asked. A program that answers without showing a person the text gives them, because the
        /// broker alone says what a challenge is for.
        public var purposes: [String]?

        public init(
            challenge: String, channel: Int64? = nil, code: String? = nil, attested: Bool? = nil,
            purposes: [String]? = nil
        ) {
            self.challenge = challenge
            self.channel = channel
            self.code = code
            self.attested = attested
            self.purposes = purposes
        }

        private static let jsonNames = ["attested", "challenge", "channel", "code", "purposes"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var channel: Int64?
            var code: String?
            var attested: Bool?
            var purposes: [String]?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: attested = try reader.read()
                case 1: challenge = try reader.read()
                case 2: channel = try reader.read()
                case 3: code = try reader.read()
                default: purposes = try reader.read()
                }
            }
            self.init(
                challenge: try members.required(challenge, "challenge"), channel: channel, code: code,
                attested: attested, purposes: purposes
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("attested", attested)
            writer.member("challenge", challenge)
            writer.member("channel", channel)
            writer.member("code", code)
            writer.member("purposes", purposes)
            writer.endObject()
        }
    }

    /// Makes a challenge for a machine that is to prove that its keys are in a TPM of root's list, before it is added
    /// to a circle. It begins no conversation, and asks nobody.
    public struct Challenge: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Challenge"
        /// The code that the person has typed, JOIN- and six groups.
        public var code: String
        /// The request of the machine and the identity of its TPM, as they lie in the store, base64.
        public var request: String
        public var identity: String

        public init(code: String, request: String, identity: String) {
            self.code = code
            self.request = request
            self.identity = identity
        }

        private static let jsonNames = ["code", "identity", "request"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var code: String?
            var request: String?
            var identity: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: code = try reader.read()
                case 1: identity = try reader.read()
                default: request = try reader.read()
                }
            }
            self.init(
                code: try members.required(code, "code"), request: try members.required(request, "request"),
                identity: try members.required(identity, "identity")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("code", code)
            writer.member("identity", identity)
            writer.member("request", request)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// Sealed under the code, for the store, base64.
            public var challenge: String

            public init(challenge: String) { self.challenge = challenge }

            private static let jsonNames = ["challenge"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var challenge: String?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { challenge = try reader.read() }
                self.init(challenge: try members.required(challenge, "challenge"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("challenge", challenge)
                writer.endObject()
            }
        }
    }

    /// Answers the last message.
    public struct Continue: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Continue"
        public typealias Reply = Step
        /// It is left out after info and error.
        public var answer: String?

        public init(answer: String? = nil) { self.answer = answer }

        private static let jsonNames = ["answer"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var answer: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { answer = try reader.read() }
            self.init(answer: answer)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("answer", answer)
            writer.endObject()
        }
    }

    /// Asks the person once, and keeps the answer for the caller's uid in the caller's terminal session. Reads of
    /// items that require only a person's presence use the answer again. Unlocking never does. The answer ends with
    /// its time, the session, a lock, or Forget.
    public struct Authorize: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Authorize"
        public typealias Reply = Step
        /// How long the answer is valid, 1 to 300.
        public var seconds: Int64

        public init(seconds: Int64) { self.seconds = seconds }

        private static let jsonNames = ["seconds"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var seconds: Int64?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { seconds = try reader.read() }
            self.init(seconds: try members.required(seconds, "seconds"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("seconds", seconds)
            writer.endObject()
        }
    }

    /// Ends all that Authorize began for the caller's uid, and all leases of that uid (Lease of org.coffer.Keychain).
    public struct Forget: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Forget"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            /// The number of terminals that still had a valid answer.
            public var ended: Int64
            /// The number of leases that were still valid.
            public var leases: Int64

            public init(ended: Int64, leases: Int64) {
                self.ended = ended
                self.leases = leases
            }

            private static let jsonNames = ["ended", "leases"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var ended: Int64?
                var leases: Int64?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: ended = try reader.read()
                    default: leases = try reader.read()
                    }
                }
                self.init(ended: try members.required(ended, "ended"), leases: try members.required(leases, "leases"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("ended", ended)
                writer.member("leases", leases)
                writer.endObject()
            }
        }
    }

    /// Makes another signing key. Vaults that are made or renewed from then on trust it. Only root may call this.
    public struct RenewSigningKey: VarlinkMethod {
        public static let name = "org.coffer.Authentication.RenewSigningKey"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            /// How many vaults use a former key. That key stays until RotateAll of org.coffer.Keychain has renewed
            /// them.
            public var former: Int64

            public init(former: Int64) { self.former = former }

            private static let jsonNames = ["former"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var former: Int64?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { former = try reader.read() }
                self.init(former: try members.required(former, "former"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("former", former)
                writer.endObject()
            }
        }
    }

    /// Moves the registry's record of a vault aside, after SetAsideVault of org.coffer.Keychain. Only root may call
    /// this. The owner gets a copy of the vault's file that they can read, for the recovery code. Nothing is removed
    /// or replaced.
    public struct SetAside: VarlinkMethod {
        public static let name = "org.coffer.Authentication.SetAside"
        /// user:UID or group:GID.
        public var owner: String
        /// As SetAsideVault gave it.
        public var stamp: String

        public init(owner: String, stamp: String) {
            self.owner = owner
            self.stamp = stamp
        }

        private static let jsonNames = ["owner", "stamp"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var owner: String?
            var stamp: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: owner = try reader.read()
                default: stamp = try reader.read()
                }
            }
            self.init(owner: try members.required(owner, "owner"), stamp: try members.required(stamp, "stamp"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("owner", owner)
            writer.member("stamp", stamp)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// Where the record is now. It is absent if there was none.
            public var record: String?
            /// The owner's copy of the file. It is absent for a group's vault and a service vault, which have no
            /// recovery code, and if there is no file. It is also absent if the vault was made for an account of
            /// another name: the number may be another person's now.
            public var copy: String?

            public init(record: String? = nil, copy: String? = nil) {
                self.record = record
                self.copy = copy
            }

            private static let jsonNames = ["copy", "record"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var record: String?
                var copy: String?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: copy = try reader.read()
                    default: record = try reader.read()
                    }
                }
                self.init(record: record, copy: copy)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("copy", copy)
                writer.member("record", record)
                writer.endObject()
            }
        }
    }

    /// Gives up. The conversation ends, and the challenge is spent.
    public struct Cancel: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Cancel"
        public typealias Reply = Nothing

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }
    }

    /// Tells whether Coffer can now ask the caller for a finger, if a client of the same uid makes a request. It
    /// takes no challenge, begins no conversation, and asks nobody.
    public struct Biometry: VarlinkMethod {
        public static let name = "org.coffer.Authentication.Biometry"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            public var usable: Bool
            /// It is fingerprint.
            public var type: String
            /// Why Coffer cannot ask for a finger, for people to read.
            public var reason: String?
            /// What to do about it, for people to read. It is left out if there is nothing to do.
            public var advice: String?
            /// The reason for programs. no-reader: none was found. not-enrolled: the user has enrolled no finger.
            /// not-looked-for: root's configuration has no system bus, or nobody answers there. unavailable: not now,
            /// or not in this session.
            public var obstacle: String?
            /// The digest of the enrolled fingers, in hexadecimal. It is absent if none can be trusted.
            public var currentSet: String?

            public init(
                usable: Bool, type: String, reason: String? = nil, advice: String? = nil, obstacle: String? = nil,
                currentSet: String? = nil
            ) {
                self.usable = usable
                self.type = type
                self.reason = reason
                self.advice = advice
                self.obstacle = obstacle
                self.currentSet = currentSet
            }

            private static let jsonNames = ["advice", "currentSet", "obstacle", "reason", "type", "usable"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var usable: Bool?
                var type: String?
                var reason: String?
                var advice: String?
                var obstacle: String?
                var currentSet: String?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: advice = try reader.read()
                    case 1: currentSet = try reader.read()
                    case 2: obstacle = try reader.read()
                    case 3: reason = try reader.read()
                    case 4: type = try reader.read()
                    default: usable = try reader.read()
                    }
                }
                self.init(
                    usable: try members.required(usable, "usable"), type: try members.required(type, "type"),
                    reason: reason, advice: advice, obstacle: obstacle, currentSet: currentSet
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("advice", advice)
                writer.member("currentSet", currentSet)
                writer.member("obstacle", obstacle)
                writer.member("reason", reason)
                writer.member("type", type)
                writer.member("usable", usable)
                writer.endObject()
            }
        }
    }
}

extension Fault.Name {
    /// The person was not recognised.
    ///
    /// reason: password: the answer was wrong. expired: the account or its password has expired. denied: the account
    /// may not do it. tries: there were too many. bound-password: the vault is bound to another password than the
    /// login password. biometry: Coffer cannot ask for a finger, recognised none, or the item is bound to other
    /// fingers.
    ///
    /// kind: For biometry: as obstacle of Biometry, or not-recognised, or other-fingers.
    public static let authenticationFailed = Self(rawValue: "org.coffer.Authentication.Failed")
    /// The person gave up.
    public static let authenticationCancelled = Self(rawValue: "org.coffer.Authentication.Cancelled")
    /// The person did not answer in time, or the answer waited too long for others.
    public static let authenticationTimedOut = Self(rawValue: "org.coffer.Authentication.TimedOut")
    /// The broker does not know the challenge, or it belongs to another process.
    public static let authenticationChallengeRefused = Self(rawValue: "org.coffer.Authentication.ChallengeRefused")
    /// The answer is too long or has a NUL byte, or a call came out of order. Or an answer cannot be used again for
    /// so long, or the caller has no terminal session. Or an item would be bound to a finger, but none is enrolled.
    ///
    /// kind: For an item that would be bound to a finger: as obstacle of Biometry.
    public static let authenticationInvalidArgument = Self(rawValue: "org.coffer.Authentication.InvalidArgument")
    /// PAM is not set up: a service file or a module is missing. Or the authenticator cannot start.
    ///
    /// cause: PAM's own code (pam 4), if PAM was asked.
    public static let authenticationMisconfigured = Self(rawValue: "org.coffer.Authentication.Misconfigured")
    /// The broker cannot be reached, or runs as the wrong user.
    public static let brokerUnavailable = Self(rawValue: "org.coffer.Authentication.BrokerUnavailable")
    /// The person is authenticated, but the broker could not use the answer.
    ///
    /// kind: It is a kind of the error TPM of org.coffer.Keychain, or damaged, or failed.
    ///
    /// code: The TPM's own code, or 0.
    public static let notCompleted = Self(rawValue: "org.coffer.Authentication.NotCompleted")
    /// Too many conversations of this user, or of all users, are open.
    public static let authenticationLimitExceeded = Self(rawValue: "org.coffer.Authentication.LimitExceeded")
}
