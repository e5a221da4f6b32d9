import GRDB

/// A vault's SQLite file. One connection, locked against all others; every change is on disk, and the WAL empty, before it is reported.
final class VaultDatabase: Sendable {
    private let queue: DatabaseQueue

    /// SQLite's own choice.
    static let pageSize = 4096

    /// - Parameters:
    ///   - path: of a file that exists, even if empty; SQLite gives its side files the same permissions.
    ///   - pageSize: in bytes, for an empty file.
    init(path: String, pageSize: Int = VaultDatabase.pageSize) throws(VaultError) {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        // A broker that was just stopped may need a moment to let go.
        configuration.busyMode = .timeout(2)
        try StorageLimits.check(path)
        configuration.prepareDatabase { database in
            try StorageLimits.apply(to: database)
            // Exclusive: no shared-memory file that others could write to, and no second writer.
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

    func read<Value>(_ body: (Rows) throws(VaultError) -> Value) throws(VaultError) -> Value {
        try StorageGate.run { try queue.read { database in try body(Rows(database)) } }
    }

    /// One transaction; then everything is in the file itself.
    func write<Value>(_ body: (Rows) throws(VaultError) -> Value) throws(VaultError) -> Value {
        try StorageGate.run {
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
        try StorageGate.run { try queue.close() }
    }

    /// What is acknowledged must not hang on a WAL: one damaged frame would take back everything behind it.
    private static func emptyLog(_ database: Database) throws {
        let row = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        guard let row, row.count == 3, case .int64(0) = (row[0] as DatabaseValue).storage,
            case .int64(0) = (row[1] as DatabaseValue).storage
        else {
            throw VaultError(
                .storage, "the change could not be written back; it may be there or not: look, then try again")
        }
    }
}
