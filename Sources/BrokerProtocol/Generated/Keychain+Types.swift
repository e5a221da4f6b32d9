// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import Varlink

extension Keychain {
    /// The members of an access control that a call changes. An existing item keeps what is left out. A new item gets
    /// the default: when-unlocked, false, nothing, false.
    public struct AccessChange: Codable, Sendable, Equatable {
        public var accessibility: AccessControl.Accessibility?
        public var thisDeviceOnly: Bool?
        public var require: [AccessControl.Requirement]?
        /// It is false if it is left out beside require.
        public var any: Bool?

        public init(
            accessibility: AccessControl.Accessibility? = nil, thisDeviceOnly: Bool? = nil,
            require: [AccessControl.Requirement]? = nil, any: Bool? = nil
        ) {
            self.accessibility = accessibility
            self.thisDeviceOnly = thisDeviceOnly
            self.require = require
            self.any = any
        }
    }

    /// An item without its value.
    public struct Item: Codable, Sendable, Equatable {
        public var id: String
        public var service: String
        public var account: String
        /// It is generic, internet, key, certificate or file. Items of different kinds have different names, even if
        /// service and account are the same.
        public var kind: ItemKind
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]
        public var access: AccessControl
        public var created: Int64
        public var modified: Int64
        public var expires: Int64?
        /// Counts the item's values, from 1.
        public var version: Int64
        /// Names this state of the item. It is another one after any change of value, access, name or settings, and
        /// after a renewal of its key. A state that was deleted never comes back under the same revision. See
        /// ifRevision.
        public var revision: String
        /// The enrolled fingers that the value is bound to, as Biometry of org.coffer.Authentication names them. It
        /// is absent if the value is bound to none.
        public var biometrySet: String?

