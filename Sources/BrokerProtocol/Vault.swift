import JSON
import Varlink

extension Keychain {
    /// Which vault a call is about; all methods but `CreateVault` take these. With neither it is the caller's own.
    public struct VaultChoice: Sendable, Hashable {
        /// A group's name: the caller must be a member.
        public var group: String?
        /// The name of an account with a service vault: root only.
        public var user: String?

        public init(group: String? = nil, user: String? = nil) {
            self.group = group
            self.user = user
        }
    }

    /// A method together with the vault that it is about: on the wire the parameters of both are one object.
    public struct InVault<Method: VarlinkMethod>: VarlinkMethod {
        public typealias Reply = Method.Reply
        public static var name: String { Method.name }

        public var method: Method
        public var vault: VaultChoice

        public init(_ method: Method, _ vault: VaultChoice) {
            self.method = method
            self.vault = vault
        }

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            reader.note(["group", "user"])
            method = try Method(from: &reader)
            vault = VaultChoice(group: try reader.readNoted("group"), user: try reader.readNoted("user"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beside([("group", vault.group), ("user", vault.user)])
            method.write(to: &writer)
        }
    }
}

extension Keychain.VaultState {
    /// Whether a vault can be read.
    public enum State: String, JSONValue, CaseIterable {
        /// There is no vault yet.
        case none
        /// Not unlocked since the broker started.
        case sealed
        case locked
        case unlocked
    }
}

extension Keychain.BootCoverage {
    /// Whether a tie holds one part of the boot.
    public enum Part: String, JSONValue {
        case held, open
        /// The firmware's log does not tell.
        case unknown
    }
}

extension Keychain {
    /// The kind of `Damaged` that `AcceptVault` is the way forward from: an older copy of the file, or a counter that is gone.
    public static let rollback = "rollback"

    /// The kind of `Damaged` that ends when the missing file or record is put back.
    public static let missing = "missing"

    /// The kind of `Damaged` that concerns one item, which the message names. All other items can be used.
    public static let damagedItem = "item"

    /// The kind of `Failed` of a broker that is about to end.
    public static let stopping = "stopping"
}

extension BrokerInterface {
    /// The TPM's kind for a password that is not the one that the vault is bound to.
    public static let wrongPassword = "wrong-password"
}

extension Keychain.Event {
    /// What happened in a vault.
    public enum Kind: String, JSONValue, CaseIterable {
        /// An item, which the event names.
        case added, updated, deleted
        /// The vault.
        case locked, unlocked
        /// The vault's circle, its conflicts, or what it has given out or taken in.
        case sharing
        /// Events are left out here.
        case missed

        /// Takes a kind that this version does not know for ``missed``, because what it tells is missed.
        public init(from reader: inout JSONReader) throws(JSONFailure) {
            self = Self(rawValue: try reader.string()) ?? .missed
        }
    }
}
