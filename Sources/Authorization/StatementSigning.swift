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
        name =
            switch record.sealer {
            case .tpm: try Self.name(of: Self.template(record, membershipPoint))
            case .software: try Self.name(of: Self.softwareArea(record, membershipPoint))
            }
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
        let scheme = BigEndian.bytes(Number.none)
        let ticket = BigEndian.bytes(0x8024 as UInt16) + BigEndian.bytes(0x4000_0007 as UInt32) + Self.sized([])
        return try SHA256.digest(BigEndian.bytes(0x0000_015D as UInt32) + name + Self.sized(digest) + scheme + ticket)
    }

    /// `TPMT_PUBLIC` of the membership key under the TPM sealer. Part 2, section 12.2.4.
    private static func template(_ record: RegistryRecord, _ point: [UInt8]) throws(CryptographyError) -> [UInt8] {
        // fixedTPM fixedParent sensitiveDataOrigin adminWithPolicy noDA sign
        try key(attributes: 0x0004_04B2, policy: policy(record), point)
    }

    /// PolicySigned by the authenticator, then the generation if the vault has one, then the key's password. Part 1,
    /// section 19.7.
    private static func policy(_ record: RegistryRecord) throws(CryptographyError) -> [UInt8] {
        // sign userWithAuth: the public half of a key that is outside of the TPM.
        let signer = try name(of: key(attributes: 0x0004_0040, policy: [], record.authenticatorKey))
        var policy = [UInt8](repeating: 0, count: SHA256.count)
        policy = try SHA256.digest(policy + BigEndian.bytes(0x0000_0160 as UInt32) + signer)
        policy = try SHA256.digest(policy + record.policyReference(for: .circle).digest())
        if let generation = record.generation {
            policy = try SHA256.digest(policy + BigEndian.bytes(0x0000_0151 as UInt32) + name(of: index(generation)))
            // With an empty reference.
            policy = try SHA256.digest(policy)
        }
        return try SHA256.digest(policy + BigEndian.bytes(0x0000_016B as UInt32))
    }

    /// `TPMS_NV_PUBLIC` of a generation index. Part 2, section 13.5.
    private static func index(_ generation: GenerationPin) -> [UInt8] {
        // POLICYWRITE AUTHREAD NO_DA, written
        let attributes: UInt32 = 0x2204_0008
        return BigEndian.bytes(generation.handle) + BigEndian.bytes(Number.sha256) + BigEndian.bytes(attributes)
            + sized(generation.policy) + BigEndian.bytes(8 as UInt16)
    }

    /// `TPMT_PUBLIC` of a P-256 key for ECDSA with SHA-256.
    private static func key(attributes: UInt32, policy: [UInt8], _ point: [UInt8]) -> [UInt8] {
        BigEndian.bytes(Number.ecc) + BigEndian.bytes(Number.sha256) + BigEndian.bytes(attributes) + sized(policy)
            + BigEndian.bytes(Number.none) + BigEndian.bytes(Number.ecdsa) + BigEndian.bytes(Number.sha256)
            + BigEndian.bytes(Number.p256) + BigEndian.bytes(Number.none)
            + sized(Array(point.dropFirst().prefix(32))) + sized(Array(point.suffix(32)))
    }

    /// The public area of the membership key under the software sealer (docs/vault-format.md, "object").
    private static func softwareArea(_ record: RegistryRecord, _ point: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let reference = try record.policyReference(for: .circle).digest()
        return LengthPrefixed.encode(Array("org.coffer.software".utf8))
            + BigEndian.bytes(ObjectRole.membershipKey.rawValue)
            + LengthPrefixed.encode(reference, record.authenticatorKey, point)
    }

    private static func name(of area: [UInt8]) throws(CryptographyError) -> [UInt8] {
        BigEndian.bytes(Number.sha256) + (try SHA256.digest(area))
    }

    private static func sized(_ bytes: [UInt8]) -> [UInt8] { BigEndian.bytes(UInt16(bytes.count)) + bytes }

    /// Part 2, "TPM_ALG_ID" and "TPM_ECC_CURVE".
    private enum Number {
        static let sha256: UInt16 = 0x000B
        static let none: UInt16 = 0x0010
        static let ecdsa: UInt16 = 0x0018
        static let ecc: UInt16 = 0x0023
        static let p256: UInt16 = 0x0003
    }
}
