import SQLite

/// The tables of a vault, as SQL text, because the text itself is checked (docs/vault-format.md, "Tables").
enum Schema {
    static let tables: [(name: String, sql: String)] = [
        // Those of format 1.
        (
            "header",
            "CREATE TABLE header (id INTEGER PRIMARY KEY CHECK (id = 1), content BLOB NOT NULL, mac BLOB NOT NULL)"
        ),
        ("object", "CREATE TABLE object (role INTEGER PRIMARY KEY, public BLOB NOT NULL, private BLOB NOT NULL)"),
        ("keybag", "CREATE TABLE keybag (id INTEGER PRIMARY KEY CHECK (id = 1), content BLOB NOT NULL)"),
        ("recovery", "CREATE TABLE recovery (id INTEGER PRIMARY KEY CHECK (id = 1), content BLOB NOT NULL)"),
        ("transition", "CREATE TABLE transition (id INTEGER PRIMARY KEY CHECK (id = 1), content BLOB NOT NULL)"),
        ("item", "CREATE TABLE item (id BLOB PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID"),
        ("value", "CREATE TABLE value (id BLOB PRIMARY KEY, sealed BLOB NOT NULL)"),
        ("posting", "CREATE TABLE posting (term BLOB PRIMARY KEY, items BLOB NOT NULL) WITHOUT ROWID"),
        (
            "node",
            """
            CREATE TABLE node (level INTEGER NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL, \
            PRIMARY KEY (level, number)) WITHOUT ROWID
            """
        ),
        // Since format 2.
        ("former", "CREATE TABLE former (item BLOB PRIMARY KEY, records BLOB NOT NULL) WITHOUT ROWID"),
        // Since format 3.
        ("field", "CREATE TABLE field (item BLOB PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID"),
        ("slot", "CREATE TABLE slot (revision BLOB PRIMARY KEY, slots BLOB NOT NULL) WITHOUT ROWID"),
    ]

    /// Only in a vault that shares items with other machines. It comes and goes with the circle.
    static let circle = (
        name: "circle", sql: "CREATE TABLE circle (id BLOB PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID"
    )

    /// How many of the tables a file of each format has, the first format first. Before there is a file there is none.
    private static let counts = [0, 9, 10, 12]

    /// The tables that a file of this format has.
    private static func tables(of format: UInt16) -> ArraySlice<(name: String, sql: String)> {
        tables.prefix(counts[Int(format)])
    }

    /// The tables that stay as they are in every later format, so that Coffer can tell a newer format from damage.
    private static let head = ["header", "object", "keybag", "transition"]

    /// SQLite's own index for the one table with row ids and a key.
    private static let automaticIndex = "index|sqlite_autoindex_value_1|value|"

    /// - Parameter format: the format that the file has tables of, below the newest. 0: it has none.
    static func create(_ database: Connection, after format: UInt16) throws(VaultError) {
        let missing = tables.dropFirst(tables(of: format).count)
        try StorageGate.run { () throws(SQLiteError) in for table in missing { try database.once(table.sql) } }
    }

    /// - Returns: the format of a vault with these tables. nil: they are of no format that this Coffer knows, but the
    ///   tables of the head may be read.
    /// - Throws: `.damaged` if one of the head's tables is missing or different, or if there is more than tables and
    ///   indexes of others. A foreign trigger or view could act in Coffer's name.
    static func check(_ database: Connection) throws(VaultError) -> UInt16? {
        var found: [[String]] = []
        let all = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
        try database.forEachRow(all, limit: DatabaseLimits.schema) { (row) throws(VaultError) in
            found.append(
                row.map { value in
                    switch value {
                    case .text(let text): text
                    case .null: ""
                    default: "?"
                    }
                })
        }
        let lines = found.map { $0.joined(separator: "|") }.sorted()
        for format in 1...Header.newestFormat {
            let expected = tables(of: format).map(line) + [automaticIndex]
            if lines == expected.sorted() { return format }
            if format >= 3, lines == (expected + [line(circle)]).sorted() { return format }
        }
        let ofHead = found.filter { head.contains($0[2]) }.map { $0.joined(separator: "|") }
        guard ofHead.sorted() == tables.filter({ head.contains($0.name) }).map(line).sorted(),
            found.allSatisfy({ $0[0] == "table" || $0[0] == "index" })
        else { throw .damaged("its tables are not those of a vault") }
        return nil
    }

    private static func line(_ table: (name: String, sql: String)) -> String {
        "table|\(table.name)|\(table.name)|\(table.sql)"
    }
}
