import Authorization
import Cryptography
import Platform

/// A P-256 key of the authenticator, which the policies of vaults trust. It is a PEM file that only the authenticator's user can read. The present
/// key is made at first use, and never again while a vault needs one that is missing.
struct SigningKey {
    let key: P256.PrivateKey

    /// 65 bytes, as registry records hold it.
    var publicKey: [UInt8] { key.publicKey }

    static func path(in directory: String) -> String { "\(directory)/signing-key.pem" }

    /// Reads the present key, or makes it.
    /// - Throws: ``ConversationError`` if others can use the file, if it cannot be read or written, if it holds no P-256 key, or if it is missing and a
    ///   vault needs it.
    init(directory: String) throws(ConversationError) {
        // Two first conversations at the same time must not make two keys.
        self = try Self.locked(directory) { () throws(ConversationError) in
            let path = Self.path(in: directory)
            if let present = try SigningKey(file: path) { return present }
            try Self.checkNoVaultMissesIt(in: directory)
            let first = try Self.generate()
            try first.write(to: path)
            return first
        }
    }

    /// Keeps other processes of the authenticator from making, renewing or dropping keys meanwhile.
    static func locked<Value>(
        _ directory: String, _ body: () throws(ConversationError) -> Value
    ) throws(ConversationError) -> Value {
        let lock = try takeLock(directory)
        defer { lock.keep() }
        return try body()
    }

    private static func takeLock(_ directory: String) throws(ConversationError) -> FileLock {
        do throws(SystemError) { return try FileLock(path: "\(directory)/signing-key.lock") } catch {
            throw conversationError(error)
        }
    }

    /// The file of a former key. Its name is the first half of the SHA-256 of the key's public point.
    static func formerPath(of publicKey: [UInt8], in directory: String) throws(ConversationError) -> String {
        do throws(CryptographyError) {
            return "\(directory)/former-keys/\(Hex.encode(Array(try SHA256.digest(publicKey).prefix(16)))).pem"
        } catch { throw .refused(.misconfigured("the authenticator cannot name a signing key: \(error.reason)")) }
    }

    /// Checks, if the present key's file is missing, that each registered vault's key is among the former ones. Otherwise a new key would take the
    /// place of one that can still be restored.
    static func checkNoVaultMissesIt(in directory: String) throws(ConversationError) {
        let registry = Registry(directory: directory, authenticatorUID: OwnProcess.effectiveUser)
        let records: [RegistryRecord]
        do throws(RegistryError) { records = try registry.records() } catch {
            throw .refused(
                .notCompleted("the signing key is missing, and the registry cannot be read", error, kind: "damaged"))
        }
        for record in records where try SigningKey(file: formerPath(of: record.authenticatorKey, in: directory)) == nil
        {
            throw .refused(
                .notCompleted(
                    "the authenticator's signing key is missing, and vaults need it",
                    advice:
                        "restore \(path(in: directory)) from a backup, with mode 0600; no other key opens these vaults",
                    kind: "damaged"))
        }
    }

    /// - Returns: nil if there is no such file.
    /// - Throws: ``ConversationError``, as ``init(directory:)`` does.
    init?(file path: String) throws(ConversationError) {
        do throws(SystemError) {
            guard let key = try Self.read(path) else { return nil }
            self.key = key
        } catch { throw Self.conversationError(error) }
    }

    private init(_ key: P256.PrivateKey) { self.key = key }

    /// Makes a new key, which is in no file yet.
    static func generate() throws(ConversationError) -> SigningKey {
        do throws(SystemError) { return SigningKey(try make()) } catch { throw conversationError(error) }
    }

    func write(to path: String) throws(ConversationError) {
        do throws(SystemError) { try Self.write(key, to: path) } catch { throw Self.conversationError(error) }
    }

    private static func conversationError(_ error: SystemError) -> ConversationError {
        .refused(.misconfigured(error))
    }

    /// - Returns: nil if there is no file yet.
    private static func read(_ path: String) throws(SystemError) -> P256.PrivateKey? {
        guard let status = try FileStatus.of(path) else { return nil }
        guard status.isRegular, status.uid == OwnProcess.effectiveUser, status.mode & 0o177 == 0 else {
            throw SystemError(
                "use the signing key \(path)", reason: "it must be a file of the authenticator's user, with mode 0600",
                advice: "have root find out who changed it and could read it; then: chmod 600 \(path); "
                    + "then renew it: coffer rotate --signing-key")
        }
        var bytes = try DurableFile.read(path, limit: FileLimits.key)
        defer { Wipe.bytes(&bytes) }
        do throws(CryptographyError) {
            return try P256.PrivateKey(pem: try SecretBytes(copying: bytes))
        } catch {
            throw SystemError("read the signing key \(path)", reason: error.reason, advice: "restore it from a backup")
        }
    }

    private static func make() throws(SystemError) -> P256.PrivateKey {
        do throws(CryptographyError) { return try P256.PrivateKey.generate() } catch {
            throw SystemError("make a signing key", reason: "\(error)")
        }
    }

    private static func write(_ key: P256.PrivateKey, to path: String) throws(SystemError) {
        do {
            var bytes = try key.pem().withBytes { span in span.indices.map { span[$0] } }
            defer { Wipe.bytes(&bytes) }
            try DurableFile.write(bytes, to: path, mode: 0o600)
        } catch let error as SystemError {
            throw error
        } catch {
            throw SystemError("write the signing key \(path)", reason: "\(error)")
        }
    }
}
