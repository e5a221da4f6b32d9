import GRDB
import GRDBSQLite
import Platform

/// Limits on what a vault's file can make this process read. Nobody who can write the file may fill everybody's memory
/// with it.
enum StorageLimits {
    /// The longest row that Coffer writes, with room to spare. That is a value of 1 MiB with its padding, or names and
    /// attributes with every character escaped. In bytes, like all limits here.
    static let row = 4 << 20
    /// The file and its WAL, each: the limit of one vault, plus freed space in the file.
    static let file: Int64 = 2 << 30
    /// A file no longer than this may be searched without checking all its rows first.
    static let unchecked: Int64 = 32 << 20
    /// All that is read to list all items: twice what they may have.
    static let items: Int64 = 32 << 20
    /// All of a vault's index entries.
    static let postings: Int64 = 192 << 20
    /// SQLite's own memory for all vaults together. It also bounds what SQLite allocates for a file that Coffer did not
    /// write.
    static let heap = 384 << 20

    /// Applies the limits. This happens before anything is read from the file, even the names of its tables.
    static func apply(to database: Database) throws {
        _ = unsafe sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, Int32(row))
        // 64 KiB is more than a page. No statement of Coffer's is that long.
        _ = unsafe sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_SQL_LENGTH, 64 << 10)
        _ = try Row.fetchOne(database, sql: "PRAGMA hard_heap_limit = \(heap)")
    }

    /// - Throws: `.damaged` for a file longer than any of Coffer's.
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
