import Authorization
import SQLite

/// The rows of a vault, with types. A value of another type than Coffer writes is damage, and never a trap.
struct Rows {
    let database: Connection
    /// Begins the transaction before the first row is read; nil if it has begun.
    private let late: LateReading?
    /// What a change has written; nil for a read.
    let written: WrittenRows?

    init(_ database: Connection, late: LateReading? = nil, written: WrittenRows? = nil) {
        self.database = database
        self.late = late
        self.written = written
    }

    /// Reads what follows from the file, even if it was kept in memory.
    func begin() throws(VaultError) { try late?.begin() }

    /// - Returns: the format of a vault with these tables. The header must have the same.
    /// - Throws: `.damaged` for tables that differ from Coffer's, and for rows longer than any of Coffer's.
    @discardableResult
    func checkSchema() throws(VaultError) -> UInt16 {
        guard let format = try headSchema() else { throw .damaged("its tables are not those of a vault") }
        return format
    }

    /// As ``checkSchema()``, for who reads the head first.
    ///
    /// - Returns: nil for tables of no known format. Only the head may be read then, and it must be of a newer one.
    func headSchema() throws(VaultError) -> UInt16? {
        guard let format = try Schema.check(database) else { return nil }
        try checkKeys(format)
        return format
    }

    /// When SQLite searches a table or an index, it reads whole rows to compare them, however long they are. A short
    /// file has no rows long enough to matter.
    private func checkKeys(_ format: UInt16) throws(VaultError) {
        guard try wholeFileBytes() > DatabaseLimits.unchecked else { return }
        let tables = [
            ("item", ["id", "record"], 1), ("posting", ["term", "items"], 1),
            ("node", ["level", "number", "content"], 1), ("value", ["id"], 1),
            ("former", ["item", "records"], 2), ("field", ["item", "content"], 3),
            ("slot", ["revision", "slots"], 3),
        ]
        let circle = try hasCircle() ? [("circle", ["id", "content"], 3)] : []
        for (table, columns, since) in tables + circle where format >= since {
            let longest = "SELECT coalesce(max(\(Self.length(of: columns))), 0) FROM \(table)"
            guard try number(longest) <= DatabaseLimits.row else {
                throw .damaged("it has a row that is too long")
            }
        }
    }

    func createTables() throws(VaultError) { try Schema.create(database, after: 0) }

    /// Adds the tables that a file of an earlier format lacks.
    func addTables(to format: UInt16) throws(VaultError) { try Schema.create(database, after: format) }

    // Reading

    func header() throws(VaultError) -> (content: [UInt8], mac: [UInt8]) {
        // A second one is damage, so no further one is read.
        let rows = try fetch("SELECT content, mac FROM header", limit: 2)
        guard rows.count == 1 else { throw .damaged("its header is missing") }
        return (try bytes(rows[0], 0), try bytes(rows[0], 1))
    }

    func objects() throws(VaultError) -> SealedObjects {
        var objects: SealedObjects = [:]
        let columns = ["role", "public", "private"]
        try forEachRow(of: "object", columns, DatabaseLimits.objects) { (row) throws(VaultError) in
            guard let number = UInt16(exactly: try integer(row, 0)), let role = ObjectRole(ofVault: number),
                objects[role] == nil
            else { throw .damaged("it holds an unknown object") }
            objects[role] = SealedObject(role: role, public: try bytes(row, 1), private: try bytes(row, 2))
        }
        return objects
    }

    func keybag() throws(VaultError) -> [UInt8] {
        guard let content = try blob("SELECT content FROM keybag") else { throw .damaged("its keybag is missing") }
        return content
    }

    /// nil if no recovery code was made.
    func recovery() throws(VaultError) -> [UInt8]? { try blob("SELECT content FROM recovery") }

    func transition() throws(VaultError) -> [UInt8]? { try blob("SELECT content FROM transition") }

    func node(_ node: TreeNode) throws(VaultError) -> [UInt8]? {
        try blob(
            "SELECT content FROM node WHERE level = ? AND number = ?",
            [.integer(Int64(node.level)), .integer(Int64(node.number))])
    }

    func record(of item: ItemID) throws(VaultError) -> [UInt8]? {
        try blob("SELECT record FROM item WHERE id = ?", [.blob(item.bytes)])
    }

    /// - Returns: nil also if the row holds something other than bytes: then this item alone is damaged.
    func fields(of item: ItemID) throws(VaultError) -> [UInt8]? {
        try blobIfPresent("SELECT content FROM field WHERE item = ?", [.blob(item.bytes)])
    }

