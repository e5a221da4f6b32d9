import Cryptography

/// A passphrase, which scrypt makes a key of.
public struct AgePassphrase: Sendable {
    static let stanza = "scrypt"
    private static let label = Array("age-encryption.org/v1/scrypt".utf8)

    private let secret: SecretBytes

    /// - Throws: `.malformedKey` for an empty one.
    public init(_ text: String) throws(AgeError) {
        guard !text.isEmpty else { throw AgeError(.malformedKey, "the passphrase is empty") }
        secret = try cryptographic { () throws(CryptographyError) in try SecretBytes(copying: Array(text.utf8)) }
    }

    func wrap(_ fileKey: SecretBytes, workFactor: Int = AgeLimits.writtenWorkFactor) throws(AgeError) -> AgeStanza {
        try cryptographic { () throws(CryptographyError) in
            let salt = try Random.bytes(AgeLimits.salt)
            return AgeStanza(
                arguments: [Self.stanza, AgeBase64.encode(salt), "\(workFactor)"],
                body: try FileKey.wrap(fileKey, key(salt, workFactor)))
        }
    }

    /// - Returns: nil if it is another passphrase.
    /// - Throws: `.tooCostly` before any work is done.
    func unwrap(_ stanza: AgeStanza) throws(AgeError) -> SecretBytes? {
        let malformed = AgeError(.malformedHeader, "its header has a malformed scrypt stanza")
        guard stanza.arguments.count == 3, let salt = AgeBase64.decode(stanza.arguments[1].utf8),
            salt.count == AgeLimits.salt, stanza.body.count == AgeLimits.wrappedKey
        else { throw malformed }
        let digits = stanza.arguments[2]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !digits.hasPrefix("0") else { throw malformed }
        // A number that is too long for the type is also too high.
        guard let factor = Int(digits), factor <= AgeLimits.mostWorkFactor else {
            throw AgeError(
                .tooCostly,
                "its passphrase takes more work than 2^\(AgeLimits.mostWorkFactor), which Coffer refuses from any file")
        }
        let wrapping = try cryptographic { () throws(CryptographyError) in try key(salt, factor) }
        return try FileKey.unwrap(stanza.body, wrapping)
    }

    private func key(_ salt: [UInt8], _ factor: Int) throws(CryptographyError) -> SecretBytes {
        let cost = Scrypt.Cost(rounds: 1 << UInt64(factor), blockSize: 8, parallelism: 1)
        // 128 · r · N bytes, and room for the rest.
        let memory = UInt64(1024) << UInt64(factor) + 1 << 20
        return try Scrypt.derive(
            password: secret, salt: Self.label + salt, cost: cost, count: 32, mostMemory: memory)
    }
}
