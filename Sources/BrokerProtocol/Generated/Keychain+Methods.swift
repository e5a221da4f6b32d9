// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Varlink

extension Keychain {
    /// What Show, Edit, Rotate, Delete and Rename reply.
    public struct ItemReply: Codable, Sendable, Equatable {
        public var item: Item

        public init(item: Item) { self.item = item }
    }

    /// What List and Search reply.
    public struct ItemsReply: Codable, Sendable, Equatable {
        public var items: [Item]

        public init(items: [Item]) { self.items = items }
    }

    /// What Lock, Unlock, CreateVault and AcceptVault reply.
    public struct VaultReply: Codable, Sendable, Equatable {
        public var vault: VaultState

        public init(vault: VaultState) { self.vault = vault }
    }

    /// What Boot, TieToBoot and ApproveBoot reply.
    public struct BootReply: Codable, Sendable, Equatable {
        /// It is absent where the vault is tied to no boot.
        public var boot: BootState?

        public init(boot: BootState? = nil) { self.boot = boot }
    }

    /// Stores an item. A replaced one keeps what is left out: access and each of its members, label, comment,
    /// attributes, expires. One that has expired keeps the same, but not expires. An empty label or comment, an empty
    /// list of attributes, and expires 0 take away what is there.
    public struct Set: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Set"
        public var service: String
        public var account: String
        /// Base64.
        public var value: String
        public var access: AccessChange?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        /// The item is not given out after this time. 0: never expires.
        public var expires: Int64?
        /// It is replace (the default), new or existing.
        public var mode: SetMode?
        /// Base64. It is given where the item requires app-password from then on, and only there.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, value: String, access: AccessChange? = nil, label: String? = nil,
            comment: String? = nil, attributes: [String: String]? = nil, expires: Int64? = nil, mode: SetMode? = nil,
            applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.value = value
            self.access = access
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.expires = expires
            self.mode = mode
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }

        public struct Reply: Codable, Sendable, Equatable {
            public var item: Item
            /// When the value that was replaced had been set.
            public var replaced: Int64?

            public init(item: Item, replaced: Int64? = nil) {
                self.item = item
                self.replaced = replaced
            }
        }
    }

    /// Gives out an item's value.
    public struct Get: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Get"
        public var service: String
        public var account: String?
        /// Why the program asks, in its own words.
        public var reason: String?
        /// Where the vault is locked, the answer is a challenge that opens it too, and not Locked.
        public var unlock: Bool?
        /// Base64. It is given where the item requires app-password. With any, giving it chooses that way, and
        /// leaving it out chooses the others.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String? = nil, reason: String? = nil, unlock: Bool? = nil,
            applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.reason = reason
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// Base64.
            public var value: String
            public var item: Item

            public init(value: String, item: Item) {
                self.value = value
                self.item = item
            }
        }
    }

    /// Takes back a challenge that the caller can have nobody pass. The access log then says at once that the caller
    /// asked, and not only when the challenge is too old.
    public struct Withdraw: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Withdraw"
        public typealias Reply = Nothing
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }
    }

    /// Tells whether an item is there.
    public struct Exists: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Exists"
        public var service: String
        public var account: String?

        public init(service: String, account: String? = nil) {
            self.service = service
            self.account = account
        }

        public struct Reply: Codable, Sendable, Equatable {
            public var exists: Bool

            public init(exists: Bool) { self.exists = exists }
        }
    }

    /// Tells what is known of an item.
    public struct Show: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Show"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String?

        public init(service: String, account: String? = nil) {
            self.service = service
            self.account = account
        }
    }

    /// Tells the items, sorted by service, then by account. With the "more" flag there is one item a reply.
    public struct List: VarlinkMethod {
        public static let name = "org.coffer.Keychain.List"
        public typealias Reply = ItemsReply
        public var service: String?

        public init(service: String? = nil) { self.service = service }
    }

    /// Tells the items that have every one of the attributes and contain the text.
    public struct Search: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Search"
        public typealias Reply = ItemsReply
        /// Service, account, label or comment contain it, whatever its case.
        public var text: String?
        public var attributes: [String: String]?

        public init(text: String? = nil, attributes: [String: String]? = nil) {
            self.text = text
            self.attributes = attributes
        }
    }

    /// Changes what is known of an item. What is left out stays as it is. An empty label, comment or attribute value
    /// takes it away. A change of access asks as reading does.
    public struct Edit: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Edit"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String
        public var access: AccessControl?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        /// 0: never.
        public var expires: Int64?
        /// As for Get.
        public var unlock: Bool?
        /// The one that reading takes, base64.
        public var applicationPassword: String?
        /// The one that access requires from now on, base64. It is left out where it stays the same.
        public var newApplicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, access: AccessControl? = nil, label: String? = nil,
            comment: String? = nil, attributes: [String: String]? = nil, expires: Int64? = nil, unlock: Bool? = nil,
            applicationPassword: String? = nil, newApplicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.access = access
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.expires = expires
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.newApplicationPassword = newApplicationPassword
            self.challenge = challenge
        }
    }

    /// Gives one item a fresh key, of the same access, metadata and times. It asks as Get does, and the value stays
    /// in the broker.
    public struct Rotate: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Rotate"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String?
        /// As for Get.
        public var unlock: Bool?
        /// Base64. It is given wherever the item has one, with any too, because the fresh key is put under it anew.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String? = nil, unlock: Bool? = nil, applicationPassword: String? = nil,
            challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }
    }

    /// Takes an item away.
    public struct Delete: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Delete"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String

        public init(service: String, account: String) {
            self.service = service
            self.account = account
        }
    }

    /// Gives an item another name. One with requirements asks as reading does, because a prompt asks for an item by
    /// its name. The purpose is rename.
    public struct Rename: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Rename"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String
        public var newService: String
        public var newAccount: String
        /// As for Get.
        public var unlock: Bool?
        /// As for Get, base64.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, newService: String, newAccount: String, unlock: Bool? = nil,
            applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.newService = newService
            self.newAccount = newAccount
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }
    }

    /// Locks at once, whatever else the vault is asked for. A group's vault is locked for all members. The answer for
    /// a locked vault has no items.
    public struct Lock: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Lock"
        public typealias Reply = VaultReply

        public init() {}
    }

    /// Opens the vault, and makes it where there is none. A group's opens only while the caller's own is unlocked.
    public struct Unlock: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Unlock"
        public typealias Reply = VaultReply
        public var challenge: String?
        /// True binds the vault to the login password. It stays as it is where this is left out. False unbinds it,
        /// and destroys its items of class passcode-set.
        public var bind: Bool?

        public init(challenge: String? = nil, bind: Bool? = nil) {
            self.challenge = challenge
            self.bind = bind
        }
    }

    /// Makes the vault of an account that nobody can be asked for, and opens it. Only root may call this, and nobody
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

    /// Takes a vault's file for the newest though the TPM has not counted it so, after Damaged of kind rollback. Only
    /// root may call this, about anybody's vault. The vault's owner is asked. Every other copy of the file is refused
    /// from then on. AlreadyExists is the answer where there is nothing to accept.
    public struct AcceptVault: VarlinkMethod {
        public static let name = "org.coffer.Keychain.AcceptVault"
        public typealias Reply = VaultReply
        public var challenge: String?

        public init(challenge: String? = nil) { self.challenge = challenge }
    }

    /// Tells how the vault and its guarantees are here.
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
            /// It is absent where it is not known, because the vault was not looked into yet.
            public var recovery: RecoveryState?

            public init(
                vault: VaultState, sealer: Sealer, version: String, sandbox: Bool, locks: [String] = [],
                lockedBy: LockCauses = LockCauses(), warnings: [String], recovery: RecoveryState? = nil
            ) {
                self.vault = vault
                self.sealer = sealer
                self.version = version
                self.sandbox = sandbox
                self.locks = locks
                self.lockedBy = lockedBy
                self.warnings = warnings
                self.recovery = recovery
            }
        }
    }
}
