import Cryptography
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Vault

/// Attackers 5 and 7: somebody wrote a vault's file that fills the memory of the process that reads it.
@Suite(.timeLimit(.minutes(30)))
struct HostileFileExitTests {
    /// The most memory that this process had at once, in bytes, since the last reset.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return 1024 * (try #require(Int(line.filter(\.isNumber))))
    }

    private static func forgetPeak() throws {
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// A vault with an item, changed by somebody who can write its file.
    /// - Parameters:
    ///   - freePages: how many of its pages the file claims to be free; nil for the true number.
    ///   - call: reads the file; nil for all that a broker reads first.
    private static func outcome(
        of change: String, freePages: UInt32? = nil, call: ((OpenVault) throws -> Void)? = nil
    ) throws -> (code: VaultError.Code?, memory: Int) {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        _ = try vault.set(.make("s", "a", "value"), mode: .new)
        try vault.close()
        try fixture.tamper { database in
            if change.contains("sqlite_schema") { try database.once("PRAGMA writable_schema = ON") }
            if change.contains("INTO header") { try database.once("PRAGMA ignore_check_constraints = ON") }
            if change.contains("INTO circle") { try database.once(Schema.circle.sql) }
            try database.once(change)
        }
        if let freePages {
            // The header's own number (SQLite's file format, 1.3.8).
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: fixture.path))
            try file.seek(toOffset: 36)
            try file.write(contentsOf: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: freePages >> $0) })
            try file.close()
        }
        try forgetPeak()
        let before = try peak()
        let code = vaultError {
            let vault = try fixture.open()
            if let call { return try call(vault) }
            _ = try vault.list()
            _ = try fixture.value(vault, "s", "a")
            _ = try vault.verify()
        }
        return (code, try peak() - before)
    }

    @Test("a value of any length, anywhere, is damage and takes no memory")
    func lengths() async {
        // In a process of its own, whose memory only this test uses.
        await #expect(processExitsWith: .success) {
            let long = "zeroblob(100000000)"
            for change in [
                "UPDATE value SET sealed = \(long)", "UPDATE item SET record = \(long)",
                "UPDATE field SET content = \(long)", "INSERT INTO slot VALUES (x'00', \(long))",
                "UPDATE posting SET items = \(long)", "UPDATE keybag SET content = \(long)",
                "UPDATE header SET content = \(long)", "UPDATE header SET mac = \(long)",
                "UPDATE node SET content = \(long)", "UPDATE object SET public = \(long)",
                "INSERT INTO recovery (id, content) VALUES (1, \(long))",
                "INSERT INTO former SELECT id, \(long) FROM item", "INSERT INTO circle VALUES (x'03', \(long))",
                "INSERT INTO transition (id, content) VALUES (1, \(long))",
                "INSERT INTO sqlite_schema VALUES ('view', 'v', 'v', 0, 'CREATE VIEW v AS SELECT ''' || hex(zeroblob(20000000)) || '''')",
            ] {
                let (code, memory) = try HostileFileExitTests.outcome(of: change)
                try #require(code == .damaged, "\(change): \(String(describing: code))")
                try #require(memory < 40_000_000, "\(change): \(memory) bytes")
            }
        }
    }

    @Test("many rows are damage before they are read")
    func rows() async {
        await #expect(processExitsWith: .success) {
            let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
            let few = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)"
            for (place, change) in [
                "\(numbers) INSERT INTO item SELECT randomblob(16), zeroblob(250000) FROM n",
                "\(numbers) INSERT INTO posting SELECT randomblob(32), zeroblob(600000) FROM n",
                "\(numbers) INSERT INTO former SELECT randomblob(16), zeroblob(250000) FROM n",
                "\(numbers) INSERT INTO circle SELECT randomblob(17), zeroblob(700000) FROM n",
                // SQLite's own `length` takes such a text for an empty one.
                "\(few) INSERT INTO posting SELECT randomblob(32), CAST(zeroblob(3900000) AS TEXT) FROM n",
                "\(few) INSERT INTO object SELECT 1000 + i, zeroblob(2000000), zeroblob(1900000) FROM n",
                "\(few) INSERT INTO header SELECT 1 + i, zeroblob(2000000), zeroblob(1900000) FROM n",
                // SQLite reads the index that it has made itself once more, and looks at no type.
                "\(few) INSERT INTO sqlite_schema SELECT hex(zeroblob(1950000)), name, tbl_name, rootpage, NULL "
                    + "FROM n, sqlite_schema WHERE name = 'sqlite_autoindex_value_1'",
            ].enumerated() {
                // Also if the file claims that all of it is free.
                for free in place < 2 ? [nil, 20_000, UInt32.max] as [UInt32?] : [nil] {
                    let (code, memory) = try HostileFileExitTests.outcome(of: change, freePages: free)
                    try #require(code == .damaged, "\(change): \(String(describing: code))")
                    try #require(memory < 40_000_000, "\(change): \(memory) bytes")
                }
            }
        }
    }

    @Test("what a file says is free of it does not make it shorter for what is read at once")
    func freePages() async {
        await #expect(processExitsWith: .success) {
            let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
            let (code, memory) = try HostileFileExitTests.outcome(
                of: "\(rows) INSERT INTO former SELECT randomblob(16), zeroblob(250000) FROM n", freePages: 20_000
            ) { try $0.put(HistorySetting(count: 1, days: 1)) }
            try #require(code == .damaged)
            try #require(memory < 40_000_000, "\(memory) bytes")
        }
    }

    @Test("vaults that stay open leave SQLite's memory to others")
    func manyOpen() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path + "/vault"
            try Data().write(to: URL(fileURLWithPath: path))
            let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)"
            var vaults: [Connection] = []
            // Each of them would cache 2 MB, so eight would fill all of it.
            for number in 0..<40 {
                let vault = try Connection(path: path)
                try DatabaseLimits.apply(to: vault, heap: 16 << 20)
                try vault.once("PRAGMA synchronous = OFF")
                if number == 0 {
                    try vault.once("CREATE TABLE item (id BLOB PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID")
                    try vault.once("\(rows) INSERT INTO item SELECT randomblob(16), zeroblob(900) FROM n")
                }
                let read = try vault.rows("SELECT sum(length(record)) FROM item")
                try #require(read == [[.integer(3_600_000)]])
                vaults.append(vault)
            }
            for vault in vaults { try vault.once("UPDATE item SET record = zeroblob(900) WHERE id < x'10'") }
        }
    }

    @Test("a file that is longer than a vault can be is damage before SQLite sees it")
    func file() throws {
        for side in ["", "-wal"] {
            let fixture = try VaultFixture()
            try fixture.open().close()
            let path = fixture.path + side
            if !side.isEmpty { try Data().write(to: URL(fileURLWithPath: path)) }
            // It is long and takes no room, because nothing is written.
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.truncate(atOffset: UInt64(DatabaseLimits.file) + 1)
            try file.close()
            #expect(vaultError { _ = try fixture.open() } == .damaged)
        }
    }

    @Test("a full secure heap says nothing of the vault")
    func fullHeap() async {
        await #expect(processExitsWith: .success) {
            try SecureHeap.activate(bytes: 32 << 10)
            let fixture = try VaultFixture()
            let vault = try fixture.open()
            _ = try vault.set(.make("s", "a", "value"), mode: .new)
            let keys = try fixture.unlock(vault)
            let root = try fixture.sealer.open(.unlockRoot, vault.objects, record: fixture.record) {
                (request) throws(SigningRefusal) in try fixture.sign(request)
            }
            let other = try ItemDraft.make("s", "b", "value")
            var held: [SecretBytes] = []
            var codes: [VaultError.Code] = []
            for step: () throws -> Void in [
                { _ = try vault.classKeys(unlockRoot: root) },
                { _ = try vault.value(of: vault.find(service: "s", account: "a"), classKeys: keys) },
                { _ = try vault.set(other, mode: .replace) },
            ] {
                // The test is about having no room for another.
                while let one = try? SecretBytes(copying: [UInt8](repeating: 1, count: 32)) { held.append(one) }
                let before = codes.count
                while let code = vaultError(step) {
                    codes.append(code)
                    try #require(!held.isEmpty)
                    held.removeLast()
                }
                try #require(codes.count > before, "it takes nothing of the heap")
            }
            try #require(codes.allSatisfy { $0 == .outOfMemory }, "\(codes)")
        }
    }
}
