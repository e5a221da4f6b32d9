import Varlink

extension Keychain {
    public struct Set: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Set"
        public var service: String
        public var account: String
        /// Base64.
        public var value: String
        /// nil: an item that is there keeps its own. So it is with all that follows up to `expires`.
        public var access: AccessChange?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        /// 0: never.
        public var expires: Int64?
        public var mode: SetMode?
        /// Base64; where the item requires one from then on.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, value: String, access: AccessControl? = nil, label: String? = nil,
            comment: String? = nil,
            attributes: [String: String]? = nil, expires: Int64? = nil, mode: SetMode? = nil,
            applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.value = value
            self.access = access.map { AccessChange($0) }
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

            public init(item: Item, replaced: Int64?) {
                self.item = item
                self.replaced = replaced
            }
        }
    }

    public struct Get: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Get"
        public var service: String
        public var account: String?
        public var reason: String?
        public var unlock: Bool?
        /// Base64; where the item requires one, or to choose that way.
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

    public struct List: VarlinkMethod {
        public static let name = "org.coffer.Keychain.List"
        public typealias Reply = ItemsReply
        public var service: String?

        public init(service: String? = nil) { self.service = service }
    }

    public struct Search: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Search"
        public typealias Reply = ItemsReply
        public var text: String?
        public var attributes: [String: String]?

        public init(text: String? = nil, attributes: [String: String]? = nil) {
            self.text = text
            self.attributes = attributes
        }
    }

    public struct Edit: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Edit"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String
        public var access: AccessControl?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        public var expires: Int64?
        public var unlock: Bool?
        /// Base64; the one that the item has, and keeps unless it gets another.
        public var applicationPassword: String?
        /// Base64; the one that the item gets.
        public var newApplicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, access: AccessControl? = nil, label: String? = nil,
            comment: String? = nil,
            attributes: [String: String]? = nil, expires: Int64? = nil, unlock: Bool? = nil,
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

    public struct Rename: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Rename"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String
        public var newService: String
        public var newAccount: String
        public var unlock: Bool?
        /// Base64; where the item has one.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, newService: String, newAccount: String, unlock: Bool? = nil,
            applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
            self.service = service
            self.account = account
            self.newService = newService
            self.newAccount = newAccount
        }
    }

    public struct Lock: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Lock"
        public typealias Reply = VaultReply

        public init() {}
    }

    public struct Unlock: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Unlock"
        public typealias Reply = VaultReply
        public var challenge: String?
        /// True to bind the vault to the login password on the way, false to unbind it; left out it stays as it is.
        public var bind: Bool?

        public init(challenge: String? = nil, bind: Bool? = nil) {
            self.challenge = challenge
            self.bind = bind
        }
    }

    public struct Status: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Status"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
            public var vault: VaultState
            public var sealer: Sealer
            public var version: String
            public var sandbox: Bool
            /// What locks the vault by itself, for people to read.
            public var locks: [String]
            /// The same for programs.
            public var lockedBy: LockCauses
            public var warnings: [String]
            /// nil where it is not known, because the vault was not looked into yet.
            public var recovery: RecoveryState?

            public init(
                vault: VaultState, sealer: Sealer, version: String, sandbox: Bool, locks: [String] = [],
                lockedBy: LockCauses = LockCauses(), warnings: [String], recovery: RecoveryState? = nil
            ) {
                self.recovery = recovery
                self.vault = vault
                self.sealer = sealer
                self.version = version
                self.sandbox = sandbox
                self.locks = locks
                self.lockedBy = lockedBy
                self.warnings = warnings
            }
        }
    }
}
