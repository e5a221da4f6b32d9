import GRDB
import GRDBSQLite
import Platform

/// What a vault's file may make this process read: whoever can write it is not to fill the memory of all with it.
enum StorageLimits {
    /// The longest row of ours: a value of 1 MiB and its padding, or names and attributes whose every character is escaped; and room besides.
    static let row = 4 << 20
    /// A file and its log, each: what one vault may have, with what was freed in it.
    static let file: Int64 = 2 << 30
    /// A file that is no longer than this may be searched without a look at all its rows first.
    static let unchecked: Int64 = 32 << 20
    /// All that a look at all items reads: twice what they may have.
    static let items: Int64 = 32 << 20
    /// All of a vault's index entries.
    static let postings: Int64 = 192 << 20
    /// SQLite's own memory, of all vaults together: what it makes of a file that nobody of us has written is bounded, too.
    static let heap = 384 << 20

    /// Before anything is read from the file, its tables' names included.
    static func apply(to database: Database) throws {
        _ = unsafe sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, Int32(row))
        // Larger than a page: no statement of ours is.
        _ = unsafe sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_SQL_LENGTH, 64 << 10)
        _ = try Row.fetchOne(database, sql: "PRAGMA hard_heap_limit = \(heap)")
    }

    /// - Throws: `.damaged` for a file that is longer than any of ours.
    static func check(_ path: String) throws(VaultError) {
        for path in [path, path + "-wal"] {
            let status: FileStatus?
            do throws(SystemError) { status = try FileStatus.of(path) } catch {
                throw VaultError(
                    .storage, "the vault's files cannot be used; look at the disk and its permissions", cause: error)
            }
            guard status?.size ?? 0 <= file else { throw .damaged("\(path) is longer than a vault can be") }
        }
    }
}
