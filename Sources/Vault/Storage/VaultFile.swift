import Authorization
import Cryptography
import Platform

/// Names, making and taking up of a vault's file.
public enum VaultFile {
    private static let sideFiles = ["-wal", "-shm", "-journal"]

    /// Where an owner's vault is: `user-1000.vault`.
    public static func path(of owner: Owner, in directory: String) -> String { "\(directory)/\(owner.fileStem).vault" }

    /// Where it is before it is registered: `user-1000.vault.new`.
    public static func newPath(of owner: Owner, in directory: String) -> String {
        path(of: owner, in: directory) + ".new"
    }

    /// Where its access log is: `user-1000.log`.
    static func logPath(of owner: Owner, in directory: String) -> String { "\(directory)/\(owner.fileStem).log" }

    /// Makes the file of a new vault under the name that nobody opens, closed and synced. One that was left behind there is replaced: whatever is registered is
    /// no longer under that name, because `adopt` comes first.
    ///
    /// - Throws: `.alreadyExists` where the owner has a vault, `.invalidArgument` where keys and record do not belong together, `.storage`.
    public static func create(directory: String, keys: NewVaultKeys, record: RegistryRecord) throws(VaultError) {
        try create(directory: directory, keys: keys, record: record, pageSize: VaultDatabase.pageSize)
    }

    static func create(
        directory: String, keys: NewVaultKeys, record: RegistryRecord, pageSize: Int
    ) throws(VaultError) {
        let path = newPath(of: record.owner, in: directory)
        try files { () throws(SystemError) in
            guard try FileStatus.of(self.path(of: record.owner, in: directory)) == nil else { return false }
            try remove(path)
            try DurableFile.write([], to: path, mode: 0o600)
            return true
        } orThrow: {
            VaultError(.alreadyExists, "\(record.owner) has a vault already")
        }

        let format = FormatContext(vault: record.vault)
        let objects = Dictionary(keys.objects.map { ($0.role, $0) }) { first, _ in first }
        guard objects.count == keys.objects.count, Set(objects.keys) == Set(record.objects.keys),
            keys.names == record.objects
        else {
            throw VaultError(.invalidArgument, "the new vault's keys and its registry record do not belong together")
        }
        let (vaultKeys, keybag, header) = try cryptography { () throws(CryptographyError) in
            let vaultKeys = try VaultKeys(deviceRoot: keys.deviceRoot, vault: record.vault)
            let keybag = try Keybag(
                keys: vaultKeys, unlockRoot: keys.unlockRoot, recoveryPublicKey: keys.recoveryPublicKey, format
            ).encoded
            return (
                vaultKeys, keybag,
                Header(
                    record: record, keybagDigest: try SHA256.digest(keybag),
                    objectsDigest: try Header.digest(of: objects))
            )
        }
        let database = try VaultDatabase(path: path, pageSize: pageSize)
        try database.write { (rows) throws(VaultError) in
            try rows.createTables()
            for object in keys.objects { try rows.put(object) }
            try rows.put(keybag: keybag)
            try rows.put(header, keys: vaultKeys)
        }
        try database.close()
        try files { () throws(SystemError) in
            try DurableFile.syncFolder(of: path)
            return true
        }
    }

    /// Gives a registered vault's file its name. Nothing to do where it has it already.
    ///
    /// - Throws: `.damaged` where no file is the one that was registered.
    public static func adopt(directory: String, record: RegistryRecord) throws(VaultError) {
        let path = path(of: record.owner, in: directory)
        let newPath = newPath(of: record.owner, in: directory)
        try files { () throws(SystemError) in
            try FileStatus.of(path) == nil ? FileStatus.of(newPath) != nil : true
        } orThrow: {
            .damaged("its file is missing")
        }
        if try files({ () throws(SystemError) in try FileStatus.of(path) != nil }) { return }

        try checkKind(of: newPath)
        let database = try VaultDatabase(path: newPath)
        let header = try database.read { (rows) throws(VaultError) in
            try rows.checkSchema()
            return try Header(decoding: rows.header().content)
        }
        try database.close()
        guard header.vault == record.vault, header.owner == record.owner, header.sealer == record.sealer else {
            throw .damaged("its file is missing, and the new one is not the one that was registered")
        }
        try files { () throws(SystemError) in
            // A log that some earlier file left behind would be played back into this one.
            for side in sideFiles { try FileRemoval.remove(path + side) }
            try DurableFile.move(newPath, to: path)
            return true
        }
    }

    /// A vault is a plain file of the broker's own, never a link to another.
    static func checkKind(of path: String) throws(VaultError) {
        for path in [path] + sideFiles.map({ path + $0 }) {
            try files { () throws(SystemError) in
                try FileStatus.of(path).map(\.isRegular) ?? true
            } orThrow: {
                .damaged("\(path) is a link or no file at all")
            }
        }
    }

    /// Copies a vault that nobody has open, with what a crash may have left beside it.
    ///
    /// - Throws: `.notFound` where there is none; `.damaged` for a link, and for what is no file; `.storage`.
    static func copy(_ path: String, to other: String) throws(VaultError) {
        try files { () throws(SystemError) in
            try FileStatus.of(path) != nil
        } orThrow: {
            VaultError(.notFound, "there is no such file")
        }
        try checkKind(of: path)
        for side in ["", "-wal"] {
            try files { () throws(SystemError) in
                guard let status = try FileStatus.of(path + side) else { return true }
                let bytes = try DurableFile.read(path + side, limit: Int(status.size) + 4096)
                try DurableFile.write(bytes, to: other + side, mode: 0o600)
                return true
            }
        }
    }

    private static func remove(_ path: String) throws(SystemError) {
        for name in [""] + sideFiles { try FileRemoval.remove(path + name) }
    }

    /// The gate for errors of the file system.
    @discardableResult
    private static func files(
        _ body: () throws(SystemError) -> Bool, orThrow refusal: (() -> VaultError)? = nil
    ) throws(VaultError) -> Bool {
        let isFine: Bool
        do throws(SystemError) { isFine = try body() } catch {
            throw VaultError(
                .storage, "the vault's files cannot be used; look at the disk and its permissions", cause: error)
        }
        if !isFine, let refusal { throw refusal() }
        return isFine
    }
}
