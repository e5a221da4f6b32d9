// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    /// Gives an item another name. An item with requirements asks the person as reading does, because prompts show
    /// its name. The purpose is rename. The kind stays the same.
    public struct Rename: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Rename"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String
        /// As for Set.
        public var kind: ItemKind?
        public var newService: String
        public var newAccount: String
        /// Why the program asks, in its own words.
        public var reason: String?
        /// As for Get.
        public var unlock: Bool?
        /// As for Get, base64.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, kind: ItemKind? = nil, newService: String, newAccount: String,
            reason: String? = nil, unlock: Bool? = nil, applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.newService = newService
            self.newAccount = newAccount
            self.reason = reason
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }

        private static let jsonNames = [
            "account", "applicationPassword", "challenge", "kind", "newAccount", "newService", "reason", "service",
            "unlock",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var newService: String?
            var newAccount: String?
            var reason: String?
            var unlock: Bool?
            var applicationPassword: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: applicationPassword = try reader.read()
                case 2: challenge = try reader.read()
                case 3: kind = try reader.read()
                case 4: newAccount = try reader.read()
                case 5: newService = try reader.read()
                case 6: reason = try reader.read()
                case 7: service = try reader.read()
                default: unlock = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, newService: try members.required(newService, "newService"),
                newAccount: try members.required(newAccount, "newAccount"), reason: reason, unlock: unlock,
                applicationPassword: applicationPassword, challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("applicationPassword", applicationPassword)
            writer.member("challenge", challenge)
            writer.member("kind", kind)
            writer.member("newAccount", newAccount)
            writer.member("newService", newService)
            writer.member("reason", reason)
            writer.member("service", service)
            writer.member("unlock", unlock)
            writer.endObject()
        }
    }

    /// Locks the vault at once, even while other calls use it. A group's vault is locked for all members. For a
    /// locked vault the answer has no items.
    public struct Lock: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Lock"
        public typealias Reply = VaultReply

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }
    }

    /// Opens the vault, and makes it if there is none. A group's vault opens only while the caller's own is unlocked.
    public struct Unlock: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Unlock"
        public typealias Reply = VaultReply
        public var challenge: String?
        /// True binds the vault to the login password. False unbinds it, and destroys its items of class
        /// passcode-set. If it is left out, nothing changes.
        public var bind: Bool?

        public init(challenge: String? = nil, bind: Bool? = nil) {
            self.challenge = challenge
            self.bind = bind
        }

        private static let jsonNames = ["bind", "challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var bind: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: bind = try reader.read()
                default: challenge = try reader.read()
                }
            }
            self.init(challenge: challenge, bind: bind)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("bind", bind)
            writer.member("challenge", challenge)
            writer.endObject()
        }
    }

    /// Makes a service vault, for an account that has no person to ask, and opens it. Only root may call this. Nobody
    /// is asked.
    public struct CreateVault: VarlinkMethod {
        public static let name = "org.coffer.Keychain.CreateVault"
        public typealias Reply = VaultReply
        /// The account's name.
        public var owner: String
        public var challenge: String?

        public init(owner: String, challenge: String? = nil) {
            self.owner = owner
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "owner"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var owner: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                default: owner = try reader.read()
                }
            }
            self.init(owner: try members.required(owner, "owner"), challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("owner", owner)
            writer.endObject()
        }
    }

    /// After Damaged of kind rollback, accepts a vault's file as the newest, although the TPM has not counted it.
    /// Only root may call this, for anybody's vault. The vault's owner is asked. From then on every other copy of the
    /// file is refused. If there is nothing to accept, the answer is AlreadyExists.
    public struct AcceptVault: VarlinkMethod {
        public static let name = "org.coffer.Keychain.AcceptVault"
        public typealias Reply = VaultReply
        public var challenge: String?

        public init(challenge: String? = nil) { self.challenge = challenge }

        private static let jsonNames = ["challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { challenge = try reader.read() }
            self.init(challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.endObject()
        }
    }

    /// Moves a vault's files aside, with its access log, so that a new vault can be made. Only root may call this,
    /// for anybody's vault. Nothing is removed or replaced. SetAside of org.coffer.Authentication moves the
    /// registry's record, and completes it. If the broker opens the vault, or cannot find out, the answer is
    /// NotPermitted or the TPM's error, unless force is true.
    public struct SetAsideVault: VarlinkMethod {
        public static let name = "org.coffer.Keychain.SetAsideVault"
        public var force: Bool?

        public init(force: Bool? = nil) { self.force = force }

        private static let jsonNames = ["force"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var force: Bool?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { force = try reader.read() }
            self.init(force: force)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("force", force)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// user:UID or group:GID.
            public var owner: String
            /// The time in the names of the files.
            public var stamp: String
            /// Where the vault's file is now. It is absent if there was none.
            public var file: String?

            public init(owner: String, stamp: String, file: String? = nil) {
                self.owner = owner
                self.stamp = stamp
                self.file = file
            }

            private static let jsonNames = ["file", "owner", "stamp"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var owner: String?
                var stamp: String?
                var file: String?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: file = try reader.read()
                    case 1: owner = try reader.read()
                    default: stamp = try reader.read()
                    }
                }
                self.init(
                    owner: try members.required(owner, "owner"), stamp: try members.required(stamp, "stamp"), file: file
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("file", file)
                writer.member("owner", owner)
                writer.member("stamp", stamp)
                writer.endObject()
            }
        }
    }

    /// Returns the state of the vault, and the guarantees that hold here.
    public struct Status: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Status"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            public var vault: VaultState
            public var sealer: Sealer
            /// The broker's.
            public var version: String
            /// The broker is a sandbox, which protects nothing.
            public var sandbox: Bool
            /// What locks the vault by itself, for people to read: screen, sleep, 15 min idle.
            public var locks: [String]
            /// The same for programs.
            public var lockedBy: LockCauses
            /// What weakens the guarantees here (sandbox, broker run as root), for people to read.
            public var warnings: [String]
            /// It is absent if it is not known, because the vault was not opened yet.
            public var recovery: RecoveryState?
            /// What the vault keeps of values that were replaced. It is absent if the vault was not opened yet.
            public var history: HistorySetting?
            /// The leases that the caller's user has from this vault, the oldest first.
            public var leases: [LeaseState]

            public init(
                vault: VaultState, sealer: Sealer, version: String, sandbox: Bool, locks: [String] = [],
                lockedBy: LockCauses = LockCauses(), warnings: [String], recovery: RecoveryState? = nil,
                history: HistorySetting? = nil, leases: [LeaseState] = []
            ) {
                self.vault = vault
                self.sealer = sealer
                self.version = version
                self.sandbox = sandbox
                self.locks = locks
                self.lockedBy = lockedBy
                self.warnings = warnings
                self.recovery = recovery
                self.history = history
                self.leases = leases
            }

            private static let jsonNames = [
                "history", "leases", "lockedBy", "locks", "recovery", "sandbox", "sealer", "vault", "version",
                "warnings",
            ]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var vault: VaultState?
                var sealer: Sealer?
                var version: String?
                var sandbox: Bool?
                var locks: [String]?
                var lockedBy: LockCauses?
                var warnings: [String]?
                var recovery: RecoveryState?
                var history: HistorySetting?
                var leases: [LeaseState]?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: history = try reader.read()
                    case 1: leases = try reader.read()
                    case 2: lockedBy = try reader.read()
                    case 3: locks = try reader.read()
                    case 4: recovery = try reader.read()
                    case 5: sandbox = try reader.read()
                    case 6: sealer = try reader.read()
                    case 7: vault = try reader.read()
                    case 8: version = try reader.read()
                    default: warnings = try reader.read()
                    }
                }
                self.init(
                    vault: try members.required(vault, "vault"), sealer: try members.required(sealer, "sealer"),
                    version: try members.required(version, "version"),
                    sandbox: try members.required(sandbox, "sandbox"), locks: try members.required(locks, "locks"),
                    lockedBy: try members.required(lockedBy, "lockedBy"),
                    warnings: try members.required(warnings, "warnings"), recovery: recovery, history: history,
                    leases: try members.required(leases, "leases")
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("history", history)
                writer.member("leases", leases)
                writer.member("lockedBy", lockedBy)
                writer.member("locks", locks)
                writer.member("recovery", recovery)
                writer.member("sandbox", sandbox)
                writer.member("sealer", sealer)
                writer.member("vault", vault)
                writer.member("version", version)
                writer.member("warnings", warnings)
                writer.endObject()
            }
        }
    }
}