    /// - Parameter key: as the field's record has it.
    /// - Returns: nil also if the row holds something other than bytes: then this value alone is damaged.
    func sealedValue(_ key: [UInt8]) throws(VaultError) -> [UInt8]? {
        try blobIfPresent("SELECT sealed FROM value WHERE id = ?", [.blob(key)])
    }

    /// The bytes of a sealed value, without reading it; 0 if there is none.
    func sealedValueBytes(_ key: [UInt8]) throws(VaultError) -> Int64 {
        guard let row = try fetch("SELECT length(sealed) FROM value WHERE id = ?", [.blob(key)], limit: 1).first else {
            return 0
        }
        return try integer(row, 0)
    }

    /// - Returns: nil also if the row holds something other than bytes: then this item alone is damaged.
    func former(of item: ItemID) throws(VaultError) -> [UInt8]? {
        try blobIfPresent("SELECT records FROM former WHERE item = ?", [.blob(item.bytes)])
    }

    /// Whether the file has the table of a circle.
    func hasCircle() throws(VaultError) -> Bool {
        try number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'circle'") == 1
    }

    /// A row of a circle. The file must have the table.
    func circle(_ id: [UInt8]) throws(VaultError) -> [UInt8]? {
        try blob("SELECT content FROM circle WHERE id = ?", [.blob(id)])
    }

    /// Gives away all rows of a circle, one by one, in the order of their ids. The file must have the table.
    func forEachOfCircle(_ body: (_ id: [UInt8], _ content: [UInt8]) throws(VaultError) -> Void) throws(VaultError) {
        try checkLength("circle", ["id", "content"], DatabaseLimits.circle)
        let ordered = "SELECT id, content FROM circle ORDER BY id"
        try database.forEachRow(ordered, limit: DatabaseLimits.circle) { (row) throws(VaultError) in
            try body(bytes(row, 0), bytes(row, 1))
        }
    }

    func posting(_ term: [UInt8]) throws(VaultError) -> [UInt8]? {
        try blob("SELECT items FROM posting WHERE term = ?", [.blob(term)])
    }

    func allItems() throws(VaultError) -> [(id: [UInt8], record: [UInt8])] {
        var all: [(id: [UInt8], record: [UInt8])] = []
        try forEachItem { (id, record) throws(VaultError) in all.append((id: id, record: record)) }
        return all
    }

    func itemIDs() throws(VaultError) -> [[UInt8]] {
        var ids: [[UInt8]] = []
        try forEachRow(of: "item", ["id"], DatabaseLimits.items) { (row) throws(VaultError) in
            ids.append(try bytes(row, 0))
        }
        return ids
    }

    /// Gives away all items' rows, one by one.
    func forEachItem(_ body: (_ id: [UInt8], _ record: [UInt8]) throws(VaultError) -> Void) throws(VaultError) {
        try forEachRow(of: "item", ["id", "record"], DatabaseLimits.items) { (row) throws(VaultError) in
            try body(bytes(row, 0), bytes(row, 1))
        }
    }

    /// Checks, before all fields are read, that they together are not longer than a vault's can be.
    func checkFields() throws(VaultError) {
        try checkLength("field", ["item", "content"], DatabaseLimits.fields)
    }

    /// - Returns: no records of a row that holds something other than bytes: then that item alone is damaged.
    func allFormer() throws(VaultError) -> [(item: [UInt8], records: [UInt8])] {
        var all: [(item: [UInt8], records: [UInt8])] = []
        try forEachRow(of: "former", ["item", "records"], DatabaseLimits.items) { (row) throws(VaultError) in
            var records: [UInt8] = []
            if case .blob(let bytes) = row[1] { records = bytes }
            all.append((item: try bytes(row, 0), records: records))
        }
        return all
    }

    func allPostings() throws(VaultError) -> [(term: [UInt8], items: [UInt8])] {
        var all: [(term: [UInt8], items: [UInt8])] = []
        try forEachRow(of: "posting", ["term", "items"], DatabaseLimits.postings) { (row) throws(VaultError) in
            all.append((term: try bytes(row, 0), items: try bytes(row, 1)))
        }
        return all
    }

    /// Checks, before a whole table is read, that its rows together are not longer than a vault's can be. A small file
    /// needs no check.
    private func checkLength(_ table: String, _ columns: [String], _ limit: Int64) throws(VaultError) {
        guard try wholeFileBytes() > limit else { return }
        // Each row costs memory, however short it is.
        let sum = "SELECT coalesce(sum(\(Self.length(of: columns)) + 64), 0) FROM \(table)"
        guard try number(sum) <= limit else { throw .damaged("it holds more than a vault can") }
    }

