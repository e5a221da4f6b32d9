import Cryptography

/// A TPM's word that it has loaded certain keys: `TPM2_GetSessionAuditDigest` of a session that covered a `TPM2_Load` of
/// each. A key that says that it is fixed to its TPM, and that can be loaded there, was made there. TPM 2.0 Library,
/// Part 1, "Audit Session", and Part 3, section 18.5.
public struct AttestedLoads: Sendable {
    /// One key, as it was loaded.
    public struct Load: Sendable {
        /// `TPMT_PUBLIC`.
        let area: [UInt8]
        /// A marshalled `TPM2B_PRIVATE`. The TPM alone can read it.
        let privateArea: [UInt8]

        /// A key of a vault's, whose public area follows from its point.
        ///
        /// - Parameter record: names the vault, its authenticator's key and its generation.
        /// - Throws: `.invalidKey` for a role without a point.
        public init(
            _ role: ObjectRole, point: [UInt8], privateArea: [UInt8], in record: RegistryRecord
        ) throws(CryptographyError) {
            area = try GuardedKeyName.area(role, point: point, in: record)
            self.privateArea = privateArea
        }
    }

    /// `TPMS_ATTEST`.
    public let statement: [UInt8]
    /// By the attestation key, `r ‖ s`, 64 bytes.
    public let signature: [UInt8]

    public init(statement: [UInt8], signature: [UInt8]) {
        (self.statement, self.signature) = (statement, signature)
    }

    /// Whether the TPM of the attestation key has loaded exactly these keys, in this order.
    ///
    /// - Parameters:
    ///   - parent: the Name of the key under which they were loaded, 34 bytes.
    ///   - qualifying: what was to be signed besides.
    /// - Throws: `.invalidKey`, `.invalidSignature` for bytes that are none, `.library`.
    public func cover(
        _ loads: [Load], parent: [UInt8], qualifying: [UInt8], by identity: MachineIdentity
    ) throws(CryptographyError) -> Bool {
        guard try P256.isValid(signature: signature, for: statement, publicKey: identity.attestation),
            let said = Said(statement), ConstantTime.equal(said.qualifying, qualifying)
        else { return false }
        return said.digest == (try Self.digest(of: loads, under: parent))
    }

    /// The audit digest that a session has after these commands. Part 1, "Session Audit".
    static func digest(of loads: [Load], under parent: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let command = BigEndian.bytes(0x0000_0157 as UInt32)
        var digest = [UInt8](repeating: 0, count: SHA256.count)
        for load in loads {
            let asked = try SHA256.digest(command + parent + load.privateArea + GuardedKeyName.sized(load.area))
            let success = BigEndian.bytes(0 as UInt32)
            let answered = try SHA256.digest(
                success + command + GuardedKeyName.sized(GuardedKeyName.name(of: load.area)))
            digest = try SHA256.digest(digest + asked + answered)
        }
        return digest
    }

    /// What counts of a `TPMS_ATTEST`. Part 2, section 10.12.
    private struct Said {
        let qualifying: [UInt8]
        let digest: [UInt8]

        /// - Returns: nil for anything but a session's audit digest.
        init?(_ bytes: [UInt8]) {
            var rest = bytes[...]
            // TPM_GENERATED_VALUE, which no restricted key signs unless the TPM made it; TPM_ST_ATTEST_SESSION_AUDIT
            guard Self.take(&rest, 6) == [0xFF, 0x54, 0x43, 0x47, 0x80, 0x16],
                Self.sized(&rest) != nil, let qualifying = Self.sized(&rest),
                // The clock, the version of the firmware, and whether the session was the only one.
                Self.take(&rest, 17 + 8 + 1) != nil,
                let digest = Self.sized(&rest), rest.isEmpty
            else { return nil }
            (self.qualifying, self.digest) = (qualifying, digest)
        }

        private static func take(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> [UInt8]? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }

        private static func sized(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
            guard let size = take(&rest, 2) else { return nil }
            return take(&rest, Int(size[0]) << 8 | Int(size[1]))
        }
    }
}
