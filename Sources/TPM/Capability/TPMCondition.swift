/// The condition of a TPM, for a person who wants to know why something fails.
public struct TPMCondition: Sendable, Hashable {
    /// The TPM's maker and model.
    public let description: TPMDescription
    /// The specification's revision in hundredths: 138 means 1.38. 0 if the TPM does not tell.
    public let revision: UInt32
    /// The maker's firmware version: two 32-bit numbers in hexadecimal.
    public let firmware: String
    /// Whether each of three hierarchies has a password. Most TPMs have none.
    public let passwords: Passwords
    public let lockout: Lockout
    public let handles: Handles
    /// The room for NV indexes.
    public let nvRoom: NVRoom
    /// Whether the TPM can count a PIN's tries. Its revision tells.
    public let supportsPINIndexes: Bool
    /// Whether the TPM can approve and revoke policies.
    public let supportsPolicyIndexes: Bool

    public struct Passwords: Sendable, Hashable {
        public let owner: Bool
        public let endorsement: Bool
        public let lockout: Bool
    }

    /// The dictionary-attack protection, which all programs share. Coffer's own objects are exempt from it.
    public struct Lockout: Sendable, Hashable {
        public let isActive: Bool
        public let failures: UInt32
        public let allowedFailures: UInt32
        /// The TPM forgets one failure after this many seconds.
        public let secondsPerFailure: UInt32
        /// After a wrong lockout password, the next try is possible after this many seconds.
        public let secondsOfRecovery: UInt32

        /// The longest time until other programs' keys work again, in seconds.
        public var secondsLeft: UInt64 {
            guard isActive, failures >= allowedFailures else { return 0 }
            return (UInt64(failures) - UInt64(allowedFailures) + 1) * UInt64(secondsPerFailure)
        }
    }

    /// The handles in use. Behind a resource manager, transient objects and sessions are only this connection's.
    public struct Handles: Sendable, Hashable {
        public let nvIndexes: [UInt32]
        public let persistent: [UInt32]
        public let transient: [UInt32]
        /// Loaded and saved sessions.
        public let sessions: [UInt32]
        /// The TPM's estimates of how many more transient objects, persistent objects and sessions fit.
        public let roomForTransient: UInt32
        public let roomForPersistent: UInt32
        public let roomForSessions: UInt32

        /// The indexes in Coffer's own range.
        public var ownIndexes: [NVHandle] { nvIndexes.compactMap(NVHandle.init) }
    }
}

extension TPMContext {
    /// Takes eight commands or more (a long list takes several), none with a secret or an authorization.
    public func condition() throws(TPMError) -> TPMCondition {
        let channel = engine.channel
        let fixed = try Capability.properties(from: 0x100, count: 64, channel)
        let variable = try Capability.properties(from: 0x200, count: 64, channel)
        // `TPM_PT_PERMANENT`. Part 2, "TPMA_PERMANENT".
        let permanent = variable[0x200] ?? 0
        let revision = fixed[0x102] ?? 0
        return TPMCondition(
            description: TPMDescription(fixed), revision: revision,
            firmware: Self.hexadecimal(fixed[0x10B] ?? 0) + " " + Self.hexadecimal(fixed[0x10C] ?? 0),
            passwords: TPMCondition.Passwords(
                owner: permanent & 1 != 0, endorsement: permanent & 2 != 0, lockout: permanent & 4 != 0),
            lockout: TPMCondition.Lockout(
                isActive: permanent & 1 << 9 != 0, failures: variable[0x20E] ?? 0,
                allowedFailures: variable[0x20F] ?? 0, secondsPerFailure: variable[0x210] ?? 0,
                secondsOfRecovery: variable[0x211] ?? 0),
            handles: TPMCondition.Handles(
                nvIndexes: try Capability.handles(.nvIndex, channel),
                persistent: try Capability.handles(.persistent, channel),
                transient: try Capability.handles(.transient, channel),
                sessions: try Capability.handles(.loadedSessions, channel)
                    + Capability.handles(.savedSessions, channel),
                roomForTransient: variable[0x207] ?? 0, roomForPersistent: variable[0x209] ?? 0,
                roomForSessions: min(variable[0x204] ?? 0, variable[0x206] ?? 0)),
            nvRoom: NVRoom(fixed: fixed, variable: variable), supportsPINIndexes: revision >= PINIndex.firstRevision,
            supportsPolicyIndexes: try Capability.has(.policyAuthorizeNV, channel))
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
