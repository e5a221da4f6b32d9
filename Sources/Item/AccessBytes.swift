/// An access control's six bytes (docs/vault-format.md, "item").
extension AccessControl {
    /// The length of ``encoded`` in bytes.
    package static let encodedCount = 6

    package var encoded: [UInt8] {
        let joined: UInt8 = requirements.count < 2 ? 0 : anyIsEnough ? 2 : 1
        let bits = requirements.bits
        return [1, accessibility.number, isThisDeviceOnly ? 1 : 0, joined, UInt8(bits >> 8), UInt8(bits & 0xFF)]
    }

    /// Parses six bytes. They must be exactly what ``encoded`` would return.
    ///
    /// - Throws: for anything else.
    package init(decoding bytes: [UInt8]) throws(AccessControlError) {
        guard bytes.count == Self.encodedCount,
            let accessibility = Accessibility.allCases.first(where: { $0.number == bytes[1] }),
            let requirements = Set<Requirement>(bits: UInt16(bytes[4]) << 8 | UInt16(bytes[5]))
        else { throw .unknown }
        try self.init(
            accessibility, isThisDeviceOnly: bytes[2] == 1, requirements: requirements, anyIsEnough: bytes[3] == 2)
        guard encoded == bytes else { throw .unknown }
    }
}

extension AccessControl.Accessibility {
    /// The number of its class in every format.
    package var number: UInt8 {
        switch self {
        case .whenUnlocked: 1
        case .afterFirstUnlock: 2
        case .passcodeSet: 3
        case .always: 4
        }
    }
}

extension Set<AccessControl.Requirement> {
    /// As every format has them.
    package var bits: UInt16 { reduce(0) { $0 | $1.bit } }

    /// - Returns: nil if a bit means nothing.
    package init?(bits: UInt16) {
        self = Set(AccessControl.Requirement.allCases.filter { bits & $0.bit != 0 })
        guard self.bits == bits else { return nil }
    }
}

extension AccessControl.Requirement {
    /// Its bit. The cases are declared in this order, and every format keeps everything in it.
    fileprivate var bit: UInt16 {
        switch self {
        case .userPresence: 1 << 0
        case .biometryAny: 1 << 1
        case .biometryCurrentSet: 1 << 2
        case .devicePasscode: 1 << 3
        case .applicationPassword: 1 << 4
        }
    }
}
