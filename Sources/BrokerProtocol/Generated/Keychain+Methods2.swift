// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import Varlink

extension Keychain {
    /// Tells whether an item exists.
    public struct Exists: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Exists"
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?

        public init(service: String, account: String? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
        }

        public struct Reply: Codable, Sendable, Equatable {
            public var exists: Bool

            public init(exists: Bool) { self.exists = exists }
        }
    }

    /// Returns an item without its value.
    public struct Show: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Show"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?

        public init(service: String, account: String? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
        }
    }

    /// Lists the items, sorted by service, then by account, then by kind. With the "more" flag each reply has one
    /// item. Without it, the answer is ExpectedMore if there are more items than one message has room for.
    public struct List: VarlinkMethod {
        public static let name = "org.coffer.Keychain.List"
        public typealias Reply = ItemsReply
        public var service: String?
        /// Only these accounts of the service, 32 at most. Accounts that have no item are left out.
        public var accounts: [String]?
        /// Only items of this kind. If it is left out, items of all kinds.
        public var kind: ItemKind?

        public init(service: String? = nil, accounts: [String]? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.accounts = accounts
            self.kind = kind
        }
    }

    /// Lists the items that have all of the attributes and contain the text. The order and the "more" flag are as for
    /// List.
    public struct Search: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Search"
        public typealias Reply = ItemsReply
        /// Service, account, label or comment contains it, in upper or lower case.
        public var text: String?
        public var attributes: [String: String]?
        /// As for List.
        public var kind: ItemKind?

        public init(text: String? = nil, attributes: [String: String]? = nil, kind: ItemKind? = nil) {
            self.text = text
            self.attributes = attributes
            self.kind = kind
        }
    }

    /// Tells what happens in the vault from now on. Without the "more" flag the answer is ExpectedMore. The first
    /// reply comes at once. It has no events, and every event after it is told. So call List after it, not before.
    /// Each further reply has some events, in the order in which they happened. A change is told when it is in the
    /// vault's file. A renamed item is deleted, and then added with the same id. The call has the right of List,
    /// which is checked before each reply. If the right has ended, so does the call. If the caller's own vault does
    /// not exist yet, the call waits for it. It is no use of the vault.
    public struct Monitor: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Monitor"
        /// Only items of this service. Events of the vault are always told.
        public var service: String?
        /// As for List.
        public var kind: ItemKind?

        public init(service: String? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.kind = kind
        }

        public struct Reply: Codable, Sendable, Equatable {
            public var events: [Event]

            public init(events: [Event]) { self.events = events }
        }
    }

    /// Changes an item, but not its value. What is left out stays as it is. An empty label, comment or attribute
    /// value removes it. A change of access asks the person as reading does.
    public struct Edit: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Edit"
        public typealias Reply = ChangedItemReply
        public var service: String
        public var account: String
        /// As for Set.
        public var kind: ItemKind?
        public var access: AccessControl?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        /// 0: never.
        public var expires: Int64?
        /// Why the program asks, in its own words.
        public var reason: String?
        /// As for Get.
        public var unlock: Bool?
        /// The one that reading takes, base64.
        public var applicationPassword: String?
        /// The one that access requires from now on, base64. It is left out if it stays the same.
        public var newApplicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, kind: ItemKind? = nil, access: AccessControl? = nil, label: String? = nil,
            comment: String? = nil, attributes: [String: String]? = nil, expires: Int64? = nil, reason: String? = nil,
            unlock: Bool? = nil, applicationPassword: String? = nil, newApplicationPassword: String? = nil,
            challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.access = access
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.expires = expires
            self.reason = reason
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.newApplicationPassword = newApplicationPassword
            self.challenge = challenge
        }
    }

    /// Gives one item a fresh key. Access, metadata and times stay the same. It asks the person as Get does. The
    /// value stays in the broker.
    public struct Rotate: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Rotate"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?
        /// As for Get.
        public var unlock: Bool?
        /// Base64. It is always given if the item has one, because the fresh key is sealed under it too.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String? = nil, kind: ItemKind? = nil, unlock: Bool? = nil,
            applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }
    }

    /// Deletes an item.
    public struct Delete: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Delete"
        public typealias Reply = ChangedItemReply
        public var service: String
        public var account: String
        /// As for Set.
        public var kind: ItemKind?
        /// As for Set.
        public var ifRevision: String?
        /// As for Apply.
        public var rollback: RollbackTime?

        public init(
            service: String, account: String, kind: ItemKind? = nil, ifRevision: String? = nil,
            rollback: RollbackTime? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.ifRevision = ifRevision
            self.rollback = rollback
        }
    }

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
    }

    /// Locks the vault at once, even while other calls use it. A group's vault is locked for all members. For a
    /// locked vault the answer has no items.
    public struct Lock: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Lock"
        public typealias Reply = VaultReply

        public init() {}
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
    }

    /// After Damaged of kind rollback, accepts a vault's file as the newest, although the TPM has not counted it.
    /// Only root may call this, for anybody's vault. The vault's owner is asked. From then on every other copy of the
    /// file is refused. If there is nothing to accept, the answer is AlreadyExists.
    public struct AcceptVault: VarlinkMethod {
        public static let name = "org.coffer.Keychain.AcceptVault"
        public typealias Reply = VaultReply
        public var challenge: String?

        public init(challenge: String? = nil) { self.challenge = challenge }
    }

    /// Moves a vault's files aside, with its access log, so that a new vault can be made. Only root may call this,
    /// for anybody's vault. Nothing is removed or replaced. SetAside of org.coffer.Authentication moves the
    /// registry's record, and completes it. If the broker opens the vault, or cannot find out, the answer is
    /// NotPermitted or the TPM's error, unless force is true.
    public struct SetAsideVault: VarlinkMethod {
        public static let name = "org.coffer.Keychain.SetAsideVault"
        public var force: Bool?

        public init(force: Bool? = nil) { self.force = force }

        public struct Reply: Codable, Sendable, Equatable {
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
        }
    }

    /// Returns the state of the vault, and the guarantees that hold here.
    public struct Status: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Status"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
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
        }
    }

    /// Makes a recovery code for the caller's own vault. An earlier code stays valid until ConfirmRecoveryCode.
    public struct NewRecoveryCode: VarlinkMethod {
        public static let name = "org.coffer.Keychain.NewRecoveryCode"
        public var challenge: String?

        public init(challenge: String? = nil) { self.challenge = challenge }

        public struct Reply: Codable, Sendable, Equatable {
            /// Six groups of five characters, joined by hyphens.
            public var code: String
            /// The number of the group that ConfirmRecoveryCode must repeat, from 1.
            public var part: Int64

            public init(code: String, part: Int64) {
                self.code = code
                self.part = part
            }
        }
    }

    /// Confirms the code that NewRecoveryCode gave to this process at most ten minutes ago. The code is then valid.
    public struct ConfirmRecoveryCode: VarlinkMethod {
        public static let name = "org.coffer.Keychain.ConfirmRecoveryCode"
        /// The group that was asked back. After the fifth wrong one the code is dropped.
        public var characters: String

        public init(characters: String) { self.characters = characters }

        public struct Reply: Codable, Sendable, Equatable {
            /// When the code was made.
            public var made: Int64

            public init(made: Int64) { self.made = made }
        }
    }
}
