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

    /// How many of the tables a file of each format has, the first format first. Before there is a file there is none.
    private static let counts = [0, 9, 10, 12]

    /// The tables that a file of this format has.
    private static func tables(of format: UInt16) -> ArraySlice<(name: String, sql: String)> {
        tables.prefix(counts[Int(format)])
    }

    /// SQLite's own index for the one table with row ids and a key.
    private static let automaticIndex = "index|sqlite_autoindex_value_1|value|"

    /// - Parameter format: the format that the file has tables of, below the newest. 0: it has none.
    static func create(_ database: Connection, after format: UInt16) throws(VaultError) {
        let missing = tables.dropFirst(tables(of: format).count)
        try StorageGate.run { () throws(SQLiteError) in for table in missing { try database.once(table.sql) } }
    }

    /// - Returns: the format of a vault with these tables.
    /// - Throws: `.damaged` if anything is missing, added or different. A foreign trigger or view could act in Coffer's
    ///   name.
    static func check(_ database: Connection) throws(VaultError) -> UInt16 {
        let found = try StorageGate.run { () throws(SQLiteError) in
            try database.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema")
        }.map { row in
            row.map { value in
                switch value {
                case .text(let text): text
                case .null: ""
                default: "?"
                }
            }.joined(separator: "|")
        }
        for format in 1...Header.newestFormat {
            let expected = tables(of: format).map { "table|\($0.name)|\($0.name)|\($0.sql)" } + [automaticIndex]
            if found.sorted() == expected.sorted() { return format }
        }
        throw .damaged("its tables are not those of a vault")
    }
}
