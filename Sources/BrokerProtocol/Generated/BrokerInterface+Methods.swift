// Made by scripts/interfaces from Interfaces/org.coffer.Broker.varlink: change that file.
import Item
import Varlink

extension BrokerInterface {
    /// Tells what a challenge is about.
    public struct Describe: VarlinkMethod {
        public static let name = "org.coffer.Broker.Describe"
        public var challenge: String
        /// The authenticator's client. Its uid, pid and start time must be the challenge's own.
        public var uid: Int64
        public var pid: Int64
        /// Field 22 of /proc/PID/stat.
        public var startTime: Int64
        /// What the client's process ran when it connected, by the kernel's word, for the access log. It is left out
        /// where the authenticator could not read it.
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
            /// The vault's id, hex. It is absent when the vault is to be made.
            public var vault: String?
            /// What the person is asked for: create, unlock, read, change, rename, recovery, bind, unbind, rotate,
            /// accept, tieToBoot, releaseFromBoot, approveBoot, enrolment, lease.
            public var purposes: [Keychain.Purpose]
            public var service: String?
            public var account: String?
            /// The item's kind. It is absent if that is generic.
            public var kind: ItemKind?
            /// For purpose read: the item's former value of this version is read. It is absent for the present value.
            public var version: Int64?
            /// The program's own words.
            public var reason: String?
            /// What can be signed. Where there are items, there are of each kind but unlock no more than there are
            /// items.
            public var authorizations: [Authorization]
            /// Each is a complete set of indexes into authorizations. One of the sets has to be met, and only one is.
            /// The authenticator itself knows which PAM services that takes.
            public var alternatives: [[Int64]]
            /// When the client's own vault was last locked, or the broker started, in milliseconds of CLOCK_BOOTTIME.
            /// No answer that is older can be used again.
            public var lastLock: Int64
            /// For purpose enrolment: the kinds that an item is to be bound to (biometry-any, biometry-current-set).
            /// Nobody is asked, and nothing is signed.
            public var enrolment: [String]?
            /// For purpose rotate, for a read of several items and for a lease: all that is read, no name twice. The
            /// person is shown all of them. For a read of several items and for a lease, service and account are
            /// absent.
            public var items: [NamedItem]?
            /// For purpose lease.
            public var lease: LeaseTerms?
            /// By the broker's records, a lease of this process or of an ancestor covers the whole request. The
            /// authenticator decides by its own record.
            public var leased: Bool?
            /// For purpose rename: what the item is to be called from then on. With a version: what the item is
            /// called now. Service and account are then the name that it had with that value. They are absent if it
            /// has that name still.
            public var newService: String?
            public var newAccount: String?
            /// For a bound vault: a key made from the device root, base64, 32 bytes. Under it the authenticator
            /// remembers a password that the vault is not bound to, so that nobody can guess at that password without
            /// this machine's TPM.
            public var passwordKey: String?

