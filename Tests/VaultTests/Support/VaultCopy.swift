import Foundation
import SQLite

@testable import Vault

/// Copies of a vault's file that others hold.
extension VaultFixture {
    func change(_ path: String, _ body: (Connection) throws -> Void) throws {
        let database = try Connection(path: path)
        try database.transaction(.writing, { $0 as any Error }) { try body(database) }
        try database.close()
    }

    /// The number of bytes in a column of a table's first row. The vault may be open.
    func size(of column: String, in table: String) throws -> Int {
        let copy = folder.path + "/looked-at"
        try Data(contentsOf: URL(fileURLWithPath: path)).write(to: URL(fileURLWithPath: copy))
        defer { try? FileManager.default.removeItem(atPath: copy) }  // A folder of the test's own.
        var size = 0
        try change(copy) { size = try $0.bytes("SELECT \(column) FROM \(table) LIMIT 1").count }
        return size
    }

    /// Changes one byte of the first row of a table.
    func flip(_ place: Int, of column: String, in table: String, path: String) throws {
        try change(path) { database in
            var bytes = try database.bytes("SELECT \(column) FROM \(table) LIMIT 1")
            bytes[place] ^= 0x20
            try database.run("UPDATE \(table) SET \(column) = ?", [.blob(bytes)])
        }
    }
}
