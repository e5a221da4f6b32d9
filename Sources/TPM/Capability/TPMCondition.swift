/// How a TPM is doing, for a person who wants to know why something does not work.
public struct TPMCondition: Sendable, Hashable {
    /// Who made it.
    public let description: TPMDescription
    /// Revision of the specification in hundredths: 138 is 1.38. 0 where the TPM does not say.
    public let revision: UInt32
    /// The maker's own numbering, as two numbers of 32 bits in hexadecimal.
    public let firmware: String
    /// What the three hierarchies' passwords are: mostly none.
    public let passwords: Passwords
    public let lockout: Lockout
    public let handles: Handles
    /// Whether a PIN's tries can be counted in the TPM, by its revision.
    public let supportsPINIndexes: Bool
    /// Whether a policy can be approved and revoked in the TPM.
    public let supportsPolicyIndexes: Bool

    public struct Passwords: Sendable, Hashable {
        public let owner: Bool
        public let endorsement: Bool
        public let lockout: Bool
    }

    /// The dictionary-attack protection that all programs share; Coffer's own objects do not take part in it.
    public struct Lockout: Sendable, Hashable {
        public let isActive: Bool
        public let failures: UInt32
        public let allowedFailures: UInt32
        /// After so many seconds one failure is forgotten.
        public let secondsPerFailure: UInt32
        /// So many seconds after a wrong lockout password another can be tried.
        public let secondsOfRecovery: UInt32

        /// How long at most until other programs' keys work again, in seconds.
        public var secondsLeft: UInt64 {
            guard isActive, failures >= allowedFailures else { return 0 }
            return (UInt64(failures) - UInt64(allowedFailures) + 1) * UInt64(secondsPerFailure)
        }
    }

    /// What is in use. Behind a resource manager transient objects and sessions are this connection's only.
    public struct Handles: Sendable, Hashable {
        public let nvIndexes: [UInt32]
        public let persistent: [UInt32]
        public let transient: [UInt32]
        /// Loaded and saved.
        public let sessions: [UInt32]
        /// How many more transient and persistent objects, and sessions, there is room for, as the TPM guesses.
        public let roomForTransient: UInt32
        public let roomForPersistent: UInt32
        public let roomForSessions: UInt32

        /// Coffer's own indexes, by their range.
        public var ownIndexes: [NVHandle] { nvIndexes.compactMap(NVHandle.init) }
    }
}

extension TPMContext {
    /// Eight commands, none of them with a secret or an authorization.
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
            supportsPINIndexes: revision >= PINIndex.firstRevision,
            supportsPolicyIndexes: try Capability.has(.policyAuthorizeNV, channel))
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
