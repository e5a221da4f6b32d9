import Authorization

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
            throw .damaged("an index of the TPM has an impossible handle")
        }
        switch kind {
        case 1: self = .password(pin)
        case 2: self = .boots(pin)
        default: throw .damaged("an index of the TPM is of an unknown kind")
        }
    }
}
