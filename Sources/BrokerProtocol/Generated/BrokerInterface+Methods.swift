// Made by scripts/interfaces from Interfaces/org.coffer.Broker.varlink: change that file.
import Item
import JSON
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

        private static let jsonNames = ["challenge", "pid", "program", "startTime", "uid"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var uid: Int64?
            var pid: Int64?
            var startTime: Int64?
            var program: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: pid = try reader.read()
                case 2: program = try reader.read()
                case 3: startTime = try reader.read()
                default: uid = try reader.read()
                }
            }
            self.init(
                challenge: try members.required(challenge, "challenge"), uid: try members.required(uid, "uid"),
                pid: try members.required(pid, "pid"), startTime: try members.required(startTime, "startTime"),
                program: program
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("pid", pid)
            writer.member("program", program)
            writer.member("startTime", startTime)
            writer.member("uid", uid)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
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

            private static let jsonNames = [
                "account", "alternatives", "authorizations", "enrolment", "items", "kind", "lastLock", "lease",
                "leased", "newAccount", "newService", "owner", "passwordKey", "purposes", "reason", "service",
                "vault", "version",
            ]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var owner: String?
                var vault: String?
                var purposes: [Keychain.Purpose]?
                var service: String?
                var account: String?
                var kind: ItemKind?
                var version: Int64?
                var reason: String?
                var authorizations: [Authorization]?
                var alternatives: [[Int64]]?
                var lastLock: Int64?
                var enrolment: [String]?
                var items: [NamedItem]?
                var lease: LeaseTerms?
                var leased: Bool?
                var newService: String?
                var newAccount: String?
                var passwordKey: String?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: account = try reader.read()
                    case 1: alternatives = try reader.read()
                    case 2: authorizations = try reader.read()
                    case 3: enrolment = try reader.read()
                    case 4: items = try reader.read()
                    case 5: kind = try reader.read()
                    case 6: lastLock = try reader.read()
                    case 7: lease = try reader.read()
                    case 8: leased = try reader.read()
                    case 9: newAccount = try reader.read()
                    case 10: newService = try reader.read()
                    case 11: owner = try reader.read()
                    case 12: passwordKey = try reader.read()
                    case 13: purposes = try reader.read()
                    case 14: reason = try reader.read()
                    case 15: service = try reader.read()
                    case 16: vault = try reader.read()
                    default: version = try reader.read()
                    }
                }
                self.init(
                    owner: try members.required(owner, "owner"), vault: vault,
                    purposes: try members.required(purposes, "purposes"), service: service, account: account,
                    kind: kind, version: version, reason: reason,
                    authorizations: try members.required(authorizations, "authorizations"),
                    alternatives: try members.required(alternatives, "alternatives"),
                    lastLock: try members.required(lastLock, "lastLock"), enrolment: enrolment, items: items,
                    lease: lease, leased: leased, newService: newService, newAccount: newAccount,
                    passwordKey: passwordKey
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("account", account)
                writer.member("alternatives", alternatives)
                writer.member("authorizations", authorizations)
                writer.member("enrolment", enrolment)
                writer.member("items", items)
                writer.member("kind", kind)
                writer.member("lastLock", lastLock)
                writer.member("lease", lease)
                writer.member("leased", leased)
                writer.member("newAccount", newAccount)
                writer.member("newService", newService)
                writer.member("owner", owner)
                writer.member("passwordKey", passwordKey)
                writer.member("purposes", purposes)
                writer.member("reason", reason)
                writer.member("service", service)
                writer.member("vault", vault)
                writer.member("version", version)
                writer.endObject()
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

        public struct Reply: JSONValue, Equatable {
            public var companions: [Companion]

            public init(companions: [Companion]) { self.companions = companions }

            private static let jsonNames = ["companions"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var companions: [Companion]?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { companions = try reader.read() }
                self.init(companions: try members.required(companions, "companions"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("companions", companions)
                writer.endObject()
            }
        }
    }

    /// Makes a new vault's keys and its file. The vault is not yet in use.
    public struct Provision<Record: JSONValue>: VarlinkMethod {
        public static var name: String { "org.coffer.Broker.Provision" }
        public var challenge: String
        /// The key that the vault is to trust, base64, 65 bytes.
        public var authenticatorKey: String

        public init(challenge: String, authenticatorKey: String) {
            self.challenge = challenge
            self.authenticatorKey = authenticatorKey
        }

        private static var jsonNames: [String] { ["authenticatorKey", "challenge"] }

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var authenticatorKey: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: authenticatorKey = try reader.read()
                default: challenge = try reader.read()
                }
            }
            self.init(
                challenge: try members.required(challenge, "challenge"),
                authenticatorKey: try members.required(authenticatorKey, "authenticatorKey")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("authenticatorKey", authenticatorKey)
            writer.member("challenge", challenge)
            writer.endObject()
        }

        public struct Reply: JSONValue {
            /// The registry record, as JSON.
            public var record: Record

            public init(record: Record) { self.record = record }

            private static var jsonNames: [String] { ["record"] }

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var record: Record?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { record = try reader.read() }
                self.init(record: try members.required(record, "record"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("record", record)
                writer.endObject()
            }
        }
    }

    /// After Provision, because the registry names the vault now: puts it in its place.
    public struct AdoptVault: VarlinkMethod {
        public static let name = "org.coffer.Broker.AdoptVault"
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

        public struct Reply: JSONValue, Equatable {
            /// What is to be signed now: unlock.
            public var authorizations: [Authorization]

            public init(authorizations: [Authorization]) { self.authorizations = authorizations }

            private static let jsonNames = ["authorizations"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var authorizations: [Authorization]?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { authorizations = try reader.read() }
                self.init(authorizations: try members.required(authorizations, "authorizations"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("authorizations", authorizations)
                writer.endObject()
            }
        }
    }
}
