import Cryptography

/// The Names of a vault's keys that work with a signature of the authenticator, computed from the registry record and the
/// key's point alone. So nobody who names a point can have it taken for a key of the vault.
public enum GuardedKeyName {
    /// - Parameters:
    ///   - role: a constraint key, or the membership key.
    ///   - point: the key's public point, 65 bytes.
    /// - Returns: 34 bytes; they differ for every other point, vault, owner and authenticator.
    /// - Throws: `.invalidKey` for a role of another kind.
    public static func of(
        _ role: ObjectRole, point: [UInt8], in record: RegistryRecord
    ) throws(CryptographyError) -> [UInt8] {
        guard let kind = role.authorization, role.isAgreementKey || role == .membershipKey else {
            throw CryptographyError(code: .invalidKey, reason: "a \(role) has no point")
        }
        return switch record.sealer {
        case .tpm: try name(of: area(role, point: point, in: record))
        case .software: try name(of: softwareArea(role, kind, record, point))
        }
    }

    /// `TPMT_PUBLIC` of a key under the TPM sealer. Part 2, section 12.2.4.
    ///
    /// - Parameter role: a constraint key, or a signing key of a circle.
    /// - Throws: `.invalidKey` for a role of another kind.
    static func area(
        _ role: ObjectRole, point: [UInt8], in record: RegistryRecord
    ) throws(CryptographyError) -> [UInt8] {
        // fixedTPM fixedParent sensitiveDataOrigin userWithAuth noDA sign
        if role == .streamKey { return key(attributes: 0x0004_0472, policy: [], scheme: ecdsa, point) }
        guard let kind = role.authorization, role.isAgreementKey || role == .membershipKey else {
            throw CryptographyError(code: .invalidKey, reason: "a \(role) has no point")
        }
        let policy = try policy(role, kind, record)
        // fixedTPM fixedParent sensitiveDataOrigin adminWithPolicy noDA, and sign or decrypt
        return role.isAgreementKey
            ? key(attributes: 0x0002_04B2, policy: policy, scheme: BigEndian.bytes(Number.none), point)
            : key(attributes: 0x0004_04B2, policy: policy, scheme: ecdsa, point)
    }

    /// PolicySigned by the authenticator, then the generation if the vault has one, then the password of a membership key.
    /// Part 1, section 19.7.
    private static func policy(
        _ role: ObjectRole, _ kind: AuthorizationKind, _ record: RegistryRecord
    ) throws(CryptographyError) -> [UInt8] {
        // sign userWithAuth: the public half of a key that is outside of the TPM.
        let signer = try name(
            of: key(attributes: 0x0004_0040, policy: [], scheme: ecdsa, record.authenticatorKey))
        var policy = [UInt8](repeating: 0, count: SHA256.count)
        policy = try SHA256.digest(policy + BigEndian.bytes(0x0000_0160 as UInt32) + signer)
        policy = try SHA256.digest(policy + record.policyReference(for: kind).digest())
        if let generation = record.generation {
            policy = try SHA256.digest(policy + BigEndian.bytes(0x0000_0151 as UInt32) + name(of: index(generation)))
            // With an empty reference.
            policy = try SHA256.digest(policy)
        }
        return role == .membershipKey
            ? try SHA256.digest(policy + BigEndian.bytes(0x0000_016B as UInt32)) : policy
    }

    /// `TPMS_NV_PUBLIC` of a generation index. Part 2, section 13.5.
    private static func index(_ generation: GenerationPin) -> [UInt8] {
        // POLICYWRITE AUTHREAD NO_DA, written
        let attributes: UInt32 = 0x2204_0008
        return BigEndian.bytes(generation.handle) + BigEndian.bytes(Number.sha256) + BigEndian.bytes(attributes)
            + sized(generation.policy) + BigEndian.bytes(8 as UInt16)
    }

    static let ecdsa = BigEndian.bytes(Number.ecdsa) + BigEndian.bytes(Number.sha256)

    /// `TPMT_PUBLIC` of a P-256 key.
    static func key(
        attributes: UInt32, policy: [UInt8], scheme: [UInt8], _ point: [UInt8]
    ) -> [UInt8] {
        BigEndian.bytes(Number.ecc) + BigEndian.bytes(Number.sha256) + BigEndian.bytes(attributes) + sized(policy)
            + BigEndian.bytes(Number.none) + scheme + BigEndian.bytes(Number.p256) + BigEndian.bytes(Number.none)
            + sized(Array(point.dropFirst().prefix(32))) + sized(Array(point.suffix(32)))
    }

    /// The public area of a key under the software sealer (docs/vault-format.md, "object").
    private static func softwareArea(
        _ role: ObjectRole, _ kind: AuthorizationKind, _ record: RegistryRecord, _ point: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        let reference = try record.policyReference(for: kind).digest()
        return LengthPrefixed.encode(Array("org.coffer.software".utf8)) + BigEndian.bytes(role.rawValue)
            + LengthPrefixed.encode(reference, record.authenticatorKey, point)
    }

    static func name(of area: [UInt8]) throws(CryptographyError) -> [UInt8] {
        BigEndian.bytes(Number.sha256) + (try SHA256.digest(area))
    }

    static func sized(_ bytes: [UInt8]) -> [UInt8] { BigEndian.bytes(UInt16(bytes.count)) + bytes }

    /// Part 2, "TPM_ALG_ID" and "TPM_ECC_CURVE".
    enum Number {
        static let sha256: UInt16 = 0x000B
        static let none: UInt16 = 0x0010
        static let ecdsa: UInt16 = 0x0018
        static let ecc: UInt16 = 0x0023
        static let p256: UInt16 = 0x0003
    }
}
