import Authorization
import Cryptography
import Foundation
import Item
import Recovery
import SQLite
import TestSupport
import Testing

@testable import Vault

/// Files of formats 1 and 2, as earlier versions have written them (Tests/Vaults).
struct MigrationTests {
    @Test func aFileOfFormat1IsMigratedWhenItIsOpened() throws {
        let earlier = try EarlierVault(format: 1)
        var vault = try earlier.open()
        #expect(vault.lastHeader.format == 3)
        #expect(try vault.verify().items == 2 && vault.history == .standard)
        let item = try vault.find(service: "mail", account: "me")
        #expect(item.metadata.label == "Mail" && item.version == 2)
        #expect(try earlier.value(vault, "mail", "me") == "two")
        // It keeps values from then on.
        try vault.set(.make("mail", "me", "three"))
        #expect(try earlier.value(vault, "mail", "me", version: 2) == "two")
        try vault.close()
        vault = try earlier.open()
        #expect(try vault.verify().formerValues == 1)
        #expect(try earlier.value(vault, "mail", "me") == "three")
        try vault.close()
    }

    /// What everything in the file of format 2 reads as.
    private func check(_ vault: OpenVault, of earlier: EarlierVault) throws {
        #expect(vault.lastHeader.format == 3)
        let report = try vault.verify()
        #expect(report.items == 8 && report.formerValues == 2)
        #expect(try earlier.value(vault, "mail", "me") == "two")
        #expect(try earlier.value(vault, "mail", "me", version: 1) == "one")
        // A person is asked for these. One was renamed since its value was replaced.
        #expect(try earlier.value(vault, "bank", "me") == "b2")
        #expect(try earlier.value(vault, "bank", "me", version: 1) == "b1")
        let former = try vault.look(service: "bank", account: "me", version: 1) { $0.formerName?.service }
        #expect(former == "oldbank")
        for way in 0...1 { #expect(try earlier.value(vault, "either", "me", way: way) == "either") }
        #expect(try earlier.value(vault, "code", "me") == "pass")
        #expect(try earlier.value(vault, "boot", "disk") == "disk")
        #expect(try earlier.value(vault, "card", "me") == "card")
        #expect(try earlier.value(vault, "ssh", "key", kind: .key) == "keybytes")
        let wifi = try #require(try vault.search(attributes: ["ssid": "net"]).first)
        #expect(wifi.metadata.label == "Home" && wifi.metadata.comment == "upstairs" && wifi.metadata.expires != nil)
        #expect(wifi.metadata.attributes == ["kind": "wpa", "ssid": "net"])
        #expect(try earlier.value(vault, "wifi", "home") == "wpa")
    }

    @Test func aFileOfFormat2IsMigratedWhenItIsOpened() throws {
        let earlier = try EarlierVault(format: 2)
        let header = try Connection(path: earlier.path).bytes("SELECT content FROM header")
        #expect(try Header.format(of: header) == 2)
        var vault = try earlier.open()
        #expect(try vault.lastHeader.revision == Header(decoding: header).revision + 1)
        try check(vault, of: earlier)
        // The migration is one change.
        #expect(try vault.lastHeader.revision == Header(decoding: header).revision + 1)
        try vault.close()
        // It is no longer touched.
        let file = try Data(contentsOf: URL(fileURLWithPath: earlier.path))
        vault = try earlier.open()
        try check(vault, of: earlier)
        try vault.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: earlier.path)) == file)
    }

    /// Nobody is there who could open a value, so each stays as it was sealed until it is next sealed.
    @Test func valuesStayAsTheyWereSealedUntilTheyAreSealedAgain() throws {
        let earlier = try EarlierVault(format: 2)
        let before = try Connection(path: earlier.path).rows("SELECT id, sealed FROM value ORDER BY id")
        let vault = try earlier.open()
        func field(_ service: String) throws -> FieldRecord {
            try vault.read { (snapshot) throws(VaultError) in
                try snapshot.value(of: snapshot.items(service: service)[0]).field
            }
        }
        #expect(try field("mail").format == 1 && field("mail").commitment == FieldRecord.noDigest)
        try vault.set(.make("mail", "me", "three"))
        let mail = try field("mail")
        #expect(mail.format == 3 && mail.version == 3 && mail.valueKey == mail.revision.bytes)
        #expect(try earlier.value(vault, "mail", "me") == "three")
        // What was replaced is still as it was, also in its place.
        #expect(try earlier.value(vault, "mail", "me", version: 2) == "two")
        #expect(try earlier.value(vault, "mail", "me", version: 1) == "one")
        #expect(try vault.verify().formerValues == 3)
        try vault.delete(vault.find(service: "bank", account: "me"))
        #expect(try vault.verify().items == 7)
        try vault.close()
        let after = try Connection(path: earlier.path).rows("SELECT id, sealed FROM value ORDER BY id")
        #expect(after.count == before.count + 1 - 2)
        #expect(after.filter { !before.contains($0) }.count == 1)
    }

    /// What was sealed before values had revisions gets a fresh one by a renewal of all keys. What has one keeps it.
    @Test func aRenewalKeepsTheRevisionsThatThereAre() throws {
        let earlier = try EarlierVault(format: 2)
        let vault = try earlier.open()
        let keys = try earlier.unlock(vault)
        func renewed() throws -> RenewedItem {
            try vault.renewing(vault.find(service: "mail", account: "me"), classKeys: keys)
        }
        #expect(try renewed().revisions.isEmpty)
        try vault.set(.make("mail", "me", "three"))
        let revision = try vault.read { (snapshot) throws(VaultError) in
            try snapshot.value(of: snapshot.items(service: "mail")[0]).field.revision
        }
        #expect(try renewed().revisions == [.secret: revision])
    }

    /// The machine can stop at any moment of the migration. The file is good with every part of SQLite's log.
    @Test func aStopAtAnyMomentLosesNothing() throws {
        let earlier = try EarlierVault(format: 2)
        let keys = try earlier.keys()
        let connection = try Connection(path: earlier.path)
        for pragma in ["journal_mode = WAL", "wal_autocheckpoint = 0"] { try connection.once("PRAGMA \(pragma)") }
        let begun = try connection.transaction(.writing, StorageGate.translate) { () throws(VaultError) in
            let rows = Rows(connection)
            return try Migration.run(rows, Header(decoding: rows.header().content), keys).header
        }
        #expect(begun.format == 3)
        let log = try Data(contentsOf: URL(fileURLWithPath: earlier.path + "-wal"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: earlier.path)) == earlier.file)
        try connection.close()
        // The head of a log has 32 bytes; a frame has a page behind 24 (SQLite, "The WAL File Format").
        let frames = (log.count - 32) / (24 + 4096)
        #expect(frames > 10 && log.count == 32 + frames * (24 + 4096))
        for frame in 0...frames {
            for torn in [0, 2000] {
                try earlier.restore(log: log.prefix(32 + frame * (24 + 4096) + torn))
                let vault = try earlier.open()
                if frame % 8 == 0 || frame == frames { try check(vault, of: earlier) } else { _ = try vault.verify() }
                #expect(try earlier.value(vault, "bank", "me") == "b2")
                try vault.close()
            }
        }
    }

    /// Attacker 5 changes a row of a file that is about to be migrated. The migration must not vouch for it. The key of
    /// the metadata does not tell: it seals neither the slots of an item nor the time of a former value.
    @Test(arguments: ["item", "former"]) func whatIsNotTheVaultsIsNotTakenAlong(table: String) throws {
        let earlier = try EarlierVault(format: 2)
        let column = table == "item" ? "record" : "records"
        let connection = try Connection(path: earlier.path)
        var bytes = try connection.bytes("SELECT \(column) FROM \(table)")
        let before = bytes
        // The last slot's wrapped key, and the low byte of the time when a value was replaced.
        bytes[table == "item" ? bytes.count - 1 : 8] ^= 1
        try connection.run("UPDATE \(table) SET \(column) = ? WHERE \(column) = ?", [.blob(bytes), .blob(before)])
        try connection.close()
        let file = try Data(contentsOf: URL(fileURLWithPath: earlier.path))
        #expect(vaultError { _ = try earlier.open() } == .damaged)
        #expect(try Data(contentsOf: URL(fileURLWithPath: earlier.path)) == file)
    }

    /// An item that was taken away from a file that is about to be migrated.
    @Test func whatIsMissingIsNoticed() throws {
        let earlier = try EarlierVault(format: 2)
        let connection = try Connection(path: earlier.path)
        try connection.run("DELETE FROM item WHERE id IN (SELECT id FROM item LIMIT 1)", [])
        try connection.close()
        #expect(vaultError { _ = try earlier.open() } == .damaged)
    }

    /// The recovery code opens files of all formats, and changes none.
    @Test(arguments: [1, 2]) func anEarlierFileIsRecovered(format: Int) throws {
        let earlier = try EarlierVault(format: format)
        let vault = try RecoverableVault(
            copying: earlier.path, to: earlier.folder.path, code: earlier.recoveryCode)
        #expect(vault.items.count == (format == 1 ? 2 : 8))
        let mail = try #require(vault.items.first { $0.summary.metadata.service == "mail" })
        #expect(revealed(try vault.value(of: mail)) == Array("two".utf8))
        if format == 2 {
            let bank = try #require(vault.items.first { $0.summary.metadata.service == "bank" })
            #expect(revealed(try vault.value(of: bank)) == Array("b2".utf8))
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: earlier.path)) == earlier.file)
    }

    /// Somebody with the metadata's key gives a former value the point of the present one: one signature would open
    /// both.
    @Test func noTwoValuesOfAnEarlierFileHaveOnePoint() throws {
        let earlier = try EarlierVault(format: 2)
        let keys = try earlier.keys()
        let connection = try Connection(path: earlier.path)
        var next = try Header(decoding: connection.bytes("SELECT content FROM header"))
        var count = 0
        for row in try connection.rows("SELECT id, record, records FROM item JOIN former ON item = id") {
            guard case .blob(let bytes) = row[0], case .blob(let record) = row[1], case .blob(let former) = row[2]
            else { continue }
            let id = try #require(ItemID(bytes: bytes))
            guard try !EarlierItem(decoding: record).field(of: id, isFormer: false).points.isEmpty else { continue }
            // Both have the same access control, and so slots of the same length at their end.
            let start = try slotsStart(in: record)
            let changed = Array(former.dropLast(record.count - start)) + record[start...]
            #expect(try EarlierItem.former(decoding: changed).count == 1)
            try connection.run("UPDATE former SET records = ? WHERE item = ?", [.blob(changed), .blob(bytes)])
            try connection.rebuildTree { tree in
                try tree.set(TreeEntry.key(former: id), TreeEntry.digest(former: id, records: changed))
            }
            count += 1
        }
        #expect(count == 1)
        next.root = try TreeNode.root.digest(connection.bytes("SELECT content FROM node WHERE level = 0"))
        let header = next
        let error = #expect(throws: VaultError.self) {
            try connection.transaction(.writing, StorageGate.translate) { () throws(VaultError) in
                _ = try Migration.run(Rows(connection), header, keys)
            }
        }
        #expect(error?.description.contains("the same point") == true)
    }

    /// SQLite refuses one row, or one table that it has already. The file stays as it was.
    @Test(arguments: ["item", "former", "posting", "field"]) func aMigrationIsWholeOrNone(table: String) throws {
        let earlier = try EarlierVault(format: 2)
        let keys = try earlier.keys()
        let connection = try Connection(path: earlier.path)
        if table == "field" {
            try connection.once("CREATE TABLE field (item BLOB PRIMARY KEY, content BLOB NOT NULL)")
        } else {
            try connection.once("CREATE TRIGGER t BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'no'); END")
        }
        let code = vaultError {
            try connection.transaction(.writing, StorageGate.translate) { () throws(VaultError) in
                let rows = Rows(connection)
                _ = try Migration.run(rows, Header(decoding: rows.header().content), keys)
            }
        }
        #expect(code == .damaged)
        let format = try Header.format(of: connection.bytes("SELECT content FROM header"))
        #expect(format == 2)
    }

    /// Attacker 5 puts a node where the file has none, on the way to the index of a value's point.
    @Test func theIndexOfPointsBeginsInTheVaultsOwnTree() throws {
        let earlier = try EarlierVault(format: 2)
        let keys = try earlier.keys()
        let connection = try Connection(path: earlier.path)
        var found: [UInt8]?
        for row in try connection.rows("SELECT id, record FROM item") {
            guard case .blob(let bytes) = row[0], case .blob(let record) = row[1] else { continue }
            let id = try #require(ItemID(bytes: bytes))
            found = try EarlierItem(decoding: record).field(of: id, isFormer: false).points.first ?? found
        }
        let point = try #require(found)
        let bucket = try TreeNode(level: TreeNode.bucketLevel, above: keys.term(point: point))
        let rows = Rows(connection)
        let there = try rows.node(bucket)
        try #require(there == nil)
        try rows.put(bucket, [UInt8](repeating: 0, count: TreeNode.entryCount))
        try connection.close()
        #expect(vaultError { _ = try earlier.open() } == .damaged)
    }

    /// The length of what stands before the number of slots.
    private func slotsStart(in record: [UInt8]) throws -> Int {
        var reader = ByteReader(record, "an item")
        _ = try reader.bytes(8)
        let access = try reader.prefixed()
        let metadata = try reader.prefixed()
        return 8 + 4 + access.count + 4 + metadata.count + SHA256.count
    }

    /// The first record of the file of format 1.
    private func earlierRecord() throws -> [UInt8] {
        let earlier = try EarlierVault(format: 1)
        let database = try VaultDatabase(path: earlier.path)
        let record = try database.read { (rows) throws(VaultError) in try rows.allItems()[0].record }
        try database.close()
        return record
    }

    @Test func anEarlierRecordHasAVersionAndAllItsSlots() throws {
        let record = try earlierRecord()
        func isRefused(_ bytes: [UInt8]) -> Bool { vaultError { _ = try EarlierItem(decoding: bytes) } == .damaged }
        #expect(!isRefused(record))
        #expect(isRefused(BigEndian.bytes(0 as UInt64) + record.dropFirst(8)))
        let start = try slotsStart(in: record)
        #expect(record[start] > 0)
        #expect(isRefused(Array(record.prefix(start)) + [0]))
        #expect(isRefused(record + [0]))
    }

    @Test func anItemHasSoManyFormerValues() throws {
        let record = try earlierRecord()
        // The version comes first. Each one is newer than the one before.
        func former(of versions: [Int]) -> [UInt8] {
            versions.reduce(into: [UInt8(versions.count)]) { bytes, version in
                bytes += BigEndian.bytes(7 as UInt64)
                bytes += LengthPrefixed.encode(BigEndian.bytes(UInt64(version)) + record.dropFirst(8))
            }
        }
        func former(_ count: Int) -> [UInt8] { former(of: Array(0..<count).map { $0 + 1 }) }
        let most = ItemLimits.formerValues.most
        for count in [1, most] { #expect(try EarlierItem.former(decoding: former(count)).count == count) }
        for count in [0, most + 1] {
            #expect(vaultError { _ = try EarlierItem.former(decoding: former(count)) } == .damaged)
        }
        #expect(vaultError { _ = try EarlierItem.former(decoding: former(1) + [0]) } == .damaged)
        for versions in [[1, 1], [2, 1]] {
            #expect(vaultError { _ = try EarlierItem.former(decoding: former(of: versions)) } == .damaged)
        }
    }
}
