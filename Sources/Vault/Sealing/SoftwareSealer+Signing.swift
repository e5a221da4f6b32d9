import Authorization
import Cryptography

/// The keys with which a device of a circle signs. The private half is sealed twice: under a key from its password, and
/// then as every object. So each is needed, and a wrong password differs from damage.
extension SoftwareSealer {
    private static let passwordInfo = Array("org.coffer.software.signing".utf8)

    public func makeSigningKeys(
        streamPassword: SecretBytes, membershipPassword: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> SigningKeyPair {
        try Self.requireSoftware(record)
        try SigningPassword.check(streamPassword, membershipPassword)
        let stream = try make(.streamKey, streamPassword, record)
        let membership = try make(.membershipKey, membershipPassword, record)
        return SigningKeyPair(
            stream: stream.key, streamPoint: stream.point, membership: membership.key,
            membershipPoint: membership.point)
    }

    public func sign(
        _ digest: [UInt8], with key: SealedObject, point: [UInt8], password: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> [UInt8] {
        try Self.requireSoftware(record)
        _ = try SoftwareObject.check(key, .streamKey, point: point, record: record)
        return try signature(digest, key, point: point, password: password)
    }

    private func make(
        _ role: ObjectRole, _ password: SecretBytes, _ record: RegistryRecord
    ) throws(SealerError) -> (key: SealedObject, point: [UInt8]) {
        let machineKey = try machineKey(makingIt: false)
        do throws(CryptographyError) {
            let key = try P256.PrivateKey.generate()
            let area = try SoftwareObject(
                role: role, vault: record.vault, owner: record.owner, authenticatorKey: record.authenticatorKey,
                point: key.publicKey
            ).encoded
            let inner = try AESGCM.seal(
                key.rawRepresentation, key: Self.key(from: password), associatedData: area)
            let sealed = try AESGCM.seal(SecretBytes(copying: inner), key: machineKey, associatedData: area)
            return (SealedObject(role: role, public: area, private: sealed), key.publicKey)
        } catch {
            throw SealerError(error)
        }
    }

    /// A signature by the key's private half, `r ‖ s`, 64 bytes.
    ///
    /// - Throws: `.policyRefused` for another password; `.damaged` if the private half does not fit the point.
    func signature(
        _ digest: [UInt8], _ object: SealedObject, point: [UInt8], password: SecretBytes
    ) throws(SealerError) -> [UInt8] {
        try Self.check(digest)
        try SigningPassword.check(password)
        let inner = try unseal(object)
        let scalar: SecretBytes
        do throws(CryptographyError) {
            scalar = try AESGCM.open(
                inner.withBytes { bytes in bytes.indices.map { bytes[$0] } }, key: Self.key(from: password),
                associatedData: object.public)
        } catch {
            guard error.code == .authenticationFailed else { throw SealerError(error) }
            throw SealerError(.policyRefused, "the password is not this signing key's")
        }
        do throws(CryptographyError) {
            let key = try P256.PrivateKey(rawRepresentation: scalar)
            guard key.publicKey == point else {
                throw CryptographyError(code: .authenticationFailed, reason: "another key's private half")
            }
            return try key.signature(forDigest: digest)
        } catch { throw damaged(object.role, error) }
    }

    /// - Throws: `.other` unless the digest has 32 bytes.
    static func check(_ digest: [UInt8]) throws(SealerError) {
        guard digest.count == SHA256.count else { throw SealerError(.other, "a digest to sign is not 32 bytes") }
    }

    private static func key(from password: SecretBytes) throws(CryptographyError) -> SecretBytes {
        try HKDF.derive(password, salt: [], info: passwordInfo, count: AESGCM.keyCount)
    }
}
