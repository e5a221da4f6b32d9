import Authorization
import Cryptography
import Platform

/// Names, makes and adopts a vault's file.
public enum VaultFile {
    private static let sideFiles = ["-wal", "-shm", "-journal"]

    /// The path of an owner's vault, such as `user-1000.vault`.
    public static func path(of owner: Owner, in directory: String) -> String { "\(directory)/\(owner.fileStem).vault" }

    /// The path of a vault before it is registered, such as `user-1000.vault.new`.
    public static func newPath(of owner: Owner, in directory: String) -> String {
        path(of: owner, in: directory) + ".new"
    }

    /// The folder with the files of the vaults that root has set aside.
    public static func setAsideDirectory(in directory: String) -> String { "\(directory)/set-aside" }

    /// The suffix of a successor's files, until the registry names it.
    static let successorSuffix = ".next"

    /// The path of the vault that will replace the owner's, such as `user-1000.vault.next`.
    static func successorPath(of owner: Owner, in directory: String) -> String {
        path(of: owner, in: directory) + successorSuffix
    }

    /// The path of the note about a renewal, such as `user-1000.vault.next.json`.
    static func successionPath(of owner: Owner, in directory: String) -> String {
        successorPath(of: owner, in: directory) + ".json"
    }

    /// The path of the access log, such as `user-1000.log`.
    static func logPath(of owner: Owner, in directory: String) -> String { "\(directory)/\(owner.fileStem).log" }

    /// Makes the file of a new vault, closed and synced, under the name that is never opened. Replaces a leftover of
    /// that name. It cannot be a registered vault, because `adopt` runs first.
    ///
    /// - Throws: `.alreadyExists` if the owner has a vault; `.invalidArgument` if keys and record do not belong
    ///   together; `.storage`.
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

