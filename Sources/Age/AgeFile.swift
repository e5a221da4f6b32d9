import Cryptography

/// A file in the age format (age-encryption.org/v1), whole in memory.
public struct AgeFile: Sendable {
    /// Who can decrypt a file.
    public enum Lock: Sendable {
        case recipients([AgeRecipient])
        case passphrase(AgePassphrase)
    }

    /// With what a file is opened.
    public enum Key: Sendable {
        case identities([AgeIdentity])
        case passphrase(AgePassphrase)
    }

    private let header: AgeHeader
    private let payload: ArraySlice<UInt8>

    /// Reads the header, armored or not.
    /// - Throws: `.malformedHeader`, `.malformedArmor`.
    public init(_ file: [UInt8]) throws(AgeError) {
        let file = AgeArmor.isArmored(file) ? try AgeArmor.decode(file) : file
        header = try AgeHeader(reading: file)
        payload = file[header.count...]
        // A passphrase stands alone, so that a file with one is known to come from somebody who has it.
        let passphrases = header.stanzas.count { $0.arguments[0] == AgePassphrase.stanza }
        guard passphrases == 0 || header.stanzas.count == 1 else {
            throw AgeError(.malformedHeader, "its header has a passphrase beside other recipients")
        }
    }

    /// Whether it is opened with a passphrase.
    public var takesPassphrase: Bool { header.stanzas[0].arguments[0] == AgePassphrase.stanza }

    /// - Returns: the content, after all of it was checked.
    public func open(_ key: Key) throws(AgeError) -> [UInt8] {
        guard let fileKey = try fileKey(key), fileKey.count == AgeLimits.fileKey else {
            throw AgeError(
                .noMatch, takesPassphrase ? "the passphrase is wrong" : "it is not encrypted for this identity")
        }
        try header.check(fileKey: fileKey)
        return try open(fileKey)
    }

    private func fileKey(_ key: Key) throws(AgeError) -> SecretBytes? {
        switch key {
        case .passphrase(let passphrase):
            guard takesPassphrase else { return nil }
            return try passphrase.unwrap(header.stanzas[0])
        case .identities(let identities):
            var found: SecretBytes?
            // All stanzas are looked at, because a malformed one refuses the file.
            for stanza in header.stanzas {
                for identity in identities {
                    if let key = try identity.unwrap(stanza), found == nil { found = key }
                }
            }
            return found
        }
    }

    private func open(_ fileKey: SecretBytes) throws(AgeError) -> [UInt8] {
        let damaged = AgeError(.damagedPayload, "its content was changed or cut off")
        guard payload.count >= AgeLimits.nonce else { throw AgeError(.malformedHeader, "it ends behind its header") }
        let key = try Self.payloadKey(fileKey, Array(payload.prefix(AgeLimits.nonce)))
        var opener = ChunkStream.Opener(key: key, cipher: .chaChaPoly)
        let sealed = payload.dropFirst(AgeLimits.nonce)
        let size = AgeLimits.chunk + ChunkStream.overhead
        var content: [UInt8] = []
        var start = sealed.startIndex
        repeat {
            let end = min(start + size, sealed.endIndex)
            let isLast = end == sealed.endIndex
            let chunk: [UInt8]
            do throws(CryptographyError) {
                chunk = try opener.open(Array(sealed[start..<end]), isLast: isLast)
            } catch {
                throw error.code == .authenticationFailed ? damaged : AgeError(error)
            }
            // The last chunk is empty only if everything is.
            guard !chunk.isEmpty || start == sealed.startIndex else { throw damaged }
            content += chunk
            start = end
        } while start < sealed.endIndex
        return content
    }

    private static func payloadKey(_ fileKey: SecretBytes, _ nonce: [UInt8]) throws(AgeError) -> SecretBytes {
        try cryptographic { () throws(CryptographyError) in
            try HKDF.derive(fileKey, salt: nonce, info: Array("payload".utf8), count: 32)
        }
    }

    /// Encrypts content with a new file key.
    /// - Parameter armored: as text.
    /// - Throws: `.malformedKey` for no recipient or too many.
    public static func seal(_ content: [UInt8], for lock: Lock, armored: Bool) throws(AgeError) -> [UInt8] {
        let (fileKey, nonce) = try cryptographic { () throws(CryptographyError) in
            (try SecretBytes.random(count: AgeLimits.fileKey), try Random.bytes(AgeLimits.nonce))
        }
        var stanzas: [AgeStanza] = []
        switch lock {
        case .passphrase(let passphrase): stanzas.append(try passphrase.wrap(fileKey))
        case .recipients(let recipients):
            guard (1...AgeLimits.recipients).contains(recipients.count) else {
                throw AgeError(.malformedKey, "a file has 1 to \(AgeLimits.recipients) recipients")
            }
            for recipient in recipients { stanzas.append(try recipient.wrap(fileKey)) }
        }
        var file = try AgeHeader.text(stanzas, fileKey: fileKey) + nonce
        var sealer = ChunkStream.Sealer(key: try payloadKey(fileKey, nonce), cipher: .chaChaPoly)
        var start = 0
        repeat {
            let end = min(start + AgeLimits.chunk, content.count)
            do throws(CryptographyError) {
                file += try sealer.seal(Array(content[start..<end]), isLast: end == content.count)
            } catch { throw AgeError(error) }
            start = end
        } while start < content.count
        return armored ? AgeArmor.encode(file) : file
    }
}

// The limits of what is read in the age format, which anybody may have made.
enum AgeLimits {
    /// The longest header, in bytes.
    static let header = 64 << 10
    /// The most stanzas.
    static let stanzas = 256
    /// The most recipients of one file.
    static let recipients = 64
    /// The cost of a passphrase, as a power of two: what age itself writes. It takes 256 MiB and about a second.
    static let writtenWorkFactor = 18
    /// The highest cost that is accepted: 1 GiB and a few seconds. Without a limit, a file could stop the machine.
    static let mostWorkFactor = 20
    /// The plain bytes of a chunk.
    static let chunk = 64 << 10
    /// A file key, in bytes.
    static let fileKey = 16
    /// A wrapped file key, in bytes.
    static let wrappedKey = 32
    /// The payload's nonce, in bytes.
    static let nonce = 16
    /// The salt of a passphrase, in bytes.
    static let salt = 16
    /// A line of a stanza's body, and of armor, in characters.
    static let column = 64
}
