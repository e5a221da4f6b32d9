import CSQLite

/// One compiled statement. It is finalized with its last reference.
@safe final class Statement {
    private let handle: OpaquePointer

    /// - Parameter isKept: true for a statement that is used often, which SQLite then compiles for that.
    /// - Throws: `SQLITE_MISUSE` for a text that holds no statement, or more than one.
    init(_ sql: String, isKept: Bool, in database: OpaquePointer) throws(SQLiteError) {
        var made: OpaquePointer?
        var sql = sql
        // A failure leaves no statement, and so nothing to finalize.
        let (code, isWhole) = sql.withUTF8 { text in
            // SQLite's own limit is below what Int32 holds.
            guard let count = Int32(exactly: text.count) else { return (SQLITE_TOOBIG, false) }
            let start = unsafe UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
            guard let first = unsafe start else { return (SQLITE_MISUSE, false) }
            var rest: UnsafePointer<CChar>?
            let code = unsafe sqlite3_prepare_v3(
                database, first, count, isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &made, &rest)
            return unsafe (code, rest == first + text.count)
        }
        try check(code)
        guard let made = unsafe made else { throw SQLiteError(code: SQLITE_MISUSE) }
        unsafe handle = made
        guard isWhole else { throw SQLiteError(code: SQLITE_MISUSE) }
    }

    deinit {
        // It repeats the error of the last step, which was reported there.
        _ = unsafe sqlite3_finalize(handle)
    }

    /// Runs the statement, and leaves it without values and ready for its next use, also after an error.
    ///
    /// - Parameters:
    ///   - values: one for each parameter.
    ///   - limit: no row beyond so many is read.
    /// - Throws: `SQLITE_RANGE` for another number of values.
    func rows(_ values: [Value], limit: Int) throws(SQLiteError) -> [[Value]] {
        defer {
            _ = unsafe sqlite3_reset(handle)
            _ = unsafe sqlite3_clear_bindings(handle)
        }
        guard unsafe sqlite3_bind_parameter_count(handle) == values.count else { throw SQLiteError(code: SQLITE_RANGE) }
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
        var rows: [[Value]] = []
        while rows.count < limit, try step() { rows.append(try row()) }
        return rows
    }

    /// Runs the statement, which takes no values and is not used again. Gives each row away before it reads the next.
    func forEachRow<Failure: Error>(
        _ failure: (SQLiteError) -> Failure, _ body: ([Value]) throws(Failure) -> Void
    ) throws(Failure) {
        while true {
            let row: [Value]
            do throws(SQLiteError) {
                guard try step() else { return }
                row = try self.row()
            } catch { throw failure(error) }
            try body(row)
        }
    }

    private func row() throws(SQLiteError) -> [Value] {
        var row: [Value] = []
        for column in 0..<(unsafe sqlite3_column_count(handle)) { row.append(try value(column)) }
        return row
    }

    /// - Returns: whether there is a row.
    private func step() throws(SQLiteError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw SQLiteError(code: code)
        }
    }

    private func bind(_ value: Value, at place: Int32) throws(SQLiteError) {
        switch value {
        case .null: try check(unsafe sqlite3_bind_null(handle, place))
        case .integer(let number): try check(unsafe sqlite3_bind_int64(handle, place, number))
        case .real(let number): try check(unsafe sqlite3_bind_double(handle, place, number))
        case .text(let text):
            try check(unsafe coffer_sqlite_bind_text(handle, place, text, UInt64(text.utf8.count)))
        // Without an address, SQLite would bind null.
        case .blob(let bytes) where bytes.isEmpty: try check(unsafe sqlite3_bind_zeroblob64(handle, place, 0))
        case .blob(let bytes):
            try check(
                unsafe bytes.withUnsafeBytes { memory in
                    unsafe coffer_sqlite_bind_copy(handle, place, memory.baseAddress, UInt64(memory.count))
                })
        }
    }

    private func value(_ column: Int32) throws(SQLiteError) -> Value {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            let start = unsafe UnsafeRawPointer(sqlite3_column_text(handle, column))
            return .text(String(decoding: try unsafe bytes(start, column), as: UTF8.self))
        default:
            return .blob(try unsafe bytes(sqlite3_column_blob(handle, column), column))
        }
    }

    /// - Parameter start: what SQLite gave as the value's address: nil for no bytes, or if there was no memory.
    private func bytes(_ start: UnsafeRawPointer?, _ column: Int32) throws(SQLiteError) -> [UInt8] {
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        guard let start = unsafe start else {
            guard count == 0 else { throw SQLiteError(code: SQLITE_NOMEM) }
            return []
        }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}

/// One value of a row, as SQLite stores it ("Datatypes In SQLite", section 2). It is never converted to another type.
public enum Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    /// Bytes that are not UTF-8 are replaced by U+FFFD.
    case text(String)
    /// Not null, even if it has no bytes.
    case blob([UInt8])

    /// The bytes of a text or a blob; 0 for any other value.
    public var count: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        case .null, .integer, .real: 0
        }
    }
}
