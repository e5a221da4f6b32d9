import Cryptography

/// Who can open a file: the public half of an X25519 identity, written `age1…`.
public struct AgeRecipient: Sendable, Equatable {
    private static let prefix = "age"
    static let info = Array("age-encryption.org/v1/X25519".utf8)

    let publicKey: [UInt8]

    init(publicKey: [UInt8]) { self.publicKey = publicKey }

    /// - Throws: `.malformedKey`.
    public init(_ text: String) throws(AgeError) {
        guard !["ssh-", "ecdsa-", "sk-"].contains(where: text.hasPrefix) else {
            throw AgeError(
                .malformedKey, "it is an SSH key, and Coffer encrypts only for recipients that begin with age1")
        }
        guard let (prefix, bytes) = Bech32.decode(text), prefix == Self.prefix, bytes.count == X25519.count else {
            throw AgeError(.malformedKey, "it is no recipient of age, which begins with age1 and has a checksum")
        }
        publicKey = bytes
    }

    public var text: String { Bech32.encode(Self.prefix, publicKey) }

    func wrap(_ fileKey: SecretBytes) throws(AgeError) -> AgeStanza {
        try cryptographic { () throws(CryptographyError) in
            let ephemeral = try X25519.PrivateKey.generate()
            let key = try HKDF.derive(
                ephemeral.sharedSecret(with: publicKey), salt: ephemeral.publicKey + publicKey, info: Self.info,
                count: 32)
            return AgeStanza(
                arguments: [AgeIdentity.stanza, AgeBase64.encode(ephemeral.publicKey)],
                body: try FileKey.wrap(fileKey, key))
        }
    }
}

/// What opens a file: an X25519 private key, written `AGE-SECRET-KEY-1…`.
public struct AgeIdentity: Sendable {
    static let stanza = "X25519"
    private static let prefix = "age-secret-key-"

    private let key: X25519.PrivateKey

    /// - Throws: `.malformedKey`.
    public init(_ text: String) throws(AgeError) {
        guard let (prefix, bytes) = Bech32.decode(text), prefix == Self.prefix, bytes.count == X25519.count else {
            throw AgeError(.malformedKey, "it is no identity of age, which begins with AGE-SECRET-KEY-1")
        }
        key = try cryptographic { () throws(CryptographyError) in
            try X25519.PrivateKey(rawRepresentation: SecretBytes(copying: bytes))
        }
    }

    /// Reads an identity file: one identity a line, empty lines, and comments after `#`.
    /// - Throws: `.malformedKey`; it names the line, and nothing of it.
    public static func file(_ text: String) throws(AgeError) -> [AgeIdentity] {
        var identities: [AgeIdentity] = []
        // Swift takes CR LF for one character.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() {
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            do throws(AgeError) { identities.append(try AgeIdentity(String(line))) } catch {
                throw AgeError(error.code, "line \(index + 1): \(error.reason)")
            }
        }
        guard !identities.isEmpty else { throw AgeError(.malformedKey, "it holds no identity") }
        return identities
    }

    public var recipient: AgeRecipient { AgeRecipient(publicKey: key.publicKey) }

    /// - Returns: nil if the stanza is for somebody else.
    func unwrap(_ stanza: AgeStanza) throws(AgeError) -> SecretBytes? {
        guard stanza.arguments[0] == Self.stanza else { return nil }
        guard stanza.arguments.count == 2, let share = AgeBase64.decode(stanza.arguments[1].utf8),
            share.count == X25519.count, stanza.body.count == AgeLimits.wrappedKey
        else { throw AgeError(.malformedHeader, "its header has a malformed X25519 stanza") }
        let shared: SecretBytes
        do throws(CryptographyError) { shared = try key.sharedSecret(with: share) } catch {
            guard error.code == .invalidKey else { throw AgeError(error) }
            throw AgeError(.malformedHeader, "its header has a share of small order")
        }
        let wrapping = try cryptographic { () throws(CryptographyError) in
            try HKDF.derive(shared, salt: share + key.publicKey, info: AgeRecipient.info, count: 32)
        }
        return try FileKey.unwrap(stanza.body, wrapping)
    }
}

/// A file key under a key that is used once.
enum FileKey {
    private static let nonce = [UInt8](repeating: 0, count: AESGCM.nonceCount)

    static func wrap(_ fileKey: SecretBytes, _ key: SecretBytes) throws(CryptographyError) -> [UInt8] {
        let plain = fileKey.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return try ChunkCipher.chaChaPoly.seal(plain, key: key, nonce: nonce)
    }

    /// - Returns: nil if it is under another key.
    static func unwrap(_ body: [UInt8], _ key: SecretBytes) throws(AgeError) -> SecretBytes? {
        do throws(CryptographyError) {
            return try SecretBytes(copying: ChunkCipher.chaChaPoly.open(body, key: key, nonce: nonce))
        } catch {
            guard error.code == .authenticationFailed else { throw AgeError(error) }
            return nil
        }
    }
}