        try fill(path, keys: keys, record: record, pageSize: pageSize)
    }

    /// Makes the file of a vault that will replace another one.
    static func createSuccessor(
        directory: String, keys: NewVaultKeys, record: RegistryRecord
    ) throws(VaultError) {
        let path = successorPath(of: record.owner, in: directory)
        try files { () throws(SystemError) in
            try remove(path)
            try DurableFile.write([], to: path, mode: 0o600)
            return true
        }
        try fill(path, keys: keys, record: record, pageSize: VaultDatabase.pageSize)
    }

    /// Writes tables, objects, keybag and header of a vault without items, then closes and syncs the file.
    private static func fill(
        _ path: String, keys: NewVaultKeys, record: RegistryRecord, pageSize: Int
    ) throws(VaultError) {
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
                keys: vaultKeys, unlockRoot: keys.unlockRoot, recoveryPublicKey: keys.recoveryPublicKey,
                isBound: record.binding != nil, format
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

    /// Gives a registered vault's file its final name. Does nothing if the file has it already.
    ///
    /// - Throws: `.damaged` if no file is the registered one.
    public static func adopt(directory: String, record: RegistryRecord) throws(VaultError) {
        try adoptSuccessor(directory: directory, record: record)
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
            // SQLite would replay a WAL left by an earlier file into this one.
            for side in sideFiles { try FileRemoval.remove(path + side) }
            try DurableFile.move(newPath, to: path)
            return true
        }
    }

    /// Gives a successor's files their final names, if the registry names the successor. From then on, nothing of the
    /// former vault is left here.
    private static func adoptSuccessor(directory: String, record: RegistryRecord) throws(VaultError) {
        let (path, log) = (path(of: record.owner, in: directory), logPath(of: record.owner, in: directory))
        let successor = successorPath(of: record.owner, in: directory)
        if try isVault(successor, of: record) {
            try files { () throws(SystemError) in
                for side in sideFiles { try FileRemoval.remove(path + side) }
                try DurableFile.move(successor, to: path)
                for side in sideFiles { try FileRemoval.remove(successor + side) }
                return true
            }
        }
        try files { () throws(SystemError) in
            guard try LogStart.vault(ofFile: log + successorSuffix) == record.vault else { return true }
            try DurableFile.move(log + successorSuffix, to: log)
            return true
        }
    }

    /// Whether a file claims to be the record's vault. Only opening it proves that.
    private static func isVault(_ path: String, of record: RegistryRecord) throws(VaultError) -> Bool {
        // An empty file is none. SQLite would write to it first, and a full disk would then keep the vault in use closed.
        guard try files({ () throws(SystemError) in try FileStatus.of(path)?.size ?? 0 > 0 }) else { return false }
        do throws(VaultError) {
            try checkKind(of: path)
            let database = try VaultDatabase(path: path)
            let header = try database.read { (rows) throws(VaultError) in
                try rows.checkSchema()
                return try Header(decoding: rows.header().content)
            }
            try database.close()
            return header.vault == record.vault && header.owner == record.owner && header.sealer == record.sealer
        } catch {
            // A renewal that was interrupted while it made its file leaves half a file, which belongs to no vault.
            guard error.code == .damaged else { throw error }
            return false
        }
    }

    /// Deletes the note about a renewal, once nothing of the former vault is left in the TPM.
    public static func forgetSuccession(of owner: Owner, in directory: String) throws(VaultError) {
        try files { () throws(SystemError) in
            try FileRemoval.remove(successionPath(of: owner, in: directory))
            return true
        }
    }

    /// Deletes everything that an abandoned renewal has left.
    static func removeSuccessor(of owner: Owner, in directory: String) throws(VaultError) {
        try giveUpSuccessor(of: owner, in: directory)
        try forgetSuccession(of: owner, in: directory)
    }

    /// Deletes the files of a successor that is given up. The note about it stays, because it tells what is in the TPM.
    public static func giveUpSuccessor(of owner: Owner, in directory: String) throws(VaultError) {
        try files { () throws(SystemError) in
            try remove(successorPath(of: owner, in: directory))
            try FileRemoval.remove(logPath(of: owner, in: directory) + successorSuffix)
            return true
        }
    }

    /// Moves a vault that nobody has open out of the way, with its log and with all that belongs to it. Nothing is removed or replaced.
    ///
    /// - Parameters:
    ///   - time: becomes part of the files' names.
    ///   - records: the names of the records that were set aside. A vault without one was left by an interruption, and is taken up.
    /// - Returns: that part of the names, and where the vault is now; nil if there is no vault's file.
    public static func setAside(
        _ owner: Owner, in directory: String, at time: String, records: [String]
    ) throws(VaultError) -> (stamp: String, file: String?) {
        let (aside, start) = (setAsideDirectory(in: directory), "\(owner.fileStem).")
        var moved: (stamp: String, file: String?) = (time, nil)
        try files { () throws(SystemError) in
            try Folder.make(aside, mode: 0o700)
            let taken = try Folder.entries(aside).filter { $0.hasPrefix(start) }
            let names = try Folder.entries(directory).filter { $0.hasPrefix(start) }.map { $0.dropFirst(start.count) }
            // The vault itself comes first. Without it, nothing uses the files beside it.
            let parts = names.filter { $0 == "vault" } + names.filter { $0 != "vault" }.sorted()
            func isFree(_ stamp: String) -> Bool { !parts.contains { taken.contains("\(start)\(stamp).\($0)") } }
            let left = taken.filter { $0.hasSuffix(".vault") }.map {
                $0.dropFirst(start.count).dropLast(".vault".count)
            }
            .filter { !records.contains("\(start)\($0).json") }.sorted().last.map { String($0) }
            if let left, !parts.contains("vault"), isFree(left) {
                moved = (left, "\(aside)/\(start)\(left).vault")
            } else {
                var number = 1
                while taken.contains(where: { $0.hasPrefix("\(start)\(moved.stamp).") }) {
                    number += 1
                    moved.stamp = "\(time)-\(number)"
                }
            }
            for part in parts {
                let target = "\(aside)/\(start)\(moved.stamp).\(part)"
                try DurableFile.move("\(directory)/\(start)\(part)", to: target)
                if part == "vault" { moved.file = target }
            }
            try DurableFile.syncFolder(of: "\(directory)/\(start)vault")
            return true
        }
        return moved
    }

    /// Checks that a vault is a regular file of the broker's own, and never a link.
    static func checkKind(of path: String) throws(VaultError) {
        for path in [path] + sideFiles.map({ path + $0 }) {
            try files { () throws(SystemError) in
                try FileStatus.of(path).map(\.isRegular) ?? true
            } orThrow: {
                .damaged("\(path) is not a regular file")
            }
        }
    }

    /// Copies a vault that nobody has open, with the WAL that a crash may have left beside it.
    ///
    /// - Throws: `.notFound` if there is no such file; `.damaged` for a link or anything else that is not a file;
    ///   `.storage`.
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
                guard status.size <= DatabaseLimits.copy else {
                    throw SystemError("copy \(path)", reason: "it is too large to be a vault")
                }
                let bytes = try DurableFile.read(path + side, limit: Int(DatabaseLimits.copy))
                try DurableFile.write(bytes, to: other + side, mode: 0o600)
                return true
            }
        }
    }

    private static func remove(_ path: String) throws(SystemError) {
        for name in [""] + sideFiles { try FileRemoval.remove(path + name) }
    }

    /// Translates errors of the file system.
    @discardableResult
    private static func files(
        _ body: () throws(SystemError) -> Bool, orThrow refusal: (() -> VaultError)? = nil
    ) throws(VaultError) -> Bool {
        let isFine: Bool
        do throws(SystemError) { isFine = try body() } catch {
            throw VaultError(
                .storage, "the vault's files cannot be used: \(error.message)",
                advice: "check the disk and its permissions", cause: error)
        }
        if !isFine, let refusal { throw refusal() }
        return isFine
    }
}
