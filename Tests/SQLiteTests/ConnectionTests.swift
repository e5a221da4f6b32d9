import Foundation
import SQLite
import TestSupport
import Testing

/// The gate to SQLite.
@Suite struct ConnectionTests {
    private func memory() throws -> Connection {
        let database = try Connection(path: nil)
        try database.once("CREATE TABLE t (n INTEGER PRIMARY KEY, v)")
        return database
    }

    private func error(_ body: () throws(SQLiteError) -> Void) -> SQLiteError? {
        do throws(SQLiteError) {
            try body()
            return nil
        } catch { return error }
    }

    private func empty(in folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/file"
        try Data().write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test(arguments: [
        Value.null, .integer(0), .integer(.min), .integer(.max), .real(-0.5), .text(""), .text("é\0ü"), .blob([]),
        .blob([0]), .blob([UInt8](repeating: 255, count: 100_000)),
    ])
    func aValueComesBackAsItIs(value: Value) throws {
        let database = try memory()
        try database.run("INSERT INTO t VALUES (1, ?)", [value])
        #expect(try database.rows("SELECT v FROM t") == [[value]])
        let type =
            switch value {
            case .null: "null"
            case .integer: "integer"
            case .real: "real"
            case .text: "text"
            case .blob: "blob"
            }
        #expect(try database.once("SELECT typeof(v) FROM t") == [.text(type)])
    }

    @Test func aValueHasTheBytesOfItsTextOrBlob() {
        let values: [Value] = [.text("é\0ü"), .blob([0, 1, 2]), .blob([]), .null, .integer(.max), .real(0.5)]
        #expect(values.map(\.count) == [5, 3, 0, 0, 0, 0])
    }

    /// What a statement was bound to must not be seen by its next use, also after an error.
    @Test func aStatementIsCleanForItsNextUse() throws {
        let database = try memory()
        let insert = "INSERT INTO t VALUES (?, ?)"
        try database.run(insert, [.integer(1), .blob([1])])
        #expect(error { () throws(SQLiteError) in try database.run(insert, [.integer(1), .blob([2])]) }?.code == 1555)
        for values in [[], [Value.integer(2)], [.integer(2), .null, .null]] {
            #expect(error { () throws(SQLiteError) in try database.run(insert, values) }?.code == 25, "\(values)")
        }
        try database.run(insert, [.integer(2), .blob([2])])
        let select = "SELECT v FROM t ORDER BY n"
        // A statement that stopped within its rows begins anew.
        for _ in 0..<2 { #expect(try database.rows(select, limit: 1) == [[.blob([1])]]) }
        #expect(try database.rows(select) == [[.blob([1])], [.blob([2])]])
        #expect(try database.rows(select, limit: 0) == [])
    }

    @Test(arguments: ["", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE t", "SELECT 1 garbage here"])
    func oneStatementIsOne(text: String) throws {
        let database = try memory()
        #expect(error { () throws(SQLiteError) in try database.run(text) } != nil)
        #expect(error { () throws(SQLiteError) in try database.once(text) } != nil)
        #expect(try database.rows("SELECT count(*) FROM t") == [[.integer(0)]])
    }

    @Test func textInDoubleQuotesIsNoString() throws {
        let database = try memory()
        #expect(error { () throws(SQLiteError) in try database.run(#"SELECT "nothing""#) }?.kind == .other)
        #expect(error { () throws(SQLiteError) in try database.once(#"CREATE TABLE u (v CHECK (v <> "x"))"#) } != nil)
    }

    @Test func aFileIsNeverMade() throws {
        let folder = try TemporaryFolder()
        #expect(
            error { () throws(SQLiteError) in _ = try Connection(path: folder.path + "/none") }?.kind == .inaccessible)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/none"))
    }

    @Test func errorsHaveTheirExtendedCode() throws {
        let folder = try TemporaryFolder()
        let path = try empty(in: folder)
        do {
            let database = try Connection(path: path)
            try database.once("CREATE TABLE t (v)")
            for _ in 0..<100 { try database.run("INSERT INTO t VALUES (zeroblob(4000))") }
            try database.close()
            #expect(error { () throws(SQLiteError) in try database.run("SELECT 1") }?.code == 21)
        }
        // A page in the middle that is not there: a short read, which the primary code alone does not tell.
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: 4096 * 20 + 100)
        try handle.close()
        let found = error { () throws(SQLiteError) in
            _ = try Connection(path: path).rows("SELECT length(v), substr(v, 3999) FROM t")
        }
        #expect(found.map { [.unreadable, .other].contains($0.kind) } == true, "\(String(describing: found))")
        #expect(SQLiteError(code: 522).kind == .unreadable && SQLiteError(code: 8458).kind == .unreadable)
        #expect(SQLiteError(code: 266).kind == .inaccessible && SQLiteError(code: 13).kind == .full)
        #expect(SQLiteError(code: 7).kind == .outOfMemory && SQLiteError(code: 3082).kind == .outOfMemory)
        #expect(SQLiteError(code: 261).kind == .busy && SQLiteError(code: 6).kind == .busy)
        #expect(SQLiteError(code: 11).kind == .other && SQLiteError(code: 26).kind == .other)
        #expect(SQLiteError(code: 522).description.contains("522"))
    }

    @Test func rowsAndStatementsHaveALimit() throws {
        let database = try memory()
        try database.limit(rows: 1000, statements: 100)
        #expect(
            error { () throws(SQLiteError) in try database.run("INSERT INTO t VALUES (1, zeroblob(1001))") }?.code == 18
        )
        try database.run("INSERT INTO t VALUES (1, zeroblob(900))")
        let long = "SELECT 1 -- " + String(repeating: "x", count: 100)
        #expect(error { () throws(SQLiteError) in try database.once(long) }?.code == 18)
    }

    /// Two connections to one file: what one reads in a transaction stays, and only one writes.
    /// Rows one by one, with other statements between them, in a transaction that begins when it is needed.
    @Test func rowsOneByOne() throws {
        let database = try memory()
        for number in 0..<Int64(5) { try database.run("INSERT INTO t VALUES (?, ?)", [.integer(number), .blob([7])]) }
        struct Enough: Error {}
        try database.reading({ $0 as any Error }) { () throws(any Error) in
            try database.beginReading()
            var seen: [[Value]] = []
            try database.forEachRow("SELECT n FROM t ORDER BY n", { $0 as any Error }) { (row) throws(any Error) in
                seen.append(row)
                #expect(try database.rows("SELECT v FROM t WHERE n = ?", row) == [[.blob([7])]])
            }
            #expect(seen == (0..<5).map { [.integer($0)] })
            #expect(throws: Enough.self) {
                try database.forEachRow("SELECT n FROM t", { $0 as any Error }) { (_) throws(any Error) in
                    throw Enough()
                }
            }
            try database.run("DELETE FROM t")
        }
        // Reading leaves no trace. Where no transaction was begun, none is ended.
        #expect(try database.rows("SELECT count(*) FROM t") == [[.integer(5)]])
        try database.reading({ $0 }) { () throws(SQLiteError) in }
        #expect(
            error { () throws(SQLiteError) in
                try database.forEachRow("SELECT", { $0 }) { (_) throws(SQLiteError) in }
            }?.code == 1)
    }

    @Test func transactions() throws {
        let folder = try TemporaryFolder()
        let path = try empty(in: folder)
        let (one, two) = (try Connection(path: path), try Connection(path: path))
        try one.once("CREATE TABLE t (v)")
        try one.transaction(.writing, { $0 }) { () throws(SQLiteError) in
            try one.run("INSERT INTO t VALUES (1)")
            #expect(
                error { () throws(SQLiteError) in
                    try two.transaction(.writing, { $0 }) { () throws(SQLiteError) in }
                }?.kind == .busy)
        }
        #expect(try two.rows("SELECT v FROM t") == [[.integer(1)]])
        // What is done in a reading one is undone, and so is what comes before an error.
        try one.transaction(.reading, { $0 }) { () throws(SQLiteError) in try one.run("INSERT INTO t VALUES (2)") }
        #expect(
            error { () throws(SQLiteError) in
                try one.transaction(.writing, { $0 }) { () throws(SQLiteError) in
                    try one.run("INSERT INTO t VALUES (3)")
                    throw SQLiteError(code: 99)
                }
            } == SQLiteError(code: 99))
        #expect(try two.rows("SELECT v FROM t") == [[.integer(1)]])
        // An end of the transaction that the caller did not see is no success.
        #expect(
            error { () throws(SQLiteError) in
                try one.transaction(.writing, { $0 }) { () throws(SQLiteError) in
                    try one.run("INSERT INTO t VALUES (4)")
                    try one.run("ROLLBACK")
                }
            } != nil)
        try one.transaction(.writing, { $0 }) { () throws(SQLiteError) in try one.run("INSERT INTO t VALUES (5)") }
        #expect(try two.rows("SELECT v FROM t") == [[.integer(1)], [.integer(5)]])
    }

    @Test func aFileThatIsBusyIsWaitedFor() async throws {
        let folder = try TemporaryFolder()
        let path = try empty(in: folder)
        let one = try Connection(path: path)
        try one.once("CREATE TABLE t (v)")
        try one.run("BEGIN IMMEDIATE TRANSACTION")
        let waiting = Task.detached {
            let two = try Connection(path: path, busyTimeout: 600_000)
            try two.run("INSERT INTO t VALUES (1)")
        }
        try await Task.sleep(for: .milliseconds(50))
        try one.run("COMMIT")
        try await waiting.value
        #expect(try one.rows("SELECT v FROM t") == [[.integer(1)]])
    }

    @Test("a look at a file finds it by any name, takes no lock, and writes nothing")
    func look() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a ?b#%41é.db"
        try Data().write(to: URL(fileURLWithPath: path))
        let writer = try Connection(path: path)
        for sql in ["PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = WAL", "CREATE TABLE t (v)"] {
            try writer.once(sql)
        }
        try writer.run("INSERT INTO t VALUES (1)")
        try writer.once("PRAGMA wal_checkpoint(TRUNCATE)")
        let look = try Connection(lookingAt: path)
        #expect(try look.rows("SELECT v FROM t") == [[.integer(1)]])
        #expect(error { () throws(SQLiteError) in try look.run("INSERT INTO t VALUES (2)") } != nil)
        #expect(error { () throws(SQLiteError) in _ = try Connection(lookingAt: path + "x") } != nil)
        try writer.run("INSERT INTO t VALUES (3)")
    }
}
