/// `org.coffer.Keychain`, spoken between a client and the broker.
public enum Keychain {
    /// The interface's name.
    public static let interface = "org.coffer.Keychain"

    public struct AccessControl: Codable, Sendable, Equatable {
        public var accessibility: Accessibility
        public var thisDeviceOnly: Bool
        public var require: [Constraint]
        public var any: Bool

        public init(
            accessibility: Accessibility = .whenUnlocked, thisDeviceOnly: Bool = false, require: [Constraint] = [],
            any: Bool = false
        ) {
            self.accessibility = accessibility
            self.thisDeviceOnly = thisDeviceOnly
            self.require = require
            self.any = any
        }
    }

    public enum Accessibility: String, Codable, Sendable, CaseIterable {
        case whenUnlocked = "when-unlocked"
        case afterFirstUnlock = "after-first-unlock"
        case passcodeSet = "passcode-set"
        case always
    }

    public enum Constraint: String, Codable, Sendable, CaseIterable {
        case presence
        case biometry
        case biometryCurrentSet = "biometry-current-set"
        case passcode
        case appPassword = "app-password"
    }

    public struct Item: Codable, Sendable, Equatable {
        public var id: String
        public var service: String
        public var account: String
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]
        public var access: AccessControl
        /// Milliseconds since 1970-01-01 UTC, as all times here.
        public var created: Int64
        public var modified: Int64
        public var expires: Int64?
        public var version: Int64
        /// The enrolled fingers that the value is bound to, as the authenticator's Biometry names them; nil where it is bound to no set of them.
        public var biometrySet: String?

        public init(
            id: String, service: String, account: String, label: String?, comment: String?,
            attributes: [String: String],
            access: AccessControl, created: Int64, modified: Int64, expires: Int64?, version: Int64,
            biometrySet: String? = nil
        ) {
            self.id = id
            self.service = service
            self.account = account
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.access = access
            self.created = created
            self.modified = modified
            self.expires = expires
            self.version = version
            self.biometrySet = biometrySet
        }
    }

    public struct VaultState: Codable, Sendable, Equatable {
        public var state: State
        public var since: Int64?
        public var items: Int64?
        /// Whether opening it takes the login password; absent where it is not.
        public var bound: Bool?
        /// The registers that tell the boot which the vault is tied to; absent where it is tied to none.
        public var boot: [Int64]?
        /// The TPM's counter by which an older copy of the vault's file is noticed, its handle; absent where there is none.
        public var counter: Int64?

        public init(
            state: State, since: Int64? = nil, items: Int64? = nil, bound: Bool? = nil, boot: [Int64]? = nil,
            counter: Int64? = nil
        ) {
            self.boot = boot
            self.bound = bound
            self.counter = counter
            self.state = state
            self.since = since
            self.items = items
        }

        public enum State: String, Codable, Sendable, CaseIterable {
            /// There is no vault yet.
            case none
            /// Not unlocked since the broker started.
            case sealed
            case locked
            case unlocked
        }
    }

    public struct Sealer: Codable, Sendable, Equatable {
        public var kind: String
        public var manufacturer: String?
        public var model: String?
        /// How the TPM is known: `certified`, `issuerUnknown`, `foreignCertificate`, `noCertificate`; nil where nobody has asked since the broker started.
        public var identity: String?

        public init(kind: String, manufacturer: String? = nil, model: String? = nil, identity: String? = nil) {
            self.kind = kind
            self.manufacturer = manufacturer
            self.model = model
            self.identity = identity
        }
    }

    /// What locks a vault by itself.
    public struct LockCauses: Codable, Sendable, Equatable {
        public var screen: Bool
        public var sleep: Bool
        /// nil where it is not locked for want of use.
        public var idleMinutes: Int64?

        public init(screen: Bool = false, sleep: Bool = false, idleMinutes: Int64? = nil) {
            self.screen = screen
            self.sleep = sleep
            self.idleMinutes = idleMinutes
        }
    }

    /// What `Set` does when the item is or is not there.
    public enum SetMode: String, Codable, Sendable, CaseIterable {
        case replace, new, existing
    }

    /// What a person is asked for.
    public enum Purpose: String, Codable, Sendable, CaseIterable {
        case create, unlock, read, recovery
        /// To change for good what it takes to read an item; the value is taken out for that.
        case change
        /// To give an item another name, by which it is asked for from then on.
        case rename
        /// To hold the vault to the login password, or no longer.
        case bind, unbind
        /// To take the vault's file for the newest, though the TPM has not counted it so. Root asks.
        case accept
        /// To tie the vault to the boot that the machine was started with, or no longer.
        case tieToBoot, releaseFromBoot
        /// To have it open under another boot, or under this one alone.
        case approveBoot
        /// To renew all keys of the vault.
        case rotate
        /// Nobody is asked: the authenticator looks which fingers are enrolled.
        case enrolment
    }

    public struct ItemReply: Codable, Sendable, Equatable {
        public var item: Item

        public init(item: Item) { self.item = item }
    }

    public struct ItemsReply: Codable, Sendable, Equatable {
        public var items: [Item]

        public init(items: [Item]) { self.items = items }
    }

    public struct VaultReply: Codable, Sendable, Equatable {
        public var vault: VaultState

        public init(vault: VaultState) { self.vault = vault }
    }
}
