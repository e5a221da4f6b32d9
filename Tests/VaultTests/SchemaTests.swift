import Foundation
import SQLite
import TestSupport
import Testing

@testable import Vault

/// The tables of each format, and the rows that SQLite may search in them.
struct SchemaTests {
    /// How many tables each format has, and which of them it has added that SQLite searches.
    private static let formats: [UInt16: (count: Int, added: [String])] = [
        1: (9, ["item", "posting", "node", "value"]), 2: (10, ["former"]), 3: (12, ["field", "slot"]),
    ]

    /// An empty file with the tables of a format.
    private func withTables(of format: UInt16, _ body: (Rows) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/vault"
        try Data().write(to: URL(fileURLWithPath: path))
        let database = try Connection(path: path)
        for setting in ["journal_mode = OFF", "synchronous = OFF"] { try database.once("PRAGMA \(setting)") }
        for table in Schema.tables.prefix(Self.formats[format]?.count ?? 0) { try database.once(table.sql) }
        try body(Rows(database))
        try database.close()
    }

    @Test(
        "each format is known by its tables, and only the newest may have that of a circle",
        arguments: [1, 2, 3] as [UInt16])
    func known(format: UInt16) throws {
        try withTables(of: format) { rows in
            #expect(try rows.headSchema() == format)
            try rows.createCircle()
            let withCircle: UInt16? = format == 3 ? 3 : nil
            #expect(try rows.headSchema() == withCircle)
        }
    }

    /// Attacker 5: SQLite reads whole rows when it searches, in files of every format.
    @Test(
        "a long file of any format is good, and is damaged with one row that is too long",
        arguments: [1, 2, 3] as [UInt16])
    func longRow(format: UInt16) throws {
        try withTables(of: format) { rows in
            let row = DatabaseLimits.row
            // A sealed value is never searched, so it may be of any length here. It makes the file long.
            try rows.database.once("INSERT INTO value VALUES (x'00', zeroblob(\(DatabaseLimits.unchecked)))")
            #expect(try rows.headSchema() == format)
            var tables = (1...format).flatMap { Self.formats[$0]?.added ?? [] }
            if format == 3 {
                try rows.createCircle()
                tables.append("circle")
            }
            for table in tables {
                // Of a value, the key is searched. A node's key is two numbers, but SQLite takes anything.
                let long =
                    switch table {
                    case "value": ["zeroblob(\(row + 1)), x'00'"]
                    case "node": ["1, 1, zeroblob(\(row + 1))", "zeroblob(\(row + 1)), 1, x''"]
                    // A text is as long as its bytes, also if the first one is zero.
                    default: ["x'01', zeroblob(\(row))", "x'01', CAST(zeroblob(\(row)) AS TEXT)"]
                    }
                for columns in long {
                    try rows.database.once("INSERT INTO \(table) VALUES (\(columns))")
                    #expect(vaultError { _ = try rows.headSchema() } == .damaged, "\(table): \(columns)")
                    let others = table == "value" ? " WHERE length(id) > 1" : ""
                    try rows.database.once("DELETE FROM \(table)\(others)")
                    #expect(try rows.headSchema() == format, "\(table)")
                }
            }
        }
    }
}
