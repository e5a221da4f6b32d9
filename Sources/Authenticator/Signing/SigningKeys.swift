import Authorization
import Cryptography
import Platform

/// The present signing key, which new and renewed vaults are made for, and the former keys, which other vaults still need (docs/rotation.md, "The
/// signing key"). A former key is a file in the registry folder's `former-keys`. Its name is the first half of the SHA-256 of its public point. It
/// stays until no record names it.
struct SigningKeys {
    let present: SigningKey
    let directory: String

    private var folder: String { "\(directory)/former-keys" }

    /// - Throws: ``ConversationError``, as ``SigningKey/init(directory:)`` does.
    init(directory: String) throws(ConversationError) {
        self.directory = directory
        present = try SigningKey(directory: directory)
        // The broker compares vaults with this. `try?`: a file that cannot be used is written anew.
        let registry = Registry(directory: directory, authenticatorUID: OwnProcess.effectiveUser)
        if (try? registry.presentKey()) != present.publicKey { try publishPresent() }
    }

    private func publishPresent() throws(ConversationError) {
        try SigningKey.locked(directory) { () throws(ConversationError) in
            if let present = try SigningKey(file: presentPath) { try publish(present) }
        }
    }

    /// The key that a vault was made for.
    /// - Returns: nil if the key's file is missing.
    /// - Throws: ``ConversationError`` if others can use the file, or if it holds something else.
    func key(for record: RegistryRecord) throws(ConversationError) -> SigningKey? {
        if record.authenticatorKey == present.publicKey { return present }
        guard let former = try SigningKey(file: formerPath(of: record.authenticatorKey)) else { return nil }
        guard former.publicKey == record.authenticatorKey else {
            throw .refused(.misconfigured("a former signing key does not match its file's name"))
        }
        return former
    }

    /// Makes a new key the present one. The former one stays for the vaults that were made for it.
    func renew() throws(ConversationError) {
        try SigningKey.locked(directory) { () throws(ConversationError) in
            let before = try SigningKey(file: presentPath)
            if before == nil { try SigningKey.checkNoVaultMissesIt(in: directory) }
            if let before {
                try Self.translating { () throws(SystemError) in try Folder.make(folder, mode: 0o700) }
                // The present one keeps its place until the copy is on disk.
                try before.write(to: formerPath(of: before.publicKey))
            }
            let next = try SigningKey.generate()
            try next.write(to: presentPath)
            try publish(next)
        }
    }

    /// Publishes the present key, so that everybody can see which one it is.
    private func publish(_ key: SigningKey) throws(ConversationError) {
        try Self.translating { () throws(SystemError) in
            try DurableFile.write(
                Array((Hex.encode(key.publicKey) + "\n").utf8), to: Registry.presentKeyPath(in: directory),
                mode: 0o644)
        }
    }

    /// Runs `body`, which puts a record into the registry, while the key that the record names is kept. Another process may have renewed the key
    /// meanwhile.
    func whileKept<Value>(_ key: SigningKey, _ body: () throws(ConversationError) -> Value) throws(ConversationError)
        -> Value
    {
        try SigningKey.locked(directory) { () throws(ConversationError) in
            let kept = [try SigningKey(file: presentPath), try SigningKey(file: formerPath(of: key.publicKey))]
            guard kept.contains(where: { $0?.publicKey == key.publicKey }) else {
                throw .refused(
                    .notCompleted(
                        "the authenticator's signing key was renewed meanwhile", advice: "try again", kind: "failed"))
            }
            return try body()
        }
    }

    /// Destroys former keys that no record names. It publishes the present key again, in case a renewal stopped before that step. If a record cannot
    /// be read, it destroys nothing.
    /// - Returns: the number of vaults under a former key.
    @discardableResult
    func dropUnused(by registry: Registry) throws(ConversationError) -> Int {
        try SigningKey.locked(directory) { () throws(ConversationError) in
            let records: [RegistryRecord]
            do throws(RegistryError) { records = try registry.records() } catch {
                throw .refused(.notCompleted("the registry cannot be read", error, kind: "damaged"))
            }
            let named = Set(records.map(\.authenticatorKey))
            let present = try SigningKey(file: presentPath)
            if let present { try publish(present) }
            let needed = try Set(named.map { (key) throws(ConversationError) in try formerPath(of: key) })
            try Self.translating { () throws(SystemError) in
                guard try FileStatus.of(folder) != nil else { return }
                for name in try Folder.entries(folder)
                where name.hasSuffix(".pem") && !needed.contains("\(folder)/\(name)") {
                    try FileRemoval.remove("\(folder)/\(name)")
                }
            }
            return records.count { $0.authenticatorKey != present?.publicKey }
        }
    }

    private var presentPath: String { SigningKey.path(in: directory) }

    private func formerPath(of publicKey: [UInt8]) throws(ConversationError) -> String {
        try SigningKey.formerPath(of: publicKey, in: directory)
    }

    private static func translating<Value>(_ body: () throws(SystemError) -> Value) throws(ConversationError) -> Value {
        do throws(SystemError) { return try body() } catch {
            throw .refused(.misconfigured(error))
        }
    }
}
