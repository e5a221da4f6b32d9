import Cryptography

/// A secret that only the TPM with an endorsement key can open, and only if the attestation key is in it, too. TPM 2.0
/// Library, Part 1, "Credential Protection", as `TPM2_MakeCredential` makes it.
public struct IdentityCredential: Hashable, Sendable {
    /// The content of a `TPM2B_ENCRYPTED_SECRET`, 68 bytes.
    public let encryptedSecret: [UInt8]
    /// The content of a `TPM2B_ID_OBJECT`, 68 bytes.
    public let idObject: [UInt8]

    /// The length of each part in bytes.
    public static let partCount = 68
    /// The length of the secret in bytes.
    public static let secretCount = 32

    /// - Throws: `.invalidLength` unless each part has 68 bytes.
    public init(encryptedSecret: [UInt8], idObject: [UInt8]) throws(CryptographyError) {
        guard encryptedSecret.count == Self.partCount, idObject.count == Self.partCount else {
            throw CryptographyError(code: .invalidLength, reason: "a part of a credential has \(Self.partCount) bytes")
        }
        (self.encryptedSecret, self.idObject) = (encryptedSecret, idObject)
    }

    /// Makes a credential.
    ///
    /// - Parameter secret: 32 bytes.
    /// - Throws: `.invalidLength`, `.invalidKey`, `.outOfMemory`, `.library`.
    public init(_ secret: SecretBytes, for identity: MachineIdentity) throws(CryptographyError) {
        guard secret.count == Self.secretCount else {
            throw CryptographyError(code: .invalidLength, reason: "a credential's secret has 32 bytes")
        }
        let ephemeral = try P256.PrivateKey.generate()
        let (own, theirs) = (Array(ephemeral.publicKey[1..<33]), Array(identity.endorsement[1..<33]))
        let seed = try KDF.concatenation(
            ephemeral.sharedSecret(with: identity.endorsement), use: "IDENTITY", parties: own + theirs,
            count: SHA256.count)
        let name = try identity.attestationName
        let cipherKey = try KDF.counter(seed, label: "STORAGE", context: name, count: AESCFB.keyCount)
        let size = try SecretBytes(copying: BigEndian.bytes(UInt16(secret.count)))
        let encrypted = try AESCFB.encryptOnce(size.appending(secret), key: cipherKey)
        let integrityKey = try KDF.counter(seed, label: "INTEGRITY", context: [], count: HMACSHA256.count)
        let integrity = try HMACSHA256.code(for: encrypted + name, key: integrityKey)
        try self.init(
            encryptedSecret: GuardedKeyName.sized(own) + GuardedKeyName.sized(Array(ephemeral.publicKey[33...])),
            idObject: GuardedKeyName.sized(integrity) + encrypted)
    }
}
