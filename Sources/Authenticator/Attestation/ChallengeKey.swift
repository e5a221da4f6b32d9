import Cryptography
import Platform

/// What challenges to other machines are made from: 32 random bytes in a file that only the authenticator's user can read. So
/// a challenge need not be kept until its answer comes.
struct ChallengeKey {
    private let key: SecretBytes

    /// Reads the key, or makes it.
    ///
    /// - Throws: ``ConversationError`` for a file that others can read, or that cannot be read or written.
    init(directory: String) throws(ConversationError) {
        do throws(SystemError) {
            // Two first challenges at the same time must not make two keys.
            let lock = try FileLock(path: "\(directory)/challenge-key.lock")
            defer { lock.keep() }
            let path = "\(directory)/challenge-key"
            if let present = try Self.read(path) {
                key = present
            } else {
                key = try Self.make(path)
            }
        } catch { throw .refused(.misconfigured(error)) }
    }

    /// The secret of the challenge for one request and one TPM, 32 bytes.
    ///
    /// - Parameter context: what tells them from all others.
    /// - Throws: `.outOfMemory`, `.library`.
    func secret(for request: [UInt8], _ context: [UInt8]) throws(CryptographyError) -> SecretBytes {
        try HKDF.derive(
            key, salt: request, info: Array("org.coffer.challenge".utf8) + context, count: SHA256.count)
    }

    private static func read(_ path: String) throws(SystemError) -> SecretBytes? {
        guard let status = try FileStatus.of(path) else { return nil }
        guard status.isRegular, status.uid == OwnProcess.effectiveUser, status.mode & 0o177 == 0 else {
            throw SystemError("use \(path)", reason: "it must be a file of the authenticator's user, with mode 0600")
        }
        var bytes = try DurableFile.read(path, limit: FileLimits.key)
        defer { Wipe.bytes(&bytes) }
        guard bytes.count == SHA256.count else {
            throw SystemError("use \(path)", reason: "it is damaged", advice: "have root remove it")
        }
        return try kept(bytes)
    }

    private static func make(_ path: String) throws(SystemError) -> SecretBytes {
        do throws(CryptographyError) {
            var bytes = try Random.bytes(SHA256.count)
            defer { Wipe.bytes(&bytes) }
            do throws(SystemError) { try DurableFile.write(bytes, to: path, mode: 0o600) } catch {
                throw CryptographyError(code: .library, reason: "\(error)")
            }
            return try SecretBytes(copying: bytes)
        } catch { throw SystemError("make \(path)", reason: error.reason) }
    }

    private static func kept(_ bytes: [UInt8]) throws(SystemError) -> SecretBytes {
        do throws(CryptographyError) { return try SecretBytes(copying: bytes) } catch {
            throw SystemError("keep a key", reason: error.reason)
        }
    }
}
