import Authorization
import Cryptography

/// The roots for another binding or boot tie, or for the end of one, and the class keys under them. The file keeps them
/// beside those in use until the registry names one or the other (docs/vault-format.md, "A bound vault").
struct Transition: Sendable, Equatable {
    /// Sorted by role. The unlock root is always among them, and differs from the one in use.
    let objects: [SealedObject]
    /// As the keybag row will be.
    let keybag: [UInt8]
    /// The NV index made for the transition; nil if none was made.
    let index: VaultIndex?
    /// The NV index that nothing needs once the registry names the transition; nil if there is none.
    let formerIndex: VaultIndex?

    init(objects: [SealedObject], keybag: [UInt8], index: VaultIndex?, formerIndex: VaultIndex?) {
        self.objects = objects.sorted { $0.role.rawValue < $1.role.rawValue }
        self.keybag = keybag
        self.index = index
        self.formerIndex = formerIndex
    }

    var unlockRoot: SealedObject? { objects.first { $0.role == .unlockRoot } }

    var encoded: [UInt8] {
        let sealed = objects.reduce(into: [UInt8]()) { bytes, object in
            bytes += BigEndian.bytes(object.role.rawValue) + LengthPrefixed.encode(object.public, object.private)
        }
        return LengthPrefixed.encode(sealed, keybag, index?.encoded ?? [], formerIndex?.encoded ?? [])
    }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "the vault's next roots")
        objects = try Self.objects(reader.prefixed())
        keybag = try reader.prefixed()
        index = try Self.index(reader.prefixed())
        formerIndex = try Self.index(reader.prefixed())
        try reader.end()
    }

    private static func objects(_ bytes: [UInt8]) throws(VaultError) -> [SealedObject] {
        var reader = ByteReader(bytes, "the vault's next roots")
        var objects: [SealedObject] = []
        while !reader.isAtEnd {
            guard let role = ObjectRole(ofVault: try reader.integer()),
                role.rawValue > objects.last?.role.rawValue ?? 0
            else { throw .damaged("the vault's next roots are not in order") }
            objects.append(SealedObject(role: role, public: try reader.prefixed(), private: try reader.prefixed()))
        }
        guard objects.contains(where: { $0.role == .unlockRoot }) else {
            throw .damaged("the vault's next roots lack the unlock root")
        }
        return objects
    }

    private static func index(_ bytes: [UInt8]) throws(VaultError) -> VaultIndex? {
        bytes.isEmpty ? nil : try VaultIndex(decoding: bytes)
    }
}

/// An NV index that a vault's policies rely on. The kind decides which attributes it must have in the TPM.
public enum VaultIndex: Sendable, Hashable {
    /// Counts the tries of the password.
    case password(IndexPin)
    /// Holds the digest of the approved boots.
    case boots(IndexPin)

    public var pin: IndexPin {
        switch self {
        case .password(let pin), .boots(let pin): pin
        }
    }

    /// `u8 1 (password) or 2 (boots) ‖ u32 handle ‖ policy (32)`.
    var encoded: [UInt8] {
        let kind: UInt8 =
            switch self {
            case .password: 1
            case .boots: 2
            }
        return [kind] + BigEndian.bytes(pin.handle) + pin.policy
    }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "an index of the TPM")
        let kind: UInt8 = try reader.integer()
        let handle: UInt32 = try reader.integer()
        let policy = try reader.bytes(32)
        try reader.end()
        guard let pin = IndexPin(handle: handle, policy: policy) else {
            throw .damaged("a TPM index has an impossible handle")
        }
        switch kind {
        case 1: self = .password(pin)
        case 2: self = .boots(pin)
        default: throw .damaged("a TPM index is of an unknown kind")
        }
    }
}
