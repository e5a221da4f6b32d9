import Authorization
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Vault

/// The limits of a vault's file, each met exactly and exceeded by one.
struct RoomTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/vault"
        try Data().write(to: URL(fileURLWithPath: path))
    }

    private func withRows<Value>(_ body: (Rows) throws -> Value) throws -> Value {
        let connection = try Connection(path: path)
        let rows = Rows(connection)
        if try connection.rows("SELECT name FROM sqlite_schema").isEmpty { try rows.createTables() }
        let value = try body(rows)
        try connection.close()
        return value
    }

    @Test("so many items, and records that the whole file proves to be small enough")
    func items() throws {
        try withRows { rows in
            let used = try rows.fileBytes()
            var measured = 0
            func fits(_ count: UInt64, records: Int64, measure: Int64) throws -> Bool {
                try Room(items: 5, records: records).fits(rows, items: count) { () throws(VaultError) in
                    measured += 1
                    return measure
                }
            }
            #expect(try fits(5, records: used, measure: .max))
            #expect(try !fits(6, records: used, measure: 0))
            #expect(measured == 0)
            #expect(try fits(5, records: used - 1, measure: used - 1))
            #expect(try !fits(5, records: used - 1, measure: used))
            #expect(measured == 2)
        }
    }

    @Test("one more item with its values")
    func oneMore() throws {
        try withRows { rows in
            let used = try rows.fileBytes()
            var measured = 0
            func fits(_ count: UInt64 = 5, records: Int64, file: Int64, measure: Int64 = 0) throws -> Bool {
                let room = Room(items: 5, records: records, file: file)
                return try room.fits(rows, items: count, record: 10, values: 20) { () throws(VaultError) in
                    measured += 1
                    return measure
                }
            }
            let file = used + 30 + Int64(Room.overhead)
            #expect(try fits(records: used + 10, file: file))
            #expect(try !fits(6, records: used + 10, file: file))
            #expect(try !fits(records: used + 10, file: file - 1))
            #expect(measured == 0)
            #expect(try fits(records: used + 9, file: file, measure: used - 1))
            #expect(try !fits(records: used + 9, file: file, measure: used))
            #expect(measured == 2)
            try Room(file: used).checkFile(rows)
            #expect(vaultError { try Room(file: used - 1).checkFile(rows) } == .limitExceeded)
        }
    }

    /// Attacker 5 lets the file claim how much of it is free, as if nothing were used.
    @Test("a file with no page in use, or with fewer free pages than none, is damaged", arguments: [0, 1])
    func freePages(how: Int) throws {
        let pages = try withRows { rows in Int(try rows.fileBytes()) / VaultDatabase.pageSize }
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        // The number of free pages ("The SQLite database file format", 1.3).
        try handle.seek(toOffset: 36)
        try handle.write(contentsOf: Data(how == 0 ? [0, 0, 0, UInt8(pages)] : [0xFF, 0xFF, 0xFF, 0xFF]))
        try handle.close()
        try withRows { rows in #expect(vaultError { _ = try rows.fileBytes() } == .damaged) }
        let again = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try again.seek(toOffset: 36)
        try again.write(contentsOf: Data([0, 0, 0, UInt8(pages - 1)]))
        try again.close()
        #expect(try withRows { rows in try rows.fileBytes() } == Int64(VaultDatabase.pageSize))
    }

    @Test("a full vault says how much it holds, as the pages do")
    func words() throws {
        let records = "it has 10000 items at most, and 16 MiB of names and attributes"
        #expect(Room().manyRecords.reason == "the vault is full: \(records)")
        _ = try withRows { rows in try rows.fileBytes() }
        let pages = UInt32(Room().file / Int64(VaultDatabase.pageSize)) + 2
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        // A file with a hole takes no room.
        try handle.truncate(atOffset: UInt64(pages) * UInt64(VaultDatabase.pageSize))
        // The number of pages ("The SQLite database file format", 1.3).
        try handle.seek(toOffset: 28)
        try handle.write(contentsOf: Data(BigEndian.bytes(pages)))
        try handle.close()
        try withRows { rows in
            let error = #expect(throws: VaultError.self) { try Room().checkFile(rows) }
            #expect(error?.reason == "the vault is full: its file has 1 GiB at most")
        }
    }

    /// Attacker 5 puts a further row behind the only one that Coffer writes. It is longer than any that may be read.
    @Test("no row is read beyond the first")
    func furtherRow() throws {
        try withRows { rows in
            try rows.put(recovery: [1])
            for statement in [
                "PRAGMA ignore_check_constraints = ON",
                "INSERT INTO recovery (id, content) VALUES (2, zeroblob(2000))",
            ] { try rows.database.once(statement) }
            try rows.database.limit(rows: 1000, statements: DatabaseLimits.statement)
            #expect(throws: SQLiteError.self) { try rows.database.rows("SELECT id, content FROM recovery") }
            #expect(try rows.recovery() == [1])
        }
    }

    @Test("rows that together are as long as a vault's can be, and a byte more")
    func longestTable() throws {
        try withRows { rows in
            try rows.database.once("PRAGMA journal_mode = MEMORY")
            let rest = Int(DatabaseLimits.items) - 8 * (16 + 64)
            let content = [UInt8](repeating: 1, count: rest / 8)
            for number in 0..<8 {
                let id = [UInt8](repeating: UInt8(number), count: 16)
                try rows.database.run(
                    "INSERT INTO item (id, record) VALUES (?, ?)",
                    [.blob(id), .blob(number == 0 ? content + [UInt8](repeating: 2, count: rest % 8) : content)])
            }
            #expect(try rows.allItems().count == 8)
            try rows.database.run("UPDATE item SET record = record || x'00' WHERE id = zeroblob(16)")
            #expect(vaultError { _ = try rows.allItems() } == .damaged)
            var given = 0
            #expect(vaultError { try rows.forEachItem { (_, _) throws(VaultError) in given += 1 } } == .damaged)
            #expect(given == 0)
        }
    }

    /// Attacker 5 lets the file claim that almost all of it is free.
    @Test("a table is measured, however much of its file is said to be free")
    func claimedFree() throws {
        try withRows { rows in
            for setting in ["journal_mode = OFF", "synchronous = OFF"] { try rows.database.once("PRAGMA \(setting)") }
            for number: UInt8 in 0..<9 {
                try rows.database.run(
                    "INSERT INTO item VALUES (?, zeroblob(\(DatabaseLimits.row - 1000)))", [.blob([number])])
            }
        }
        let pages = try withRows { rows in UInt32(try rows.fileBytes()) / UInt32(VaultDatabase.pageSize) }
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        // The number of free pages ("The SQLite database file format", 1.3).
        try handle.seek(toOffset: 36)
        try handle.write(contentsOf: Data(BigEndian.bytes(pages - 1)))
        try handle.close()
        try withRows { rows in
            let length = try rows.fileBytes()
            #expect(length == Int64(VaultDatabase.pageSize))
            var given = 0
            #expect(vaultError { try rows.forEachItem { (_, _) throws(VaultError) in given += 1 } } == .damaged)
            #expect(given == 0)
        }
    }

    /// Attacker 5 fills everybody's memory with one file.
    @Test(
        "a table that is longer than a vault's can be is not read",
        arguments: ["former", "field", "posting", "circle"])
    func longTable(name: String) throws {
        try withRows { rows in
            if name == "circle" { try rows.createCircle() }
            try rows.database.once("PRAGMA journal_mode = OFF")
            try rows.database.once("PRAGMA synchronous = OFF")
            let limit =
                switch name {
                case "former": DatabaseLimits.items
                case "field": DatabaseLimits.fields
                case "posting": DatabaseLimits.postings
                default: DatabaseLimits.circle
                }
            for number in 0..<(limit / Int64(DatabaseLimits.row)) {
                try rows.database.run(
                    "INSERT INTO \(name) VALUES (?, zeroblob(\(DatabaseLimits.row)))", [.blob([UInt8(number)])])
            }
            var given = 0
            let code = vaultError {
                switch name {
                case "former": _ = try rows.allFormer()
                case "field": try rows.checkFields()
                case "posting": _ = try rows.allPostings()
                default: try rows.forEachOfCircle { (_, _) throws(VaultError) in given += 1 }
                }
            }
            #expect(code == .damaged && given == 0)
        }
    }

    @Test("the longest file, and the longest log beside it, to the byte", arguments: ["", "-wal"])
    func longestFile(side: String) throws {
        try Data().write(to: URL(fileURLWithPath: path + side))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path + side))
        // A file with a hole takes no room.
        try handle.truncate(atOffset: UInt64(DatabaseLimits.file))
        try DatabaseLimits.check(path)
        try handle.truncate(atOffset: UInt64(DatabaseLimits.file) + 1)
        #expect(vaultError { try DatabaseLimits.check(path) } == .damaged)
    }
}
