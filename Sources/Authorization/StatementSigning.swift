import Cryptography

/// What the signing of one statement about a circle's members must be, computed without a TPM (docs/vault-format.md,
/// "Signing keys of a circle").
///
/// The authenticator has the record from its own registry and the statement from the broker. With this it computes
/// itself what it signs for. So the person reads the very statement that the membership key signs.
public struct StatementSigning: Sendable {
    /// The Name that the membership key must have, 34 bytes.
    public let name: [UInt8]

    /// - Parameter membershipPoint: the membership key's public point, 65 bytes.
    /// - Throws: `.invalidKey` unless the point lies on P-256.
    public init(record: RegistryRecord, membershipPoint: [UInt8]) throws(CryptographyError) {
        guard P256.isOnCurve(membershipPoint) else {
            throw CryptographyError(code: .invalidKey, reason: "a membership key's point does not lie on P-256")
        }
        name = try GuardedKeyName.of(.membershipKey, point: membershipPoint, in: record)
    }

    /// The parameter hash of `TPM2_Sign` with this key, 32 bytes. TPM 2.0 Library, Part 1, section 16.7, and Part 3,
    /// section 20.2.
    ///
    /// - Parameter digest: SHA-256 of the statement.
    /// - Throws: `.invalidLength` unless the digest has 32 bytes. Another length would move what follows it.
    public func parameterHash(ofDigest digest: [UInt8]) throws(CryptographyError) -> [UInt8] {
        guard digest.count == SHA256.count else {
            throw CryptographyError(code: .invalidLength, reason: "the digest of a statement has 32 bytes")
        }
        // The key's own scheme, and a ticket that says that the TPM did not make the digest.
        let scheme = BigEndian.bytes(GuardedKeyName.Number.none)
        let ticket =
            BigEndian.bytes(0x8024 as UInt16) + BigEndian.bytes(0x4000_0007 as UInt32) + GuardedKeyName.sized([])
        return try SHA256.digest(
            BigEndian.bytes(0x0000_015D as UInt32) + name + GuardedKeyName.sized(digest) + scheme + ticket)
    }
}