    /// SQL for the bytes of some columns. SQLite's own `length` ends at a text's first zero byte, and is null for a null.
    private static func length(of columns: [String]) -> String {
        columns.map { column in
            "CASE typeof(\(column)) WHEN 'blob' THEN length(\(column)) "
                + "WHEN 'text' THEN length(CAST(\(column) AS BLOB)) ELSE 0 END"
        }.joined(separator: " + ")
    }

    /// The size of all items' records together, in bytes. SQLite knows each length without reading the record.
    func recordBytes() throws(VaultError) -> Int64 { try number("SELECT coalesce(sum(length(record)), 0) FROM item") }

    /// The size of all that the vault keeps of a circle, in bytes. The file must have its table.
    func circleBytes() throws(VaultError) -> Int64 {
        try number("SELECT coalesce(sum(length(id) + length(content)), 0) FROM circle")
    }

    /// The size of all former values' records together, in bytes.
    func formerBytes() throws(VaultError) -> Int64 {
        try number("SELECT coalesce(sum(length(records)), 0) FROM former")
    }

    /// The used part of the file, in bytes.
    func fileBytes() throws(VaultError) -> Int64 {
        let (pages, free) = (try number("PRAGMA page_count"), try number("PRAGMA freelist_count"))
        // The first page is never free.
        guard free >= 0, free < pages else { throw .damaged("it has more free pages than pages") }
        return try (pages - free) * number("PRAGMA page_size")
    }

    /// The size of the whole file, in bytes. The file itself claims how much of it is free, so a limit against hostile
    /// files must not rely on that.
    private func wholeFileBytes() throws(VaultError) -> Int64 {
        try number("PRAGMA page_count") * number("PRAGMA page_size")
    }

    private func number(_ sql: String) throws(VaultError) -> Int64 {
        guard let row = try fetch(sql).first else { throw .damaged("it cannot be measured") }
        return try integer(row, 0)
    }

    func count(of table: String) throws(VaultError) -> Int64 {
        guard let row = try fetch("SELECT count(*) FROM \(table)").first else {
            throw .damaged("\(table) cannot be counted")
        }
        return try integer(row, 0)
    }

    /// Runs SQLite's own integrity check.
    func checkIntegrity() throws(VaultError) {
        let rows = try fetch("PRAGMA integrity_check(1)")
        guard rows == [[.text("ok")]] else {
            throw .damaged("SQLite finds it inconsistent")
        }
    }

    // Writing

    func put(header content: [UInt8], mac: [UInt8]) throws(VaultError) {
        try execute("INSERT OR REPLACE INTO header (id, content, mac) VALUES (1, ?, ?)", [.blob(content), .blob(mac)])
    }

    func put(_ object: SealedObject) throws(VaultError) {
        try execute(
            "INSERT INTO object (role, public, private) VALUES (?, ?, ?)",
            [.integer(Int64(object.role.rawValue)), .blob(object.public), .blob(object.private)])
    }

    func replace(_ object: SealedObject) throws(VaultError) {
        try removeObject(object.role)
        try put(object)
    }

    func removeObject(_ role: ObjectRole) throws(VaultError) {
        try execute("DELETE FROM object WHERE role = ?", [.integer(Int64(role.rawValue))])
    }

    func put(keybag: [UInt8]) throws(VaultError) {
        try execute("INSERT INTO keybag (id, content) VALUES (1, ?)", [.blob(keybag)])
    }

    func put(recovery: [UInt8]) throws(VaultError) {
        try execute("INSERT OR REPLACE INTO recovery (id, content) VALUES (1, ?)", [.blob(recovery)])
    }

    func replace(keybag: [UInt8]) throws(VaultError) {
        try execute("DELETE FROM keybag", [])
        try put(keybag: keybag)
    }

    /// - Parameter transition: empty removes the row.
    func put(transition: [UInt8]) throws(VaultError) {
        guard !transition.isEmpty else { return try execute("DELETE FROM transition", []) }
        try execute("INSERT OR REPLACE INTO transition (id, content) VALUES (1, ?)", [.blob(transition)])
    }

    func put(record: [UInt8], of item: ItemID) throws(VaultError) {
        written?.note(item)
        try execute("INSERT OR REPLACE INTO item (id, record) VALUES (?, ?)", [.blob(item.bytes), .blob(record)])
    }

    func put(fields: [UInt8], of item: ItemID) throws(VaultError) {
        written?.note(item)
        try execute("INSERT OR REPLACE INTO field (item, content) VALUES (?, ?)", [.blob(item.bytes), .blob(fields)])
    }

