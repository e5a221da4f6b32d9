// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import Varlink

extension Keychain {
    /// What Show, Rotate and Rename reply.
    public struct ItemReply: Codable, Sendable, Equatable {
        public var item: Item

        public init(item: Item) { self.item = item }
    }

    /// What Edit, Delete and Restore reply.
    public struct ChangedItemReply: Codable, Sendable, Equatable {
        public var item: Item
        /// As for Set.
        public var protected: Bool?

        public init(item: Item, protected: Bool? = nil) {
            self.item = item
            self.protected = protected
        }
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
        /// It is absent if the vault is not tied to the boot.
        public var boot: BootState?

        public init(boot: BootState? = nil) { self.boot = boot }
    }

    /// Stores an item. An item that is replaced keeps what is left out: access and each of its members, label,
    /// comment, attributes, expires. An expired item keeps the same, except expires. An empty label or comment, an
    /// empty list of attributes, and expires 0 remove what is there.
    public struct Set: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Set"
        public var service: String
        public var account: String
        /// As Item.kind. It is generic if it is left out.
        public var kind: ItemKind?
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
        /// The item must be in the state that this revision names. Otherwise the answer is Changed, and nothing is
        /// changed.
        public var ifRevision: String?
        /// Base64. It is given exactly if the item requires app-password from then on.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, kind: ItemKind? = nil, value: String, access: AccessChange? = nil,
            label: String? = nil, comment: String? = nil, attributes: [String: String]? = nil, expires: Int64? = nil,
            mode: SetMode? = nil, ifRevision: String? = nil, applicationPassword: String? = nil,
            challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.value = value
            self.access = access
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.expires = expires
            self.mode = mode
            self.ifRevision = ifRevision
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }

        public struct Reply: Codable, Sendable, Equatable {
            public var item: Item
            /// When the former value was set.
            public var replaced: Int64?
            /// The version with the former value, if the vault keeps it. Restore brings it back.
            public var former: Int64?
            /// False: an older copy of the vault's file can still undo the change of access, because too many changes
            /// of that sort came before it. The change is on the disk, and the TPM counts it within 20 seconds.
            /// Otherwise it is absent.
            public var protected: Bool?

            public init(item: Item, replaced: Int64? = nil, former: Int64? = nil, protected: Bool? = nil) {
                self.item = item
                self.replaced = replaced
                self.former = former
                self.protected = protected
            }
        }
    }

    /// Makes all of these changes in their order, or none of them. Nobody ever sees only some of them, not even after
    /// a crash. An item that is to be deleted may be missing, unless ifRevision is given. An error begins with the
    /// number of the change that it is about, from 1: "change 3: the item exists already".
    public struct Apply: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Apply"
        public var changes: [Change]
        /// later: an older copy of the vault's file may undo these changes for some minutes, as it may undo what was
        /// only written. The call then never waits for the TPM. It is for caches and the like. Otherwise it is left
        /// out.
        public var rollback: RollbackTime?
        public var challenge: String?

        public init(changes: [Change], rollback: RollbackTime? = nil, challenge: String? = nil) {
            self.changes = changes
            self.rollback = rollback
            self.challenge = challenge
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// One for each change, in the same order.
            public var results: [ChangeResult]
            /// As for Set. It is absent with rollback.
            public var protected: Bool?

            public init(results: [ChangeResult], protected: Bool? = nil) {
                self.results = results
                self.protected = protected
            }
        }
    }

    /// Gives out an item's value.
    public struct Get: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Get"
        public var service: String
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?
        /// Gives out the value of this version, which may be a former one. Reading that takes what it took then. If
        /// the item has no such value, or no longer, the answer is NotFound.
        public var version: Int64?
        /// Why the program asks, in its own words.
        public var reason: String?
        /// If the vault is locked, the answer is a challenge that also opens it, instead of Locked.
        public var unlock: Bool?
        /// Base64. It is given if the item requires app-password. If any is set, giving it chooses this way, and
        /// leaving it out chooses the others.
        public var applicationPassword: String?
        /// The program asks for another one, as the Secret Service does. No lease of its own is used, and the access
        /// log says so.
        public var forOthers: Bool?
        public var challenge: String?

        public init(
            service: String, account: String? = nil, kind: ItemKind? = nil, version: Int64? = nil,
            reason: String? = nil, unlock: Bool? = nil, applicationPassword: String? = nil, forOthers: Bool? = nil,
            challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.version = version
            self.reason = reason
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.forOthers = forOthers
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

    /// Gives out the values of several items, all or none. A person is asked once for all of them, and is shown every
    /// name. If one item cannot be given out, nothing is, and nobody is asked. The error's message names that item.
    /// No item may be named twice. An item that can be read only with an application password is refused
    /// (InvalidArgument). There are 32 items at most, and the answer must fit into one message. Otherwise the answer
    /// is LimitExceeded.
    public struct GetAll: VarlinkMethod {
        public static let name = "org.coffer.Keychain.GetAll"
        public var items: [ItemName]
        /// Why the program asks, in its own words.
        public var reason: String?
        /// As for Get.
        public var unlock: Bool?
        /// As for Get.
        public var forOthers: Bool?
        /// It is good for these items in this order, each in the version that the person was asked for.
        public var challenge: String?

        public init(
            items: [ItemName], reason: String? = nil, unlock: Bool? = nil, forOthers: Bool? = nil,
            challenge: String? = nil
        ) {
            self.items = items
            self.reason = reason
            self.unlock = unlock
            self.forOthers = forOthers
            self.challenge = challenge
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// In the order of the call.
            public var items: [ItemValue]

            public init(items: [ItemValue]) { self.items = items }
        }
    }

    /// Grants the calling process and its descendants a lease: they read these items without a prompt for so long.
    /// The purpose is lease. The person is shown the items, the time, the program, the command and the reason. The
    /// authenticator signs for each read still, and only for these items in their present versions. The lease ends
    /// with its time, with the process, with a lock, with EndLeases, and when the broker or the machine starts again.
    /// An item that can be read only with an application password is refused (InvalidArgument). A locked vault is
    /// Locked. There are 32 items at most, as for GetAll.
    public struct Lease: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Lease"
        public var items: [ItemName]
        /// How long it lasts, from the person's answer on. It is at least 1, and at most what root allows
        /// (lease-limit).
        public var seconds: Int64
        /// The command that the process is about to run, in its own words.
        public var command: String?
        /// Why the program asks, in its own words.
        public var reason: String?
        public var challenge: String?

        public init(
            items: [ItemName], seconds: Int64, command: String? = nil, reason: String? = nil, challenge: String? = nil
        ) {
            self.items = items
            self.seconds = seconds
            self.command = command
            self.reason = reason
            self.challenge = challenge
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// It is absent if none of the items requires a person. Nobody was asked then, and no lease is needed.
            public var lease: LeaseState?

            public init(lease: LeaseState? = nil) { self.lease = lease }
        }
    }

    /// Ends all leases that the caller's user has from this vault. It asks nobody.
    public struct EndLeases: VarlinkMethod {
        public static let name = "org.coffer.Keychain.EndLeases"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
            /// How many there were.
            public var ended: Int64

            public init(ended: Int64) { self.ended = ended }
        }
    }

    /// Lists the values that an item had before, the newest first. It asks nobody.
    public struct History: VarlinkMethod {
        public static let name = "org.coffer.Keychain.History"
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
            public var item: Item
            public var versions: [FormerVersion]

            public init(item: Item, versions: [FormerVersion]) {
                self.item = item
                self.versions = versions
            }
        }
    }

    /// Makes a former value the item's present one, with the access control that it had. That is never looser than
    /// the present one. It asks the person as reading that value does. The present value becomes a former one, unless
    /// its access is looser.
    public struct Restore: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Restore"
        public typealias Reply = ChangedItemReply
        public var service: String
        public var account: String
        /// As for Set.
        public var kind: ItemKind?
        /// If it is left out: the newest former value.
        public var version: Int64?
        /// Why the program asks, in its own words.
        public var reason: String?
        /// As for Get.
        public var unlock: Bool?
        /// Base64. It is always given if the former value has one, because it is sealed under it again.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String, kind: ItemKind? = nil, version: Int64? = nil, reason: String? = nil,
            unlock: Bool? = nil, applicationPassword: String? = nil, challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.version = version
            self.reason = reason
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }
    }

    /// Changes what the vault keeps of values that are replaced. What is left out stays. Values that are too many
    /// then are dropped at once.
    public struct SetHistory: VarlinkMethod {
        public static let name = "org.coffer.Keychain.SetHistory"
        /// 0 to 10.
        public var values: Int64?
        /// 0 to 366.
        public var days: Int64?

        public init(values: Int64? = nil, days: Int64? = nil) {
            self.values = values
            self.days = days
        }

        public struct Reply: Codable, Sendable, Equatable {
            public var history: HistorySetting
            /// As for Set. It is about the former values that were dropped.
            public var protected: Bool?

            public init(history: HistorySetting, protected: Bool? = nil) {
                self.history = history
                self.protected = protected
            }
        }
    }

    /// Withdraws a challenge, because the caller can have nobody asked. The access log then records the request at
    /// once, and not only when the challenge expires.
    public struct Withdraw: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Withdraw"
        public typealias Reply = Nothing
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }
    }
}
