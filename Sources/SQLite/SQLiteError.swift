import CSQLite

/// Why SQLite refused or failed.
public struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// SQLite's extended result code ("Result and Error Codes" of its manual), such as 522 for a short read.
    public let code: Int32

    public init(code: Int32) { self.code = code }

    /// What the code says about the file.
    public enum Kind: Sendable, Equatable {
        /// There is no room on the disk, or for the database.
        case full
        /// The file is shorter than it says, or the file system finds it damaged.
        case unreadable
        /// Another connection has it.
        case busy
        /// SQLite has no memory left, also by a limit on it. This tells nothing about the content.
        case outOfMemory
        /// The file system or a permission is in the way. This tells nothing about the content.
        case inaccessible
        /// It is no database, a damaged one, or the call was wrong.
        case other
    }

    public var kind: Kind {
        // Macros of C, computed from others, which Swift does not see.
        let (shortRead, damagedFile) = (SQLITE_IOERR | 2 << 8, SQLITE_IOERR | 33 << 8)
        let noMemory = SQLITE_IOERR | 12 << 8
        // The low eight bits are the primary code.
        return switch code & 0xFF {
        case SQLITE_FULL: .full
        case SQLITE_IOERR where [shortRead, damagedFile].contains(code): .unreadable
        case SQLITE_NOMEM: .outOfMemory
        case SQLITE_IOERR where code == noMemory: .outOfMemory
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH, SQLITE_INTERRUPT, SQLITE_NOLFS,
            SQLITE_PROTOCOL:
            .inaccessible
        default: .other
        }
    }

    /// Whether the disk did not take what was written.
    public var isOfSync: Bool { code == SQLITE_IOERR | 4 << 8 }

    /// SQLite's own words for the code. They are fixed, so they name no file, table or value.
    public var reason: String { unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? "unknown error" }

    public var description: String { "SQLite error \(code): \(reason)" }
}

/// The gate for calls that return `SQLITE_OK` or an error.
func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(code: code) }
}
