import Authorization
import Cryptography
import Foundation
import Item
import Platform
import SQLite
import TestSupport
import Testing

@testable import Vault

/// Making files, taking them up and leaving them alone, and what is in them.
struct FileTests {
    let fixture: VaultFixture

    init() throws { fixture = try VaultFixture() }

    private var newPath: String { fixture.path + ".new" }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func aNewVaultHasNoNameUntilItIsTakenUp() throws {
        #expect(exists(newPath))
        #expect(!exists(fixture.path))
        #expect(!exists(newPath + "-wal"))
        let vault = try fixture.open()
        #expect(!exists(newPath))
        #expect(try vault.count == 0)
        try VaultFile.adopt(directory: fixture.folder.path, record: fixture.record)
    }

    /// SQLite would replay into the new vault what an earlier one left under its name.
    @Test(arguments: [false, true]) func whatAnEarlierVaultLeftBesideItsFileIsNotTakenUp(isSuccessor: Bool) throws {
        let remains = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: remains.path + "/earlier"))
        let earlier = try Connection(path: remains.path + "/earlier")
        for statement in ["PRAGMA journal_mode = WAL", "CREATE TABLE earlier (x)"] { try earlier.once(statement) }
        let log = try Data(contentsOf: URL(fileURLWithPath: remains.path + "/earlier-wal"))
        #expect(!log.isEmpty)
        try earlier.close()
        var record = fixture.record
        if isSuccessor {
            try fixture.open().database.close()
            let next = try VaultFixture(owner: record.owner)
            try FileManager.default.moveItem(
                atPath: next.path + ".new", toPath: VaultFile.successorPath(of: record.owner, in: fixture.folder.path))
            record = next.record
        }
        for side in ["-wal", "-shm", "-journal"] { try log.write(to: URL(fileURLWithPath: fixture.path + side)) }
        try VaultFile.adopt(directory: fixture.folder.path, record: record)
        #expect(exists(fixture.path))
        for side in ["-wal", "-shm", "-journal"] { #expect(!exists(fixture.path + side), "\(side)") }
    }

    /// Somebody puts a link in a successor's place. What it leads to is not taken up (attacker 5).
    @Test func aLinkIsNoSuccessor() throws {
        try fixture.open().close()
        let (next, place) = (
            try VaultFixture(owner: fixture.record.owner),
            VaultFile.successorPath(of: fixture.record.owner, in: fixture.folder.path)
        )
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: next.path + ".new")
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        // Either nothing is there to take up, or it is named as what it is.
        do throws(VaultError) { try VaultFile.adopt(directory: fixture.folder.path, record: next.record) } catch {
            #expect(error.code == .damaged)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == before)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place) == next.path + ".new")
    }

    /// SQLite's own settings. They decide whether a change survives a power cut, and whether a deleted value does.
    @Test func theDatabaseIsSetForPowerCutsAndForDeletions() throws {
        let vault = try fixture.open()
        try vault.set(.make("s", "a", "v"))
        let wanted: [(String, Int)] = [
            ("synchronous", 1), ("secure_delete", 1), ("mmap_size", 0), ("trusted_schema", 0), ("cell_size_check", 1),
            ("temp_store", 2), ("foreign_keys", 0),
        ]
        for (name, value) in wanted {
            let found: Int? = try vault.database.read { (rows) throws(VaultError) in
                try StorageGate.run { () throws(SQLiteError) in try rows.database.number("PRAGMA \(name)") }
            }
            #expect(found == value, "\(name)")
        }
        for (name, mode) in [("journal_mode", "wal"), ("locking_mode", "exclusive")] {
            let found = try vault.database.read { (rows) throws(VaultError) in
                try StorageGate.run { () throws(SQLiteError) in try rows.database.once("PRAGMA \(name)") }
            }
            #expect(found == [.text(mode)])
        }
        // No part of a change waits in the WAL.
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path + "-wal")).isEmpty)
    }

    /// A read is rolled back, with all that was done in it.
    @Test func aReadChangesNothing() throws {
        let vault = try fixture.open()
        try vault.database.read { (rows) throws(VaultError) in try rows.put(recovery: [1]) }
        #expect(try vault.database.read { (rows) throws(VaultError) in try rows.recovery() } == nil)
    }

    /// A disk that fails while a list is read is no damage of the vault. The rows that were not read are not missing.
    @Test func aListThatCannotBeReadNowIsNotDamaged() throws {
        let vault = try fixture.open()
        try vault.set(.make("s", "a", "v"))
        try vault.close()
        let again = try fixture.open()
        try withoutReading(fixture.path) { #expect(vaultError { _ = try again.list() } == .storage) }
        #expect(try again.list().map(\.metadata.account) == ["a"])
    }

    /// SQLite reads whole rows when it searches. So a long file with a row that is longer than any of Coffer's is not opened.
    @Test(arguments: [
        ("value", "id", "sealed"), ("item", "id", "record"), ("posting", "term", "items"),
        ("former", "item", "records"),
        ("field", "item", "content"), ("slot", "revision", "slots"), ("node", "level, number", "content"),
    ])
    func theLongestRowIsReadAndALongerOneIsNot(table: String, key: String, content: String) throws {
        try fixture.open().database.close()
        let isNode = table == "node"
        func check(_ longest: Int, others: Int) throws {
            let file = try Connection(path: fixture.path)
            for index in 0...others {
                let length = index == 0 ? longest : DatabaseLimits.row
                // Of a value, only the key is searched. The key of a node is two numbers, and its content counts.
                let (id, rest) = table == "value" ? (length, 1) : isNode ? (0, length) : (16, length - 16)
                let first = isNode ? "9, random()" : "randomblob(\(id))"
                try file.once("INSERT INTO \(table) (\(key), \(content)) VALUES (\(first), zeroblob(\(rest)))")
            }
            try file.close()
            let database = try VaultDatabase(path: fixture.path)
            defer { #expect(vaultError { try database.close() } == nil) }
            try database.read { (rows) throws(VaultError) in _ = try rows.checkSchema() }
        }
        // A short file is searched at once: its rows cost no more than it is long.
        try check(DatabaseLimits.row + 1, others: 0)
        try empty(table)
        try check(DatabaseLimits.row, others: 8)
        #expect(vaultError { try check(DatabaseLimits.row + 1, others: 0) } == .damaged)
    }

    private func empty(_ table: String) throws {
        let file = try Connection(path: fixture.path)
        for statement in ["DELETE FROM \(table)", "VACUUM"] { try file.once(statement) }
        try file.close()
    }

    /// A crash before the registry was written. Nothing names the file, so the next attempt replaces it.
    @Test func anUnregisteredFileIsReplaced() throws {
        try Data("left behind".utf8).write(to: URL(fileURLWithPath: newPath + "-wal"))
        let next = try VaultFixture(in: fixture.folder)
        #expect(vaultError { _ = try fixture.open() } == .damaged)
        #expect(exists(newPath))
        try next.open().set(.make("s", "a", "v"))
        #expect(vaultError { _ = try VaultFixture(in: fixture.folder) } == .alreadyExists)
    }

    /// A crash in the middle of making the file.
    @Test func halfAFileIsReplaced() throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: newPath))
        for length in [0, 100, whole.count / 2] {
            try whole.prefix(length).write(to: URL(fileURLWithPath: newPath))
            #expect(vaultError { _ = try fixture.open() } == .damaged)
        }
        try VaultFixture(in: fixture.folder).open().set(.make("s", "a", "v"))
    }

    /// A vault that was registered and then vanished is never begun anew.
    @Test func aMissingFileIsDamage() throws {
        do { try fixture.open().set(.make("s", "a", "v")) }
        try FileManager.default.removeItem(atPath: fixture.path)
        #expect(vaultError { _ = try fixture.open() } == .damaged)
        #expect(!exists(fixture.path))
        _ = try VaultFixture(in: fixture.folder)
        #expect(vaultError { _ = try fixture.open() } == .damaged)
    }

    /// A new file beside a vault in use is left alone.
    @Test func anotherNewFileIsIgnored() throws {
        do { try fixture.open().set(.make("s", "a", "v")) }
        try Data("whatever".utf8).write(to: URL(fileURLWithPath: newPath))
        #expect(try fixture.value(fixture.open(), "s", "a") == Array("v".utf8))
        #expect(exists(newPath))
    }

    /// The WAL of a file that is gone must not be replayed into the file that takes its name.
    @Test func anOldLogIsNotPlayedBack() throws {
        let other = try VaultFixture()
        let vault = try other.open()
        try vault.set(.make("s", "a", "v"))
        for side in ["-wal", "-shm", "-journal"] {
            try Data("old".utf8).write(to: URL(fileURLWithPath: fixture.path + side))
        }
        try fixture.open().set(.make("s", "a", "v"))
        #expect(try fixture.value(fixture.open(), "s", "a") == Array("v".utf8))
    }

    /// After each acknowledged change the WAL is empty, and nobody else can read any file.
    @Test func theLogIsEmptyAndFilesArePrivate() throws {
        let vault = try fixture.open()
        for number in 0..<5 {
            try vault.set(.make("s", "\(number)", String(repeating: "v", count: 5000)))
            let log = try #require(try FileStatus.of(fixture.path + "-wal"))
            #expect(log.size == 0)
            #expect(log.mode == 0o600)
            #expect(try FileStatus.of(fixture.path)?.mode == 0o600)
        }
        try vault.delete(vault.find(service: "s", account: "0"))
        #expect(try FileStatus.of(fixture.path + "-wal")?.size == 0)
        #expect(try FileStatus.of(fixture.path + "-shm") == nil)
    }

    /// SQLite commits without syncing. What it could not write back is synced all the same, or is seen by nobody.
    @Test func aCommitThatStaysInTheLogIsSynced() throws {
        let vault = try fixture.open()
        try vault.set(.make("s", "a", "one"))
        let log = fixture.path + "-wal"
        try withoutWriting(fixture.path) { #expect(vaultError { try vault.set(.make("s", "a", "two")) } == .storage) }
        // It was synced, so it may be seen. The next change takes it along.
        #expect(try fixture.value(vault, "s", "a") == Array("two".utf8))
        try vault.set(.make("s", "b", "v"))
        #expect(try FileStatus.of(log)?.size == 0)
        // Now the file to sync is not to be found.
        try withoutWriting(fixture.path) {
            try FileManager.default.moveItem(atPath: log, toPath: log + ".moved")
            try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: log + ".moved")
            #expect(vaultError { try vault.set(.make("s", "a", "three")) } == .storage)
        }
        #expect(vaultError { _ = try fixture.value(vault, "s", "a") } == .storage)
        #expect(vaultError { try vault.set(.make("s", "b", "v")) } == .storage)
        try vault.close()
    }

    /// The change is in the file's log, and the next one takes it along. So nobody says that nothing was changed.
    @Test func whatIsNotWrittenBackMayBeStored() throws {
        let vault = try fixture.open()
        try withoutWriting(fixture.path) {
            let error = #expect(throws: VaultError.self) { try vault.set(.make("s", "a", "one")) }
            #expect(error?.reason.contains("may or may not be stored") == true, "\(String(describing: error))")
        }
        #expect(try fixture.value(vault, "s", "a") == Array("one".utf8))
        // SQLITE_FULL.
        let full = SQLiteError(code: 13)
        let unwritten = StorageGate.notWrittenBack(full)
        #expect(unwritten.code == .storage && unwritten.cause as? SQLiteError == full)
        #expect(unwritten.reason.contains("disk is full") && unwritten.reason.contains("may or may not be stored"))
        // Before the commit, SQLite rolls back.
        #expect(StorageGate.translate(full).reason.contains("nothing was changed"))
        // SQLITE_CORRUPT.
        #expect(StorageGate.notWrittenBack(SQLiteError(code: 11)).code == .damaged)
    }

    /// The TPM and the registry follow what is found in a file, so a power cut must not undo it.
    @Test func aCommitOfAKilledBrokerIsSyncedFirst() throws {
        do { try fixture.open().set(.make("s", "a", "v")) }
        let log = fixture.path + "-wal"
        try Data("a log".utf8).write(to: URL(fileURLWithPath: log + ".moved"))
        try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: log + ".moved")
        let error = #expect(throws: VaultError.self) { _ = try VaultDatabase(path: fixture.path) }
        // SQLite refuses a link as well, but in other words and later.
        #expect(error?.code == .storage && error?.cause is SystemError)
    }

    @Test func oneOpenerAtATime() throws {
        let vault = try fixture.open()
        try vault.set(.make("s", "a", "v"))
        #expect(vaultError { _ = try fixture.open() } == .storage)
        #expect(try vault.count == 1)
    }

    @Test func aFolderThatCannotBeWritten() throws {
        let record = fixture.record
        let keys = fixture.keys
        #expect(vaultError { try VaultFile.create(directory: "/nonexistent", keys: keys, record: record) } == .storage)
        let other = try VaultFixture()
        #expect(
            vaultError { try VaultFile.create(directory: fixture.folder.path, keys: other.keys, record: record) }
                == .invalidArgument)
    }

    /// No byte of a value or a name is in any file, in any encoding. Replaced and deleted values are gone, even in
    /// sealed form.
    @Test func canaries() throws {
        let names = ["value", "service", "account", "label", "comment", "attribute", "content"]
        let canaries = Dictionary(uniqueKeysWithValues: names.map { ($0, "CANARY-\($0)-\(UUID().uuidString)") })
        func canary(_ name: String) -> String { canaries[name] ?? name }
        var traces: [[UInt8]] = []
        do {
            let vault = try fixture.open()
            var draft = try ItemDraft.make(canary("service"), canary("account"), canary("value"))
            draft.label = canary("label")
            draft.comment = canary("comment")
            draft.attributes = [canary("attribute"): canary("content")]
            for access in [
                AccessControl.whenUnlocked, try AccessControl(requirements: [.userPresence]), AccessControl(.always),
            ] {
                draft.access = PartialAccess(access)
                let item = try vault.set(draft).item
                let sealed = try vault.read { (snapshot) throws(VaultError) in
                    try snapshot.sealedValue(of: snapshot.value(of: snapshot.item(item.id)))
                }
                traces.append(Array(sealed.prefix(40)))
                #expect(try fixture.value(vault, canary("service"), canary("account")) == Array(canary("value").utf8))
                try search(canaries.values.map { $0 }, [])
            }
            try search(canaries.values.map { $0 }, Array(traces.dropLast()))
            try vault.delete(vault.find(service: canary("service"), account: nil))
            try search(canaries.values.map { $0 }, traces)
        }
        try search(canaries.values.map { $0 }, traces)
    }

    private func search(_ texts: [String], _ bytes: [[UInt8]]) throws {
        var needles = bytes.map { Data($0) }
        for text in texts {
            let plain = Data(text.utf8)
            needles.append(plain)
            needles.append(Data(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }))
            needles.append(Data(Hex.encode(Array(plain)).utf8))
            // Base64 in each of the three phases, without the characters that neighbours share.
            for phase in 0..<3 {
                let encoded = (Data(repeating: 0, count: phase) + plain).base64EncodedString()
                needles.append(Data(encoded.utf8.dropFirst(4).dropLast(4)))
            }
        }
        let files = try fixture.files()
        #expect(files.contains { $0.name.hasSuffix(".vault") })
        for file in files {
            for needle in needles { #expect(file.bytes.range(of: needle) == nil, "\(file.name)") }
        }
    }

    /// A successor's file that cannot be read now is not a missing one. Else the former vault would be opened instead.
    @Test func aSuccessorThatCannotBeReadNowIsNotMissing() throws {
        try fixture.open().close()
        let next = try VaultFixture(owner: fixture.record.owner)
        let place = VaultFile.successorPath(of: fixture.record.owner, in: fixture.folder.path)
        try FileManager.default.moveItem(atPath: next.path + ".new", toPath: place)
        let other = try VaultDatabase(path: place)
        _ = try other.read { (rows) throws(VaultError) in try rows.header() }
        let record = next.record
        #expect(vaultError { try VaultFile.adopt(directory: fixture.folder.path, record: record) } == .storage)
        #expect(exists(place))
        try other.close()
        try VaultFile.adopt(directory: fixture.folder.path, record: record)
        #expect(!exists(place))
    }

    /// A renewal that was killed as it began leaves an empty file. SQLite would write to it, which a full disk refuses.
    @Test func anEmptySuccessorIsNoVault() throws {
        try fixture.open().close()
        let place = VaultFile.successorPath(of: fixture.record.owner, in: fixture.folder.path)
        try Data().write(to: URL(fileURLWithPath: place))
        try fixture.open().close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: place)).isEmpty)
    }

    /// What is set aside replaces nothing. What an interruption has left behind follows its vault.
    @Test func whatIsSetAsideAtTheSameTimeGetsANumber() throws {
        let (owner, directory) = (fixture.record.owner, fixture.folder.path)
        func put(_ path: String, _ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        func setAside(_ time: String, _ records: [String] = []) throws -> (stamp: String, file: String?) {
            try VaultFile.setAside(owner, in: directory, at: time, records: records)
        }
        let start = "\(VaultFile.setAsideDirectory(in: directory))/\(owner.fileStem)"
        for stamp in ["t", "t-2", "t-3"] {
            try put(fixture.path, stamp)
            let moved = try setAside("t")
            #expect(moved.stamp == stamp && moved.file == "\(start).\(stamp).vault")
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(start).\(stamp).vault")) == Data(stamp.utf8))
            #expect(!exists(fixture.path))
        }
        let log = VaultFile.logPath(of: owner, in: directory)
        try put(log, "left")
        let left = try setAside("u")
        #expect(left.stamp == "t-3" && left.file == "\(start).t-3.vault")
        #expect(exists("\(start).t-3.log") && !exists(log))
        // Each of them has its record, so nothing belongs to one of them.
        try put(log, "alone")
        let alone = try setAside("u", ["t", "t-2", "t-3"].map { "\(owner.fileStem).\($0).json" })
        #expect(alone.stamp == "u" && alone.file == nil && exists("\(start).u.log"))
    }
}
