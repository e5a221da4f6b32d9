import Authorization
import Item

/// An access control's six bytes (docs/vault-format.md, "item").
extension AccessControl {
    /// The length of `encoded` in bytes.
    static let encodedCount = 6

    var encoded: [UInt8] {
        let joined: UInt8 = requirements.count < 2 ? 0 : anyIsEnough ? 2 : 1
        return [1, KeyClass.Kind(accessibility).rawValue, isThisDeviceOnly ? 1 : 0, joined]
            + BigEndian.bytes(requirements.bits)
    }

    /// Parses six bytes. They must be exactly what `encoded` would return.
    ///
    /// - Throws: for anything else.
    init(decoding bytes: [UInt8]) throws(AccessControlError) {
        guard bytes.count == Self.encodedCount,
            let accessibility = Accessibility.allCases.first(where: { KeyClass.Kind($0).rawValue == bytes[1] }),
            let requirements = Set<Requirement>(bits: UInt16(bytes[4]) << 8 | UInt16(bytes[5]))
        else { throw .unknown }
        try self.init(
            accessibility, isThisDeviceOnly: bytes[2] == 1, requirements: requirements, anyIsEnough: bytes[3] == 2)
        guard encoded == bytes else { throw .unknown }
    }
}

extension Set<AccessControl.Requirement> {
    /// As the file has them.
    var bits: UInt16 { reduce(0) { $0 | $1.bit } }

    /// - Returns: nil if a bit means nothing.
    init?(bits: UInt16) {
        self = Set(AccessControl.Requirement.allCases.filter { bits & $0.bit != 0 })
        guard self.bits == bits else { return nil }
    }

    /// The constraint keys needed for reading, in order. The application password has no such key.
    public var roles: [ObjectRole] { inOrder.compactMap(\.role) }
}

extension AccessControl.Requirement {
    /// Its bit in the file. The cases are declared in this order, and the file keeps everything in it.
    fileprivate var bit: UInt16 {
        switch self {
        case .userPresence: 1 << 0
        case .biometryAny: 1 << 1
        case .biometryCurrentSet: 1 << 2
        case .devicePasscode: 1 << 3
        case .applicationPassword: 1 << 4
        }
    }

    /// Its key in the vault.
    var role: ObjectRole? {
        switch self {
        case .userPresence: .presence
        case .biometryAny: .biometryAny
        case .biometryCurrentSet: .biometryCurrentSet
        case .devicePasscode: .passcode
        case .applicationPassword: nil
        }
    }
}
