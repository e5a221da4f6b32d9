import Cryptography

/// The keys that make a machine's TPM known to others (docs/sync-format.md, "Proof of a TPM").
public struct MachineIdentity: Hashable, Sendable {
    /// The length in bytes: two points.
    public static let count = 2 * P256.pointCount

    /// The endorsement key of TCG's template L-2, 65 bytes.
    public let endorsement: [UInt8]
    /// The key that signs what the TPM says of itself, 65 bytes.
    public let attestation: [UInt8]

    /// - Throws: `.invalidKey` unless both are points of P-256.
    public init(endorsement: [UInt8], attestation: [UInt8]) throws(CryptographyError) {
        guard P256.isOnCurve(endorsement), P256.isOnCurve(attestation) else {
            throw CryptographyError(code: .invalidKey, reason: "a TPM's key does not lie on P-256")
        }
        (self.endorsement, self.attestation) = (endorsement, attestation)
    }

    public var bytes: [UInt8] { endorsement + attestation }

    /// The endorsement key's Name, 34 bytes. It stands for the machine in root's list.
    ///
    /// - Throws: `.library`.
    public var endorsementName: [UInt8] {
        get throws(CryptographyError) {
            // fixedTPM fixedParent sensitiveDataOrigin adminWithPolicy restricted decrypt
            let attributes: UInt32 = 0x0003_00B2
            // AES-128-CFB, no scheme, P-256, no KDF.
            let parameters: [UInt8] = [0, 6, 0, 0x80, 0, 0x43, 0, 0x10, 0, 3, 0, 0x10]
            return try GuardedKeyName.name(
                of: BigEndian.bytes(GuardedKeyName.Number.ecc) + BigEndian.bytes(GuardedKeyName.Number.sha256)
                    + BigEndian.bytes(attributes) + GuardedKeyName.sized(Self.endorsementPolicy()) + parameters
                    + GuardedKeyName.sized(Array(endorsement[1..<33]))
                    + GuardedKeyName.sized(Array(endorsement[33...])))
        }
    }

    /// The attestation key's Name, 34 bytes. No other key has it: not one outside of a TPM, and none that signs what
    /// somebody hands to it.
    ///
    /// - Throws: `.library`.
    var attestationName: [UInt8] {
        get throws(CryptographyError) {
            // fixedTPM fixedParent sensitiveDataOrigin userWithAuth noDA restricted sign
            try GuardedKeyName.name(
                of: GuardedKeyName.key(
                    attributes: 0x0005_0472, policy: [], scheme: GuardedKeyName.ecdsa, attestation))
        }
    }

    /// PolicySecret with the endorsement hierarchy.
    private static func endorsementPolicy() throws(CryptographyError) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: SHA256.count)
        let first = try SHA256.digest(
            zeros + BigEndian.bytes(0x0000_0151 as UInt32) + BigEndian.bytes(0x4000_000B as UInt32))
        return try SHA256.digest(first)
    }
}
