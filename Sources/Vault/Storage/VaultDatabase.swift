import GRDB
import Platform

/// A vault's SQLite file. It has one connection, locked against all others. Before a change is reported, it is on disk
/// and the WAL is empty.
final class VaultDatabase: Sendable {
    private let queue: DatabaseQueue
    private let path: String

    /// SQLite's default, in bytes.
    static let pageSize = 4096

    /// - Parameters:
    ///   - path: an existing file, possibly empty. SQLite gives its side files the same permissions.
    ///   - pageSize: in bytes, for an empty file.
    init(path: String, pageSize: Int = VaultDatabase.pageSize) throws(VaultError) {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        // A broker that was just stopped may take a moment to release the file.
        configuration.busyMode = .timeout(2)
        try StorageLimits.check(path)
        // SQLite would only say that the file is in another mode than it should be.
        if let obstacle = Self.obstacle(path) { throw obstacle }
        self.path = path
        configuration.prepareDatabase { database in
            try StorageLimits.apply(to: database)
            // Exclusive mode uses no shared-memory file that others could write to, and allows no second writer.
            for pragma in [
                "page_size = \(pageSize)", "locking_mode = EXCLUSIVE", "trusted_schema = OFF", "cell_size_check = ON",
                "mmap_size = 0",
                "secure_delete = ON", "temp_store = MEMORY", "synchronous = FULL",
            ] { _ = try Row.fetchOne(database, sql: "PRAGMA \(pragma)") }
            let mode = try Row.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            guard let mode, case .string("wal") = (mode[0] as DatabaseValue).storage else {
                throw VaultError.damaged("it is not in WAL mode and cannot be brought there")
            }
        }
        queue = try StorageGate.run { try DatabaseQueue(path: path, configuration: configuration) }
    }

    /// Why the vault cannot be written, if the file or its folder is the reason.
    ///
    /// A vault that can only be read stays closed. Coffer records each read before it gives out a secret, and brings the
    /// file's epoch forward in each run. It can do neither here.
    private static func obstacle(_ path: String) -> VaultError? {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        for place in [folder, path] {
            do throws(SystemError) { try FileSystemRoom.checkWritable(place) } catch {
                return VaultError(
                    .storage, "the vault cannot be used: \(error.message)",
                    advice:
                        "have root make it writable for cofferd; Coffer opens no vault for reading only, because it records each read",
                    cause: error)
            }
        }
        return nil
    }

    /// Runs SQLite, and names the file if that cannot be used.
    private func run<Value>(_ body: () throws -> Value) throws(VaultError) -> Value {
        do throws(VaultError) { return try StorageGate.run(body) } catch {
            guard error.code == .storage, let obstacle = Self.obstacle(path) else { throw error }
            throw obstacle
        }
    }

    /// Reads within one transaction. It is rolled back, so nothing that `body` does stays in the file.
    func read<Value>(_ body: (Rows) throws(VaultError) -> Value) throws(VaultError) -> Value {
        try run {
            // `queue.read` sets a pragma around each transaction, after which SQLite parses every statement anew.
            try queue.unsafeRead { database in
                // `inTransaction` would parse these two anew, too.
                try database.cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
                let result = Result { try body(Rows(database)) }
                // After some errors, SQLite has rolled back already.
                if database.isInsideTransaction {
                    do { try database.cachedStatement(sql: "ROLLBACK TRANSACTION").execute() } catch {
                        // The first error says more.
                        _ = try result.get()
                        throw error
                    }
                }
                return try result.get()
            }
        }
    }

    /// Runs one transaction. Afterwards everything is in the file itself.
    func write<Value>(_ body: (Rows) throws(VaultError) -> Value) throws(VaultError) -> Value {
        try run {
            try queue.writeWithoutTransaction { database in
                var result: Value?
                try database.inTransaction(.immediate) {
                    result = try body(Rows(database))
                    return .commit
                }
                try Self.emptyLog(database)
                guard let result else { throw VaultError(.storage, "the change was not made") }
                return result
            }
        }
    }

    func close() throws(VaultError) {
        try run { try queue.close() }
    }

    /// Acknowledged changes must not depend on the WAL: one damaged frame would undo everything after it.
    private static func emptyLog(_ database: Database) throws {
        let row = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        guard let row, row.count == 3, case .int64(0) = (row[0] as DatabaseValue).storage,
            case .int64(0) = (row[1] as DatabaseValue).storage
        else {
            throw VaultError(
                .storage,
                "the change could not be written back, and may or may not be stored",
                advice: "check that, then try again")
        }
    }
}

/// Translates all errors of SQLite and GRDB, whose closures throw untyped.
enum StorageGate {
    static func run<Value>(_ body: () throws -> Value) throws(VaultError) -> Value {
        do {
            return try body()
        } catch let error as VaultError {
            throw error
        } catch let error as DatabaseError {
            throw translate(error)
        } catch {
            throw VaultError(.storage, "the vault's file cannot be used", cause: error)
        }
    }

    /// Errors of the file system become `.storage`. Any other error means that the file is not what Coffer wrote,
    /// because Coffer's statements are fixed.
    private static func translate(_ error: DatabaseError) -> VaultError {
        switch error.resultCode {
        case .SQLITE_FULL:
            return VaultError(
                .storage, "the disk is full, so nothing was changed", advice: "make room and try again", cause: error)
        case .SQLITE_IOERR
        where [.SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS].contains(error.extendedResultCode):
            return .damaged("a part of the file cannot be read", cause: error)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return VaultError(
                .storage, "the vault's file is in use by another process", advice: "stop that process", cause: error)
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_NOMEM,
            .SQLITE_INTERRUPT,
            .SQLITE_NOLFS, .SQLITE_PROTOCOL:
            return VaultError(
                .storage, "the vault's file cannot be read or written", advice: "check the disk and its permissions",
                cause: error)
        default:
            return .damaged("SQLite cannot read it", cause: error)
        }
    }
}
