import Authorization
import Cryptography
import Foundation
import Item
import Recovery
import SQLite
import TestSupport
import Testing

@testable import Vault

/// What SQLite refuses is an error at every row. Otherwise a header would vouch for what was never written.
struct RowsTests {
    private let item: ItemID
    private let object = SealedObject(role: .presence, public: [1], private: [2])

    init() throws { item = try ItemID.random() }

    /// A database in memory with these tables alone.
    private func made(_ tables: String...) throws -> Rows {
        let database = try Connection(path: nil)
        for table in tables { try database.once(table) }
        return Rows(database)
    }

    /// Every way to write or remove one row.
    private var writes: [(String, (Rows) throws -> Void)] {
        let (item, object) = (item, object)
        return [
            ("header", { try $0.put(header: [1], mac: [2]) }),
            ("object", { try $0.put(object) }),
            ("removed object", { try $0.removeObject(.presence) }),
            ("keybag", { try $0.put(keybag: [1]) }),
            ("recovery", { try $0.put(recovery: [1]) }),
            ("transition", { try $0.put(transition: [1]) }),
            ("record", { try $0.put(record: [1], of: item) }),
            ("fields", { try $0.put(fields: [1], of: item) }),
            ("value", { try $0.put(sealedValue: [1], under: [2]) }),
            ("removed value", { try $0.removeValue([2]) }),
            ("former", { try $0.put(former: [1], of: item) }),
            ("circle", { try $0.put(circle: [1], [2]) }),
            ("removed circle", { try $0.dropCircle() }),
            ("posting", { try $0.put(posting: [1], items: [2]) }),
            ("node", { try $0.put(TreeNode.root, [1]) }),
        ]
    }

    @Test func nothingIsWrittenToATableThatIsMissing() throws {
        let rows = try made()
        for (what, write) in writes { #expect(vaultError { try write(rows) } == .damaged, "\(what)") }
    }

    /// The row goes, and the one that should take its place is refused.
    @Test func aRowThatIsNotReplacedIsAnError() throws {
        let rows = try made(
            "CREATE TABLE object (role INTEGER PRIMARY KEY)", "CREATE TABLE keybag (id INTEGER PRIMARY KEY)")
        #expect(vaultError { try rows.replace(object) } == .damaged)
        #expect(vaultError { try rows.replace(keybag: [1]) } == .damaged)
    }

    /// An item has a row in two tables.
    @Test(arguments: ["CREATE TABLE item (id)", "CREATE TABLE field (item)"])
    func anItemIsRemovedFromBothTables(other: String) throws {
        let rows = try made(other)
        #expect(vaultError { try rows.remove(item) } == .damaged)
        let both = try made("CREATE TABLE item (id)", "CREATE TABLE field (item)")
        #expect(vaultError { try both.remove(item) } == nil)
    }

    @Test func tablesThatAreThereAreNotMadeAgain() throws {
        let rows = try made()
        try rows.createTables()
        try rows.createCircle()
        #expect(vaultError { try rows.createTables() } == .damaged)
        #expect(vaultError { try rows.addTables(to: 1) } == .damaged)
        #expect(vaultError { try rows.createCircle() } == .damaged)
    }

    /// What is wrong with one row ends the reading of all.
    @Test func whoReadsTheRowsEndsTheReading() throws {
        let rows = try made()
        try rows.createTables()
        try rows.createCircle()
        for id: UInt8 in 1...3 {
            try rows.database.run("INSERT INTO item (id, record) VALUES (?, ?)", [.blob([id]), .blob([0])])
            try rows.put(circle: [id], [0])
        }
        var seen = 0
        let items = vaultError {
            try rows.forEachItem { (_, _) throws(VaultError) in
                seen += 1
                throw .notFound
            }
        }
        #expect(items == .notFound && seen == 1)
        let circle = vaultError {
            try rows.forEachOfCircle { (_, _) throws(VaultError) in
                seen += 1
                throw .notFound
            }
        }
        #expect(circle == .notFound && seen == 2)
    }

    /// SQLite refuses one row of an open vault (attacker 5). Nothing is left of the change.
    @Test(arguments: ["INSERT ON former", "INSERT ON recovery", "DELETE ON value"])
    func aRefusedRowUndoesTheWholeChange(statement: String) throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        try vault.set(ItemDraft(service: "app", account: "a", kind: .setting, value: secret("1"), access: .setting))
        try vault.set(.make("s", "a", "1"))
        let key = try fixture.sealer.open(.recovery, vault.objects, record: fixture.record) {
            (request) throws(SigningRefusal) in try fixture.sign(request)
        }
        let recovery = try vault.wrap(key, under: RecoveryCode.random())
        try vault.database.write { (rows) throws(VaultError) in
            try StorageGate.run { () throws(SQLiteError) in
                try rows.database.run("CREATE TRIGGER t BEFORE \(statement) BEGIN SELECT RAISE(ABORT, 'no'); END")
            }
        }
        let revision = vault.lastHeader.revision
        let code = vaultError {
            switch statement {
            case "INSERT ON former": _ = try vault.set(.make("s", "a", "2"))
            case "INSERT ON recovery": _ = try vault.confirm(recovery)
            // A setting has no former values, so the one before goes at once.
            default:
                _ = try vault.set(
                    ItemDraft(service: "app", account: "a", kind: .setting, value: secret("2"), access: .setting))
            }
        }
        #expect(code == .damaged && vault.lastHeader.revision == revision)
    }