        public init(
            id: String, service: String, account: String, kind: ItemKind = .genericPassword, label: String? = nil,
            comment: String? = nil, attributes: [String: String], access: AccessControl, created: Int64,
            modified: Int64, expires: Int64? = nil, version: Int64, revision: String = "", biometrySet: String? = nil
        ) {
            self.id = id
            self.service = service
            self.account = account
            self.kind = kind
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.access = access
            self.created = created
            self.modified = modified
            self.expires = expires
            self.version = version
            self.revision = revision
            self.biometrySet = biometrySet
        }
    }

    /// A value that an item had before.
    public struct FormerVersion: Codable, Sendable, Equatable {
        /// The version that the item had with it.
        public var version: Int64
        /// When it was set.
        public var set: Int64
        /// What reading it takes: the item's access control of that time.
        public var access: AccessControl
        /// The broker does not give it out after this time. It may drop it earlier, to keep newer values of the item.
        public var until: Int64

        public init(version: Int64, set: Int64, access: AccessControl, until: Int64) {
            self.version = version
            self.set = set
            self.access = access
            self.until = until
        }
    }

    /// What a vault keeps of values that were replaced.
    public struct HistorySetting: Codable, Sendable, Equatable {
        /// The most former values of one item, 0 to 10. 0: none.
        public var values: Int64
        /// For how many days, 0 to 366. 0: none.
        public var days: Int64

        public init(values: Int64, days: Int64) {
            self.values = values
            self.days = days
        }
    }

    /// The state of a vault.
    public struct VaultState: Codable, Sendable, Equatable {
        /// It is none (no vault yet), sealed (not opened since the broker started), locked or unlocked.
        public var state: State
        /// Since when it is in this state.
        public var since: Int64?
        public var items: Int64?
        /// True if opening the vault takes the login password. Otherwise it is absent.
        public var bound: Bool?
        /// The registers that the vault is tied to. It is absent if the vault is not tied to the boot.
        public var boot: [Int64]?
        /// The NV index of the TPM's counter that reveals an older copy of the vault's file. It is absent if there is
        /// no counter.
        public var counter: Int64?
        /// False: the TPM has not counted the last deletions or stricter access controls yet, so an older copy of the
        /// file can still undo them. Otherwise it is absent.
        public var protected: Bool?

        public init(
            state: State, since: Int64? = nil, items: Int64? = nil, bound: Bool? = nil, boot: [Int64]? = nil,
            counter: Int64? = nil, protected: Bool? = nil
        ) {
            self.state = state
            self.since = since
            self.items = items
            self.bound = bound
            self.boot = boot
            self.counter = counter
            self.protected = protected
        }
    }

    /// A boot under which a vault opens.
    public struct ApprovedBoot: Codable, Sendable, Equatable {
        /// SHA-256 over the values of the vault's registers in their order, hex.
        public var digest: String
        /// When it was approved.
        public var approved: Int64

        public init(digest: String, approved: Int64) {
            self.digest = digest
            self.approved = approved
        }
    }

    /// How a vault is tied to the measured boot.
    public struct BootState: Codable, Sendable, Equatable {
        /// The registers that tell one boot from another.
        public var registers: [Int64]
        /// The boots under which the vault opens.
        public var approved: [ApprovedBoot]
        /// The present digest of these registers, hex.
        public var now: String
        /// The vault opens under this boot.
        public var isApproved: Bool

        public init(registers: [Int64], approved: [ApprovedBoot], now: String, isApproved: Bool) {
            self.registers = registers
            self.approved = approved
            self.now = now
            self.isApproved = isApproved
        }
    }

    /// A digest that was measured in this boot, and the one that will replace it.
    public struct Replacement: Codable, Sendable, Equatable {
        /// SHA-256, hex.
        public var old: String
        /// SHA-256, hex.
        public var new: String

        public init(old: String, new: String) {
            self.old = old
            self.new = new
        }
    }

    /// What a register will hold.
    public struct RegisterValue: Codable, Sendable, Equatable {
        public var register: Int64
        /// SHA-256, hex.
        public var value: String

        public init(register: Int64, value: String) {
            self.register = register
            self.value = value
        }
    }

    /// Whether there is a recovery code.
    public struct RecoveryState: Codable, Sendable, Equatable {
        /// When the valid code was made. It is absent if there is none.
        public var made: Int64?

        public init(made: Int64? = nil) { self.made = made }
    }

    /// What seals the vault.
    public struct Sealer: Codable, Sendable, Equatable {
        /// It is tpm or software.
        public var kind: String
        public var manufacturer: String?
        public var model: String?
        /// How the TPM is known, besides by the pinned storage key: certified, issuerUnknown, foreignCertificate,
        /// noCertificate. It is absent if Diagnose was not called since the broker started.
        public var identity: String?

        public init(kind: String, manufacturer: String? = nil, model: String? = nil, identity: String? = nil) {
            self.kind = kind
            self.manufacturer = manufacturer
            self.model = model
            self.identity = identity
        }
    }

    /// One record of the access log. It has names, and never a value.
    public struct LogRecord: Codable, Sendable, Equatable {
        /// Its number. The next record's number is one higher.
        public var sequence: Int64
        public var time: Int64
        /// What was done: create, unlock, lock, read, set, edit, rename, delete, recovery, bind, unbind, rotate, tie,
        /// release, approve, lease (granted), lease-end. rollback: an older copy of the vault's file was refused.
        /// accept: root has accepted one. The log writes four events of its own. start: the log begins. dropped: old
        /// records were dropped. broken: earlier records are missing or changed. cut: the end was lost, for example
        /// by a power cut.
        public var event: String
        /// It is done, or one word for why it was refused: expired, cancelled, locked, password, and so on.
        /// authentication-required: a person was needed, but the program had none asked. expired: nobody answered in
        /// time.
        public var outcome: String
        public var uid: Int64?
        public var pid: Int64?
        /// If resolved, the program that the process ran when it connected. Otherwise the name that the process gives
        /// itself.
        public var program: String?
        /// The kernel named the program at that moment. The process may have run something else since.
        public var resolved: Bool
        public var controlGroup: String?
        public var item: String?
        public var service: String?
        public var account: String?
        /// The item's kind. It is absent if that is generic.
        public var kind: ItemKind?
        public var require: [String]
        /// Why the program asks, in its own words.
        public var reason: String?
        public var detail: String?
        /// How many records before this one could not be written.
        public var missed: Int64?

        public init(
            sequence: Int64, time: Int64, event: String, outcome: String, uid: Int64? = nil, pid: Int64? = nil,
            program: String? = nil, resolved: Bool, controlGroup: String? = nil, item: String? = nil,
            service: String? = nil, account: String? = nil, kind: ItemKind? = nil, require: [String],
            reason: String? = nil, detail: String? = nil, missed: Int64? = nil
        ) {
            self.sequence = sequence
            self.time = time
            self.event = event
            self.outcome = outcome
            self.uid = uid
            self.pid = pid
            self.program = program
            self.resolved = resolved
            self.controlGroup = controlGroup
            self.item = item
            self.service = service
            self.account = account
            self.kind = kind
            self.require = require
            self.reason = reason
            self.detail = detail
            self.missed = missed
        }
    }

    /// One change of Apply.
    public struct Change: Codable, Sendable, Equatable {
        /// It is set, delete or deleteService.
        public var action: Action
        public var service: String
        /// It is left out for deleteService, and only there.
        public var account: String?
        /// As for Set. For deleteService: only items of this kind. If it is left out, items of all kinds.
        public var kind: ItemKind?
        /// This one and what follows are as for Set, and only for set. ifRevision is for delete, too. Base64.
        public var value: String?
        public var access: AccessChange?
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]?
        public var expires: Int64?
        public var mode: SetMode?
        public var ifRevision: String?
        public var applicationPassword: String?

        public init(
            action: Action, service: String, account: String? = nil, kind: ItemKind? = nil, value: String? = nil,
            access: AccessChange? = nil, label: String? = nil, comment: String? = nil,
            attributes: [String: String]? = nil, expires: Int64? = nil, mode: SetMode? = nil, ifRevision: String? = nil,
            applicationPassword: String? = nil
        ) {
            self.action = action
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
        }
    }

    /// What became of one change.
    public struct ChangeResult: Codable, Sendable, Equatable {
        /// The item's id. It is absent if there was no item to delete, and if several were deleted.
        public var item: String?
        /// The item's version and revision. They are there for set only.
        public var version: Int64?
        public var revision: String?
        /// When the former value was set. It is there for a set that replaced one.
        public var replaced: Int64?
        /// How many items were deleted.
        public var deleted: Int64

        public init(
            item: String? = nil, version: Int64? = nil, revision: String? = nil, replaced: Int64? = nil,
            deleted: Int64 = 0
        ) {
            self.item = item
            self.version = version
            self.revision = revision
            self.replaced = replaced
            self.deleted = deleted
        }
    }

    /// An item that a call about several items names.
    public struct ItemName: Codable, Sendable, Equatable {
        public var service: String
        /// It is left out if the service has one account only.
        public var account: String?
        /// As for Set.
        public var kind: ItemKind?

        public init(service: String, account: String? = nil, kind: ItemKind? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
        }
    }

    /// An item and its value.
    public struct ItemValue: Codable, Sendable, Equatable {
        /// Base64.
        public var value: String
        public var item: Item

        public init(value: String, item: Item) {
            self.value = value
            self.item = item
        }
    }
}
