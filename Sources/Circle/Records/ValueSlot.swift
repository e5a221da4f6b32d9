import Authorization
import Cryptography
import Item

/// A way to a value's item key.
package enum ValueSlot: Hashable, Sendable {
    /// For all members of the record's generation, while their vaults can read this class.
    case members(ValueClass, ephemeral: [UInt8], wrappedKey: [UInt8])
    /// For one device, which asks its person. `name` is the digest of the name by which it asks, 32 bytes. `content` is the
    /// slot as that vault keeps it (docs/vault-format.md, “slot”).
    case device(WriterID, name: [UInt8], content: [UInt8])
    /// Of a kind that this reader does not know. Others can use it.
    case unknown(kind: UInt8, content: [UInt8])

    /// The length of a wrapped key in bytes.
    package static let wrappedCount = AESGCM.keyCount + AESGCM.overhead

    package var bytes: [UInt8] {
        switch self {
        case .members(let valueClass, let ephemeral, let wrapped): [1, valueClass.rawValue] + ephemeral + wrapped
        case .device(let device, let name, let content): [2] + device.bytes + name + content
        case .unknown(let kind, let content): [kind] + content
        }
    }

    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        switch try rest.integer(UInt8.self) {
        case 1:
            guard let valueClass = ValueClass(rawValue: try rest.integer()) else { throw .kind }
            let (ephemeral, wrapped) = (try rest.take(X25519.count), try rest.take(Self.wrappedCount))
            try rest.end()
            self = .members(valueClass, ephemeral: ephemeral, wrappedKey: wrapped)
        case 2:
            let (device, name) = (try rest.device(), try rest.take(SHA256.count))
            guard !rest.isEmpty else { throw .length }
            self = .device(device, name: name, content: Array(rest))
        case let kind: self = .unknown(kind: kind, content: Array(rest))
        }
    }
}

/// The class key of a generation that a slot is for.
package enum ValueClass: UInt8, Sendable {
    case whenUnlocked = 1
    case afterFirstUnlock = 2

    /// - Returns: nil for what does not travel.
    package init?(_ access: AccessControl) {
        guard access.travels else { return nil }
        switch access.accessibility {
        case .whenUnlocked: self = .whenUnlocked
        case .afterFirstUnlock: self = .afterFirstUnlock
        case .always, .passcodeSet: return nil
        }
    }
}