    @Test func aValueIsMeasuredByItsKey() throws {
        let rows = try made()
        try rows.createTables()
        try rows.put(sealedValue: [1, 2, 3], under: [7])
        try rows.put(sealedValue: [4], under: [8])
        #expect(try rows.sealedValueBytes([7]) == 3)
        #expect(try rows.sealedValueBytes([9]) == 0)
        // No value takes the place of another one.
        #expect(vaultError { try rows.put(sealedValue: [5], under: [7]) } == .damaged)
        #expect(try rows.sealedValue([7]) == [1, 2, 3])
    }

    /// Whether the file was changed is looked at as a reading begins. Nothing is read of a file that was.
    @Test func whatDoesNotBeginIsNotRead() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        func refuse(_: Rows) throws(VaultError) { throw .notFound }
        func readHeader(_ rows: Rows) throws(VaultError) { _ = try rows.header() }
        func beginOnly(_ rows: Rows) throws(VaultError) { try rows.begin() }
        #expect(vaultError { try vault.database.readLate(begun: refuse, readHeader) } == .notFound)
        #expect(vaultError { try vault.database.readLate(begun: refuse, beginOnly) } == .notFound)
        // The next one begins anew.
        #expect(try vault.list().isEmpty)
    }

    // Much in a short file

    /// A view stands for a file in which many rows share their pages (attacker 5): it is short, and its rows are long.
    @Test func moreThanAVaultHasIsNotReadFromAShortFile() throws {
        let long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
        let rows = try made(
            "CREATE VIEW item AS \(long) SELECT zeroblob(700000) AS id, x'' AS record FROM n",
            "CREATE VIEW former AS \(long) SELECT zeroblob(700000) AS item, x'' AS records FROM n",
            "CREATE VIEW circle AS \(long) SELECT zeroblob(700000) AS id, x'' AS content FROM n")
        #expect(vaultError { _ = try rows.allItems() } == .damaged)
        #expect(vaultError { _ = try rows.itemIDs() } == .damaged)
        #expect(vaultError { _ = try rows.allFormer() } == .damaged)
        #expect(vaultError { try rows.forEachItem { (_, _) throws(VaultError) in } } == .damaged)
        #expect(vaultError { try rows.forEachOfCircle { (_, _) throws(VaultError) in } } == .damaged)
    }

    /// Their Names would show that they are foreign, but those are computed once they are read.
    @Test func objectsAreShort() throws {
        let rows = try made()
        try rows.createTables()
        let half = [UInt8](repeating: 1, count: Int(DatabaseLimits.objects) / 2 - 64)
        try rows.put(SealedObject(role: .presence, public: half, private: [2]))
        #expect(try rows.objects().count == 1)
        try rows.put(SealedObject(role: .passcode, public: half, private: [UInt8](repeating: 2, count: 128)))
        #expect(vaultError { _ = try rows.objects() } == .damaged)
    }

    @Test func aLackOfMemorySaysNothingOfTheVault() {
        for code: Int32 in [7, 3082] {
            let error = StorageGate.translate(SQLiteError(code: code))
            #expect(error.code == .outOfMemory && error.advice == "try again in a moment", "\(error)")
        }
    }

    // Long files

    /// Makes a file so long that its keys are looked at before it is searched. Its end is a hole, which takes no room.
    private func lengthen(_ path: String, beyond length: Int64 = DatabaseLimits.unchecked) throws {
        let pages = UInt32(length / Int64(VaultDatabase.pageSize)) + 1
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        // The number of pages ("The SQLite database file format", 1.3).
        try file.seek(toOffset: 28)
        try file.write(contentsOf: Data(BigEndian.bytes(pages)))
        try file.truncate(atOffset: UInt64(pages) * UInt64(VaultDatabase.pageSize))
        try file.close()
    }

    @Test func aLongFileHasNoLongRowOfACircle() throws {
        let fixture = try VaultFixture()
        try fixture.open().close()
        try lengthen(fixture.path)
        let rows = Rows(try Connection(path: fixture.path))
        #expect(try rows.headSchema() == Header.newestFormat)
        try rows.createCircle()
        try rows.put(circle: [1], [UInt8](repeating: 0, count: DatabaseLimits.row - 1))
        #expect(try rows.headSchema() == Header.newestFormat)
        try rows.put(circle: [1], [UInt8](repeating: 0, count: DatabaseLimits.row))
        #expect(vaultError { _ = try rows.headSchema() } == .damaged)
    }

    /// Format 3 brought the circle. In an earlier file, it is a table of nobody's.
    @Test(arguments: [1, 2]) func noEarlierFileHasACircle(format: Int) throws {
        let earlier = try EarlierVault(format: format)
        let rows = Rows(try Connection(path: earlier.path))
        #expect(try rows.headSchema() == UInt16(format))
        try rows.createCircle()
        #expect(try rows.headSchema() == nil)
    }

    @Test func aFullFileIsNamedWithItsLimit() throws {
        let fixture = try VaultFixture()
        try fixture.open().close()
        let room = Room()
        try lengthen(fixture.path, beyond: room.file - Int64(VaultDatabase.pageSize))
        let longest = try Connection(path: fixture.path)
        try room.checkFile(Rows(longest))
        try longest.close()
        try lengthen(fixture.path, beyond: room.file)
        let longer = Rows(try Connection(path: fixture.path))
        let error = #expect(throws: VaultError.self) { try room.checkFile(longer) }
        #expect(error?.code == .limitExceeded && error?.reason.contains(" 1 GiB at most") == true)
    }
}
