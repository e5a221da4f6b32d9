import Platform
import SQLite

extension DatabaseLimits {
    /// Applies the limits. This happens before anything is read from the file, even the names of its tables.
    ///
    /// - Parameter heap: SQLite's memory for all vaults of this process together, in bytes.
    static func apply(to database: Connection, heap: Int = DatabaseLimits.heap) throws(SQLiteError) {
        try database.limit(rows: Int32(row), statements: statement)
        try database.once("PRAGMA hard_heap_limit = \(heap)")
        // Beyond half of it, a vault caches a page only in another one's place, so open vaults leave room for all others.
        try database.once("PRAGMA soft_heap_limit = \(heap / 2)")
    }

    /// - Throws: `.damaged` for a file longer than any of Coffer's.
    static func check(_ path: String) throws(VaultError) {
        for path in [path, path + "-wal"] {
            let status: FileStatus?
            do throws(SystemError) { status = try FileStatus.of(path) } catch {
                throw VaultError(
                    .storage, "the vault's files cannot be used: \(error.message)",
                    advice: "check the disk and its permissions", cause: error)
            }
            guard status?.size ?? 0 <= file else { throw .damaged("\(path) is longer than a vault can be") }
        }
    }
}

extension Connection {
    /// Gives rows to `body` one by one, and ends with the first that is too much. A hostile file can have many rows in the
    /// same pages, so its size bounds nothing.
    ///
    /// - Parameter limit: for all rows together, in bytes.
    /// - Throws: `.damaged` for more; `.storage`; what `body` throws.
    func forEachRow(
        _ sql: String, limit: Int64, _ body: ([Value]) throws(VaultError) -> Void
    ) throws(VaultError) {
        var left = limit
        try forEachRow(sql, StorageGate.translate) { (row) throws(VaultError) in
            left -= row.reduce(64) { $0 + Int64($1.count) }
            guard left >= 0 else { throw .damaged("it holds more than a vault can") }
            try body(row)
        }
    }
}

extension Room {
    /// There are too many items, or their records are too large together.
    var manyRecords: VaultError {
        VaultError(
            .limitExceeded,
            "the vault is full: it has \(items) items at most, and \(records >> 20) MiB of names and attributes",
            advice: "remove items that you do not need"
        )
    }

    /// Whether the items are not too many, and their records not too large.
    ///
    /// - Parameter recordBytes: measures the records, which may read all of them.
    func fits(
        _ rows: Rows, items count: UInt64, recordBytes: () throws(VaultError) -> Int64
    ) throws(VaultError) -> Bool {
        guard count <= items else { return false }
        // A file smaller than the limit needs no measuring.
        return try rows.fileBytes() <= records ? true : recordBytes() <= records
    }

    /// Whether there is room for an item's record and its values besides.
    ///
    /// - Parameters:
    ///   - record: by how many bytes the records grow.
    ///   - values: the bytes of the values.
    ///   - recordBytes: measures the records, which may read all of them.
    func fits(
        _ rows: Rows, items count: UInt64, record: Int, values: Int, recordBytes: () throws(VaultError) -> Int64
    ) throws(VaultError) -> Bool {
        guard count <= items else { return false }
        let used = try rows.fileBytes()
        guard used + Int64(record + values + Self.overhead) <= file else { return false }
        return try used + Int64(record) <= records ? true : recordBytes() + Int64(record) <= records
    }

    /// More than the index entries, slots and former names take that belong to one item.
    static let overhead = 1 << 20

    /// - Throws: `.limitExceeded` if the file is too large.
    func checkFile(_ rows: Rows) throws(VaultError) {
        guard try rows.fileBytes() <= file else {
            throw VaultError(
                .limitExceeded,
                "the vault is full: its file has \(file >> 30) GiB at most", advice: "remove items that you do not need"
            )
        }
    }
}