            public init(
                owner: String, vault: String? = nil, purposes: [Keychain.Purpose], service: String? = nil,
                account: String? = nil, kind: ItemKind? = nil, version: Int64? = nil, reason: String? = nil,
                authorizations: [Authorization], alternatives: [[Int64]], lastLock: Int64 = 0,
                enrolment: [String]? = nil, items: [NamedItem]? = nil, lease: LeaseTerms? = nil, leased: Bool? = nil,
                newService: String? = nil, newAccount: String? = nil, passwordKey: String? = nil
            ) {
                self.owner = owner
                self.vault = vault
                self.purposes = purposes
                self.service = service
                self.account = account
                self.kind = kind
                self.version = version
                self.reason = reason
                self.authorizations = authorizations
                self.alternatives = alternatives
                self.lastLock = lastLock
                self.enrolment = enrolment
                self.items = items
                self.lease = lease
                self.leased = leased
                self.newService = newService
                self.newAccount = newAccount
                self.passwordKey = passwordKey
            }
        }
    }

    /// Tells what else the process of a described challenge waits for. It is of the same owner, for the same
    /// purposes, by the same signatures. There are 31 at most, and none but where the purposes are read, or unlock
    /// and read.
    public struct Companions: VarlinkMethod {
        public static let name = "org.coffer.Broker.Companions"
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        public struct Reply: Codable, Sendable, Equatable {
            public var companions: [Companion]

            public init(companions: [Companion]) { self.companions = companions }
        }
    }

    /// Makes a new vault's keys and its file. The vault is not yet in use.
    public struct Provision<Record: Codable & Sendable>: VarlinkMethod {
        public static var name: String { "org.coffer.Broker.Provision" }
        public var challenge: String
        /// The key that the vault is to trust, base64, 65 bytes.
        public var authenticatorKey: String

        public init(challenge: String, authenticatorKey: String) {
            self.challenge = challenge
            self.authenticatorKey = authenticatorKey
        }

        public struct Reply: Codable, Sendable {
            /// The registry record, as JSON.
            public var record: Record

            public init(record: Record) { self.record = record }
        }
    }

    /// After Provision, because the registry names the vault now: puts it in its place.
    public struct AdoptVault: VarlinkMethod {
        public static let name = "org.coffer.Broker.AdoptVault"
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        public struct Reply: Codable, Sendable, Equatable {
            /// What is to be signed now: unlock.
            public var authorizations: [Authorization]

            public init(authorizations: [Authorization]) { self.authorizations = authorizations }
        }
    }

    /// For purpose enrolment: makes a key for enrolled fingers, unless the vault has it. It is not in use before
    /// ConfirmEnrolment.
    public struct ProvideKey: VarlinkMethod {
        public static let name = "org.coffer.Broker.ProvideKey"
        public var challenge: String
        /// It is biometry-current-set.
        public var kind: String
        /// The digest of these fingers, base64, 32 bytes.
        public var setDigest: String

        public init(challenge: String, kind: String, setDigest: String) {
            self.challenge = challenge
            self.kind = kind
            self.setDigest = setDigest
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// The key's Name, base64, 34 bytes, for the registry.
            public var name: String

            public init(name: String) { self.name = name }
        }
    }

    /// For purpose enrolment: the item may be bound. The registry names the key, if one was needed.
    public struct ConfirmEnrolment: VarlinkMethod {
        public static let name = "org.coffer.Broker.ConfirmEnrolment"
        public typealias Reply = Nothing
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }
    }

    /// For purpose accept: the owner has consented, and the client is root.
    public struct ConfirmAcceptance: VarlinkMethod {
        public static let name = "org.coffer.Broker.ConfirmAcceptance"
        public typealias Reply = Nothing
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }
    }

    /// Opens the TPM session for one authorization. The TPM waits, so Complete must follow within 5 seconds.
    public struct Prepare: VarlinkMethod {
        public static let name = "org.coffer.Broker.Prepare"
        public var challenge: String
        /// Its index.
        public var authorization: Int64

        public init(challenge: String, authorization: Int64) {
            self.challenge = challenge
            self.authorization = authorization
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// The session's, base64, 32 bytes.
            public var nonce: String
            /// The hash of the one command that the session is for, base64, 32 bytes.
            public var parameterHash: String

            public init(nonce: String, parameterHash: String) {
                self.nonce = nonce
                self.parameterHash = parameterHash
            }
        }
    }

    /// Brings the signature for one authorization. A wrong pin is TPM of kind wrong-password, with triesLeft. The
    /// authorization may then be prepared again, once.
    public struct Complete: VarlinkMethod {
        public static let name = "org.coffer.Broker.Complete"
        public typealias Reply = Nothing
        public var challenge: String
        /// Its index.
        public var authorization: Int64
        /// r ‖ s over nonce ‖ 0 ‖ parameter hash ‖ policy reference, base64, 64 bytes.
        public var signature: String
        /// How the person was recognised where not by being asked for this challenge, for the access log. reuse: by
        /// an earlier answer in the same terminal. shared: by the prompt of another request of the same process,
        /// which named this one. lease: by the answer that granted a lease. The broker checks this one by its own
        /// record.
        public var means: String?
        /// For the unlock root of a bound vault: what the login password that PAM has just accepted was made into.
        /// Base64, 32 bytes.
        public var pin: String?
        /// Reseal or ResealForBoot follows. The vault is not opened before that is done.
        public var reseals: Bool?

        public init(
            challenge: String, authorization: Int64, signature: String, means: String? = nil, pin: String? = nil,
            reseals: Bool? = nil
        ) {
            self.challenge = challenge
            self.authorization = authorization
            self.signature = signature
            self.means = means
            self.pin = pin
            self.reseals = reseals
        }
    }

    /// Seals another unlock root, after Complete has released the one in use. It is in the vault beside that one. It
    /// is not in use before AdoptRoots.
    public struct Reseal: VarlinkMethod {
        public static let name = "org.coffer.Broker.Reseal"
        public var challenge: String
        /// What the password was made into, base64, 32 bytes. It is left out for purpose unbind.
        public var pin: String?

        public init(challenge: String, pin: String? = nil) {
            self.challenge = challenge
            self.pin = pin
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// The Name of the sealed root, base64, 34 bytes, for the registry.
            public var name: String
            /// For the registry. It is there with a pin.
            public var index: PINIndex?

            public init(name: String, index: PINIndex? = nil) {
                self.name = name
                self.index = index
            }
        }
    }

    /// Seals the roots anew that Complete has released: another unlock root, with reseals, and the recovery key. For
    /// purpose tieToBoot they are tied to this boot, and for releaseFromBoot to none. They are not in use before
    /// AdoptRoots.
    public struct ResealForBoot: VarlinkMethod {
        public static let name = "org.coffer.Broker.ResealForBoot"
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        public struct Reply: Codable, Sendable, Equatable {
            /// The Names by their roles in decimal (1, 2, 3; tied, 4), base64, 34 bytes each, for the registry.
            public var names: [String: String]
            /// For the registry. It is absent where the vault is to be tied to no boot.
            public var boot: Tie?

            public init(names: [String: String], boot: Tie? = nil) {
                self.names = names
                self.boot = boot
            }
        }
    }

    /// After Reseal or ResealForBoot, because the registry names the sealed roots now: the vault is open with them.
    public struct AdoptRoots: VarlinkMethod {
        public static let name = "org.coffer.Broker.AdoptRoots"
        public typealias Reply = Nothing
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }
    }

    /// For purpose rotate, once Complete has opened the vault: makes the successor. A successor that an earlier
    /// conversation has left is taken up. The items' signatures follow, then Succeed.
    public struct Renew: VarlinkMethod {
        public static let name = "org.coffer.Broker.Renew"
        public typealias Reply = Nothing
        public var challenge: String
        /// The key that the successor is to trust, base64, 65 bytes.
        public var authenticatorKey: String
        /// Of a bound vault: what the password was made into, base64, 32 bytes.
        public var pin: String?
        /// Of a bound vault: what the password was salted with, base64, 16 bytes.
        public var salt: String?

        public init(challenge: String, authenticatorKey: String, pin: String? = nil, salt: String? = nil) {
            self.challenge = challenge
            self.authenticatorKey = authenticatorKey
            self.pin = pin
            self.salt = salt
        }
    }

    /// Fills the successor, because all authorizations are complete. With a record in the answer, authorization 0 is
    /// the successor's own opening. AdoptSuccessor follows when the registry names it. Without one there are items
    /// left for another conversation, and this one is done.
    public struct Succeed<Record: Codable & Sendable>: VarlinkMethod {
        public static var name: String { "org.coffer.Broker.Succeed" }
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        public struct Reply: Codable, Sendable {
            /// The registry record that the successor is to have, as JSON.
            public var record: Record?

            public init(record: Record? = nil) { self.record = record }
        }
    }

    /// For purpose rotate: the registry names the successor. It is put in its place, and is open.
    public struct AdoptSuccessor: VarlinkMethod {
        public static let name = "org.coffer.Broker.AdoptSuccessor"
        public typealias Reply = Nothing
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }
    }

    /// Tells that a login program has let this uid in. The vault is opened without a question, because one was
    /// answered already.
    public struct Report: VarlinkMethod {
        public static let name = "org.coffer.Broker.Report"
        public var uid: Int64
        /// The program is one that unlocks screens. Others are refused (NotPermitted) while a graphical session of
        /// the user is locked.
        public var unlocksScreens: Bool

        public init(uid: Int64, unlocksScreens: Bool = false) {
            self.uid = uid
            self.unlocksScreens = unlocksScreens
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// The authenticator's own, described by this very answer. It is good over this connection only, and for
            /// no client. It is absent where there is nothing to open: there is no vault, or it is open.
            public var challenge: String?
            /// The vault's id, hex. It is absent where there is no vault.
            public var vault: String?
            /// What the challenge is good for (unlock).
            public var authorizations: [Authorization]

            public init(challenge: String? = nil, vault: String? = nil, authorizations: [Authorization]) {
                self.challenge = challenge
                self.vault = vault
                self.authorizations = authorizations
            }
        }
    }
}
