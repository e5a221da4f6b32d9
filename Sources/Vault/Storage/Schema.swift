import GRDB

/// The tables of a vault, as SQL text, because the text itself is checked (docs/vault-format.md, "Tables").
enum Schema {
    static let tables: [(name: String, sql: String)] = [
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
    ]

    /// SQLite's own index for the one table with row ids and a key.
    private static let automaticIndex = "index|sqlite_autoindex_value_1|value|"

    static func create(_ database: Database) throws(VaultError) {
        try StorageGate.run { for table in tables { try database.execute(sql: table.sql) } }
    }

    /// - Throws: `.damaged` if anything is missing, added or different. A foreign trigger or view could act in Coffer's
    ///   name.
    static func check(_ database: Database) throws(VaultError) {
        let found = try StorageGate.run {
            try Row.fetchAll(database, sql: "SELECT type, name, tbl_name, sql FROM sqlite_schema").map { row in
                row.databaseValues.map { value in
                    if case .string(let text) = value.storage { text } else { value.isNull ? "" : "?" }
                }.joined(separator: "|")
            }
        }
        let expected = tables.map { "table|\($0.name)|\($0.name)|\($0.sql)" } + [automaticIndex]
        guard found.sorted() == expected.sorted() else { throw .damaged("its tables are not those of a vault") }
    }
}
