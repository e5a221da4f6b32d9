import Varlink

/// `org.coffer.Broker`, spoken between the authenticator and the broker. Byte strings are base64.
public enum BrokerInterface {
    /// The interface's name.
    public static let interface = "org.coffer.Broker"

    public struct Authorization: Codable, Sendable, Equatable {
        /// As in the policy reference: unlock, presence, ….
        public var kind: String
        public var setDigest: String

        public init(kind: String, setDigest: String = "") {
            self.kind = kind
            self.setDigest = setDigest
        }
    }

    public struct Describe: VarlinkMethod {
        public static let name = "org.coffer.Broker.Describe"
        public var challenge: String
        public var uid: Int64
        public var pid: Int64
        public var startTime: Int64
        /// The client's program as root resolved it, for the access log; nil where it could not.
        public var program: String?

        public init(challenge: String, uid: Int64, pid: Int64, startTime: Int64, program: String? = nil) {
            self.challenge = challenge
            self.uid = uid
            self.pid = pid
            self.startTime = startTime
            self.program = program
        }

        public struct Reply: Codable, Sendable, Equatable {
            public var owner: String
            /// Hex; nil when the vault is to be made.
            public var vault: String?
            public var purposes: [Keychain.Purpose]
            public var service: String?
            public var account: String?
            public var reason: String?
            public var authorizations: [Authorization]
            /// Each a complete set of indexes into `authorizations`: meeting one of them is enough.
            public var alternatives: [[Int]]
            /// When the caller's own vault was last locked, or the broker started; milliseconds of CLOCK_BOOTTIME.
            public var lastLock: Int64
            /// Kinds of authorization that an item is to be bound to, for purpose `enrolment`; nil otherwise. They are looked after, not signed.
            public var enrolment: [String]?
            /// The items that are read for this, for purpose `rotate`; nil otherwise. The person is shown all of them.
            public var items: [NamedItem]?
            /// What the item is to be called from then on, for purpose `rename`; nil otherwise.
            public var newService: String?
            public var newAccount: String?

            /// - Parameter alternatives: nil where there is no choice.
            public init(
                owner: String, vault: String?, purposes: [Keychain.Purpose], service: String?, account: String?,
                reason: String?, authorizations: [Authorization], alternatives: [[Int]]? = nil,
                lastLock: Int64 = 0, enrolment: [String]? = nil, items: [NamedItem]? = nil,
                newService: String? = nil, newAccount: String? = nil
            ) {
                self.newService = newService
                self.newAccount = newAccount
                self.items = items
                self.owner = owner
                self.vault = vault
                self.purposes = purposes
                self.service = service
                self.account = account
                self.reason = reason
                self.authorizations = authorizations
                self.alternatives = alternatives ?? [Array(authorizations.indices)]
                self.lastLock = lastLock
                self.enrolment = enrolment
            }
        }
    }

    /// Another open challenge of the same process that the same proof would answer.
    public struct Companion: Codable, Sendable, Equatable {
        /// SHA-256 of the challenge, hex.
        public var digest: String
        public var service: String?
        public var account: String?
        public var reason: String?

        public init(digest: String, service: String?, account: String?, reason: String?) {
            self.digest = digest
            self.service = service
            self.account = account
            self.reason = reason
        }
    }

    /// What else the challenge's process waits for, of the same owner, for the same purposes and by the same signatures.
    public struct Companions: VarlinkMethod {
        public static let name = "org.coffer.Broker.Companions"
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        public struct Reply: Codable, Sendable, Equatable {
            public var companions: [Companion]

            public init(companions: [Companion]) { self.companions = companions }
        }
    }

    /// `Record` is the registry record; both sides instantiate it with the type that reads and writes the registry.
    public struct Provision<Record: Codable & Sendable>: VarlinkMethod {
        public static var name: String { "org.coffer.Broker.Provision" }
        public var challenge: String
        public var authenticatorKey: String

        public init(challenge: String, authenticatorKey: String) {
            self.challenge = challenge
            self.authenticatorKey = authenticatorKey
        }

        public struct Reply: Codable, Sendable {
            public var record: Record

            public init(record: Record) { self.record = record }
        }
    }

    public struct Adopt: VarlinkMethod {
        public static let name = "org.coffer.Broker.Adopt"
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        public struct Reply: Codable, Sendable, Equatable {
            public var authorizations: [Authorization]

            public init(authorizations: [Authorization]) { self.authorizations = authorizations }
        }
    }

    public struct Prepare: VarlinkMethod {
        public static let name = "org.coffer.Broker.Prepare"
        public var challenge: String
        public var authorization: Int

        public init(challenge: String, authorization: Int) {
            self.challenge = challenge
            self.authorization = authorization
        }

        public struct Reply: Codable, Sendable, Equatable {
            public var nonce: String
            public var parameterHash: String

            public init(nonce: String, parameterHash: String) {
                self.nonce = nonce
                self.parameterHash = parameterHash
            }
        }
    }

    public struct Complete: VarlinkMethod {
        public static let name = "org.coffer.Broker.Complete"
        public typealias Reply = Nothing
        public var challenge: String
        public var authorization: Int
        public var signature: String
        /// How the person was recognised where not by being asked for this challenge: `reuse`, `shared`. For the access log.
        public var means: String?
        /// Of a bound vault, for its unlock root: what the password was made into, 32 bytes.
        public var pin: String?
        /// `Reseal` follows: the vault is not opened before that is done.
        public var reseals: Bool?

        public init(
            challenge: String, authorization: Int, signature: String, means: String? = nil, pin: String? = nil,
            reseals: Bool? = nil
        ) {
            self.pin = pin
            self.reseals = reseals
            self.challenge = challenge
            self.authorization = authorization
            self.signature = signature
            self.means = means
        }
    }

    public struct Refuse: VarlinkMethod {
        public static let name = "org.coffer.Broker.Refuse"
        public typealias Reply = Nothing
        public var challenge: String
        public var reason: String

        public init(challenge: String, reason: String) {
            self.challenge = challenge
            self.reason = reason
        }
    }

    /// A login was reported: opening the user's vault without a question, because one was answered already.
    public struct Report: VarlinkMethod {
        public static let name = "org.coffer.Broker.Report"
        public var uid: Int64
        /// Whether the program that let the user in is one that unlocks screens.
        public var unlocksScreens: Bool

        public init(uid: Int64, unlocksScreens: Bool = false) {
            self.uid = uid
            self.unlocksScreens = unlocksScreens
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// The authenticator's own; nil where there is nothing to open.
            public var challenge: String?
            /// Hex; nil where there is no vault.
            public var vault: String?
            public var authorizations: [Authorization]

            public init(challenge: String?, vault: String?, authorizations: [Authorization]) {
                self.challenge = challenge
                self.vault = vault
                self.authorizations = authorizations
            }
        }
    }
}
