import Authorization
import Cryptography

/// What a member asks the TPM of a new device (docs/sync-format.md, "Proof of a TPM").
package struct JoinChallenge: Hashable, Sendable {
    /// The SHA-256 of the request that it is about.
    package let request: [UInt8]
    package let credential: IdentityCredential
    package let bytes: [UInt8]

    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.challenge".utf8))

    /// - Throws: `.length`.
    package init(request: [UInt8], credential: IdentityCredential) throws(CircleFormError) {
        guard request.count == SHA256.count else { throw .length }
        (self.request, self.credential) = (request, credential)
        bytes =
            Self.domain + BigEndian.bytes(CircleLimits.version) + request + credential.encryptedSecret
            + credential.idObject
    }

    /// Reads canonical bytes. Each challenge has one form.
    ///
    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        guard bytes.count <= CircleLimits.challenge else { throw .length }
        var rest = bytes[...]
        try rest.domain(Self.domain)
        try rest.version()
        let request = try rest.take(SHA256.count)
        let count = IdentityCredential.partCount
        let (secret, object) = (try rest.take(count), try rest.take(count))
        try rest.end()
        let credential: IdentityCredential
        do throws(CryptographyError) {
            credential = try IdentityCredential(encryptedSecret: secret, idObject: object)
        } catch { throw .length }
        try self.init(request: request, credential: credential)
    }

    /// What the TPM's word is about: it answers this request, and has opened this secret.
    ///
    /// - Parameter secret: of the credential, 32 bytes.
    /// - Returns: 32 bytes.
    /// - Throws: `.library`.
    package static func qualifying(_ secret: SecretBytes, request: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try HMACSHA256.code(
            for: LengthPrefixed.encode(Array("org.coffer.circle.proof".utf8)) + request, key: secret)
    }
}