    func put(sealedValue: [UInt8], under key: [UInt8]) throws(VaultError) {
        try execute("INSERT INTO value (id, sealed) VALUES (?, ?)", [.blob(key), .blob(sealedValue)])
    }

    /// Removes an item and its fields, but no value.
    func remove(_ item: ItemID) throws(VaultError) {
        written?.note(item)
        try execute("DELETE FROM item WHERE id = ?", [.blob(item.bytes)])
        try execute("DELETE FROM field WHERE item = ?", [.blob(item.bytes)])
    }

    func removeValue(_ key: [UInt8]) throws(VaultError) {
        try execute("DELETE FROM value WHERE id = ?", [.blob(key)])
    }

    /// - Parameter former: empty removes the row.
    func put(former records: [UInt8], of item: ItemID) throws(VaultError) {
        guard !records.isEmpty else { return try execute("DELETE FROM former WHERE item = ?", [.blob(item.bytes)]) }
        try execute("INSERT OR REPLACE INTO former (item, records) VALUES (?, ?)", [.blob(item.bytes), .blob(records)])
    }

    /// Makes the table of a circle.
    func createCircle() throws(VaultError) { try execute(Schema.circle.sql, []) }

    /// Removes the table of a circle, with all its rows.
    func dropCircle() throws(VaultError) { try execute("DROP TABLE circle", []) }

    /// - Parameter content: empty removes the row.
    func put(circle id: [UInt8], _ content: [UInt8]) throws(VaultError) {
        guard !content.isEmpty else { return try execute("DELETE FROM circle WHERE id = ?", [.blob(id)]) }
        try execute("INSERT OR REPLACE INTO circle (id, content) VALUES (?, ?)", [.blob(id), .blob(content)])
    }

    /// - Parameter items: empty removes the row.
    func put(posting term: [UInt8], items: [UInt8]) throws(VaultError) {
        written?.note(term: term)
        guard !items.isEmpty else { return try execute("DELETE FROM posting WHERE term = ?", [.blob(term)]) }
        try execute("INSERT OR REPLACE INTO posting (term, items) VALUES (?, ?)", [.blob(term), .blob(items)])
    }

    /// - Parameter content: empty removes the row.
    func put(_ node: TreeNode, _ content: [UInt8]) throws(VaultError) {
        let place: [Value] = [.integer(Int64(node.level)), .integer(Int64(node.number))]
        guard !content.isEmpty else { return try execute("DELETE FROM node WHERE level = ? AND number = ?", place) }
        try execute("INSERT OR REPLACE INTO node (level, number, content) VALUES (?, ?, ?)", place + [.blob(content)])
    }

    // Access to SQLite

    private func execute(_ sql: String, _ values: [Value]) throws(VaultError) {
        try StorageGate.run { () throws(SQLiteError) in try database.run(sql, values) }
    }

    private func fetch(_ sql: String, _ values: [Value] = [], limit: Int = .max) throws(VaultError) -> [[Value]] {
        try late?.begin()
        return try StorageGate.run { () throws(SQLiteError) in try database.rows(sql, values, limit: limit) }
    }

    /// The first row's bytes. No other row is read.
    private func blob(_ sql: String, _ values: [Value] = []) throws(VaultError) -> [UInt8]? {
        guard let row = try fetch(sql, values, limit: 1).first else { return nil }
        return try bytes(row, 0)
    }

    /// The same, and nil if the first row holds something other than bytes.
    private func blobIfPresent(_ sql: String, _ values: [Value]) throws(VaultError) -> [UInt8]? {
        guard let row = try fetch(sql, values, limit: 1).first, case .blob(let bytes)? = row.first else { return nil }
        return bytes
    }

    /// Gives away a table's rows, one by one, once they are measured.
    private func forEachRow(
        of table: String, _ columns: [String], _ limit: Int64, _ body: ([Value]) throws(VaultError) -> Void
    ) throws(VaultError) {
        try checkLength(table, columns, limit)
        try database.forEachRow("SELECT \(columns.joined(separator: ", ")) FROM \(table)", limit: limit, body)
    }

    private func bytes(_ row: [Value], _ column: Int) throws(VaultError) -> [UInt8] {
        guard case .blob(let bytes) = row[column] else {
            throw .damaged("a row holds something other than bytes")
        }
        return bytes
    }

    private func integer(_ row: [Value], _ column: Int) throws(VaultError) -> Int64 {
        guard case .integer(let number) = row[column] else {
            throw .damaged("a row holds something other than a number")
        }
        return number
    }
}
