import CSQLite
import Synchronization

/// A connection to a database. Its user sees to it that no two threads use it at once.
///
/// Text in double quotes is never taken for a string ("Quirks, Caveats, and Gotchas In SQLite", section 8). Errors have
/// extended codes.
@safe public final class Connection {
    /// nil after `close`.
    private var database: OpaquePointer?
    /// Each by its text.
    private var statements: [String: Statement] = [:]

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: an existing file. An empty one is a database without tables. nil: a database in memory.
    ///   - busyTimeout: milliseconds for which a locked file is waited for.
    /// - Throws: `SQLITE_CANTOPEN` if there is no such file.
    public init(path: String?, busyTimeout: Int32 = 0) throws(SQLiteError) {
        // Never created here: a missing file would come back as an empty one.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path ?? ":memory:", &opened, flags, nil)
        unsafe database = opened
        // After an error, too, there is usually a connection to close; `deinit` does.
        try check(code)
        try takeNoQuotesForText()
        let handle = try unsafe handle
        try check(unsafe sqlite3_busy_timeout(handle, busyTimeout))
    }

    /// Opens a file for a look. Nothing is locked or written, and a WAL beside the file is not read. If somebody writes
    /// the file meanwhile, what is read may not belong together.
    ///
    /// - Parameter path: an existing file, also one that another connection of this process has locked.
    /// - Throws: `SQLITE_CANTOPEN` if there is no such file.
    public init(lookingAt path: String) throws(SQLiteError) {
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(
            Self.unchanging(path), &opened,
            SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX, nil)
        unsafe database = opened
        try check(code)
        try takeNoQuotesForText()
    }

    /// The name by which SQLite opens a file as one that nobody changes ("Uniform Resource Identifiers").
    static func unchanging(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var name = Array("file:".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."):
                name.append(byte)
            // Any other may mean something else there.
            default: name += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: name, as: UTF8.self) + "?immutable=1"
    }

    private func takeNoQuotesForText() throws(SQLiteError) {
        let handle = try unsafe handle
        for option in [SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML] {
            try check(unsafe coffer_sqlite_set(handle, option, 0))
        }
    }

    deinit {
        statements.removeAll()
        _ = unsafe sqlite3_close_v2(database)
    }

    private var handle: OpaquePointer {
        get throws(SQLiteError) {
            guard let handle = unsafe database else { throw SQLiteError(code: SQLITE_MISUSE) }
            return unsafe handle
        }
    }

    /// Closes the file. Afterwards, each call throws `SQLITE_MISUSE`.
    public func close() throws(SQLiteError) {
        statements.removeAll()
        try check(unsafe sqlite3_close(database))
        unsafe database = nil
    }

    /// Whether a transaction was begun and neither committed nor rolled back.
    var isInTransaction: Bool { unsafe database.map { unsafe sqlite3_get_autocommit($0) == 0 } ?? false }

    /// The longest row, text or blob, and the longest statement, in bytes. SQLite lowers what is above its own limits.
    public func limit(rows: Int32, statements: Int32) throws(SQLiteError) {
        let handle = try unsafe handle
        _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, rows)
        _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, statements)
    }

    /// Runs a statement and reads no row of it. It stays compiled for its next use.
    ///
    /// - Parameter values: one for each `?`.
    public func run(_ sql: String, _ values: [Value] = []) throws(SQLiteError) {
        _ = try rows(sql, values)
    }

    /// Runs a statement. It stays compiled for its next use.
    ///
    /// - Parameters:
    ///   - values: one for each `?`.
    ///   - limit: no row beyond so many is read.
    /// - Returns: the rows, each with a value for each column.
    public func rows(_ sql: String, _ values: [Value] = [], limit: Int = .max) throws(SQLiteError) -> [[Value]] {
        if let kept = statements[sql] { return try kept.rows(values, limit: limit) }
        let statement = try unsafe Statement(sql, isKept: true, in: handle)
        statements[sql] = statement
        return try statement.rows(values, limit: limit)
    }

    /// Runs a statement and gives its rows to `body` one by one. `body` runs other statements only.
    public func forEachRow<Failure: Error>(
        _ sql: String, _ failure: (SQLiteError) -> Failure, _ body: ([Value]) throws(Failure) -> Void
    ) throws(Failure) {
        // Not a kept one: `body` may come to the same text.
        let statement: Statement
        do throws(SQLiteError) { statement = try unsafe Statement(sql, isKept: false, in: handle) } catch {
            throw failure(error)
        }
        try statement.forEachRow(failure, body)
    }

    /// Runs a statement that is not needed again.
    ///
    /// - Returns: its first row; nil if there is none.
    @discardableResult
    public func once(_ sql: String) throws(SQLiteError) -> [Value]? {
        try unsafe Statement(sql, isKept: false, in: handle).rows([], limit: 1).first
    }
}

/// A connection that several threads use, one after the other.
public final class SerialConnection: Sendable {
    private let turn = Mutex<Void>(())
    // Reached only by who has the turn.
    private nonisolated(unsafe) let connection: Connection

    public init(_ connection: sending Connection) { unsafe self.connection = connection }

    /// Gives `body` the connection for itself. It must neither keep it nor call this again.
    public func use<Result, Failure: Error>(
        _ body: (Connection) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // `withLock` gives out only what another thread could have, too.
        var result: Result?
        try turn.withLock { (_: inout Void) throws(Failure) in result = try unsafe body(connection) }
        guard let result else { fatalError("a body that throws nothing has a result") }  // No other path leads here.
        return result
    }
}
