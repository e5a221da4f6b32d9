import Authorization
import Cryptography
import Foundation
import Item
import JSON
import Recovery
import SQLite
import TestSupport
import Testing

@testable import Vault

/// Attackers 5 and 7 and the rows of former values: every edit is damage, and no history fills a vault.
struct HistoryFileTests {
    private let fixture: VaultFixture
    private let item: ItemSummary

    init() throws {
        fixture = try VaultFixture()
        let vault = try fixture.open()
        let gated = try AccessControl(isThisDeviceOnly: true, requirements: [.userPresence])
        try vault.set(.make("s", "a", "one", gated))
        item = try vault.set(.make("s", "a", "two", gated)).item
        try vault.close()
    }

    private func plant(_ records: [UInt8], _ database: Connection) throws {
        try database.run(
            "INSERT OR REPLACE INTO former (item, records) VALUES (?, ?)", [.blob(item.id.bytes), .blob(records)])
        try database.rebuildTree { tree in
            try tree.set(TreeEntry.key(former: item.id), TreeEntry.digest(former: item.id, records: records))
        }
    }

    /// What every way to the former values comes to.
    private func expectDamage(_ what: String, _ location: SourceLocation = #_sourceLocation) throws {
        let ways: [(OpenVault) throws -> Void] = [
            { _ = try $0.history(service: "s", account: "a") },
            { _ = try $0.look(service: "s", account: "a", version: 1) { try $0.plan() } }, { _ = try $0.verify() },
            { try $0.set(.make("s", "a", "three")) }, { try $0.delete($0.find(service: "s", account: "a")) },
        ]
        for (number, way) in ways.enumerated() {
            let vault = try fixture.open()
            #expect(vaultError { try way(vault) } == .damaged, "\(what), \(number)", sourceLocation: location)
            try vault.close()
        }
    }

    @Test func untouched() throws {
        try fixture.tamper { _ in }
        let vault = try fixture.open()
        #expect(try vault.history(service: "s", account: "a").versions.map(\.version) == [1])
        _ = try vault.verify()
    }

    @Test func aRowTakenAway() throws {
        try fixture.tamper { try $0.once("DELETE FROM former") }
        try expectDamage("taken away")
        try fixture.tamper { database in
            try database.rebuildTree { tree in try tree.set(TreeEntry.key(former: item.id), nil) }
        }
        try expectDamage("taken away, with its nodes")
    }

    @Test func everyByteOfARow() throws {
        var original: [UInt8] = []
        try fixture.tamper { original = try $0.bytes("SELECT records FROM former") }
        for place in original.indices {
            try fixture.tamper { database in
                var records = original
                records[place] ^= 0x41
                try database.run("UPDATE former SET records = ?", [.blob(records)])
            }
            let vault = try fixture.open()
            #expect(vaultError { _ = try vault.history(service: "s", account: "a") } == .damaged, "byte \(place)")
            try vault.close()
        }
    }

    /// The gated former value, made to need nothing.
    @Test func aChangedPolicyByte() throws {
        try fixture.tamper { database in
            var records = try database.bytes("SELECT records FROM former")
            // count, when it was replaced, length, version, length, access control
            // Behind what stands before the access control in the field's record.
            let heading = try FormerValue.decode(records)[0].sealedHeading.count
            records[1 + 8 + 4 + heading + 4 + (8 + 16 + 4 + 16 + 2 + 16) + 5] ^= 1
            try plant(records, database)
        }
        try expectDamage("another policy")
    }

    /// A complete check also finds what no attacker could write, because the header fits it: numbers that Coffer itself
    /// would have got wrong.
    @Test func aFormerValueIsOlderThanItsItem() throws {
        let keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        for (version, outcome) in [(1, nil), (2, .damaged), (3, .damaged)] as [(UInt8, VaultError.Code?)] {
            try fixture.tamper { database in
                var records = try database.bytes("SELECT records FROM former")
                let heading = try FormerValue.decode(records)[0].sealedHeading.count
                // The last byte of the version, with which the field's record begins.
                records[1 + 8 + 4 + heading + 4 + 7] = version
                #expect(try FormerValue.decode(records)[0].field.version == UInt64(version))
                try plant(records, database)
                var header = try Header(decoding: database.bytes("SELECT content FROM header"))
                header.root = try TreeNode.root.digest(database.bytes("SELECT content FROM node WHERE level = 0"))
                let mac = try HMACSHA256.code(for: Header.macMessage(header.encoded), key: keys.integrity)
                try database.run("UPDATE header SET content = ?, mac = ?", [.blob(header.encoded), .blob(mac)])
            }
            let vault = try fixture.open()
            #expect(vaultError { _ = try vault.verify() } == outcome, "version \(version)")
            try vault.close()
        }
    }

    /// The former values of one item: how many there are, and that they are in the order of their versions.
    @Test func howManyAndInWhichOrder() throws {
        let vault = try fixture.open()
        let field = try vault.read { (snapshot) throws(VaultError) in
            try snapshot.value(of: snapshot.item(item.id)).field
        }
        // By this number, making room knows how many bytes each value gives free.
        let value = FormerValue(replaced: 7, sealedHeading: [1, 2, 3], field: field)
        #expect(FormerValue.encode([value]).count == 1 + value.size)
        func row(_ versions: [Int]) -> [UInt8] {
            FormerValue.encode(
                versions.map { version in
                    let record = FieldRecord(
                        version: UInt64(version), revision: field.revision, valueKey: field.valueKey,
                        format: field.format, item: field.item, access: field.access, valueDigest: field.valueDigest,
                        commitment: field.commitment, slots: field.slots)
                    return FormerValue(replaced: 7, sealedHeading: [1], field: record)
                })
        }
        // More than an item has by now are read, because Coffer once wrote them.
        for count in [1, FormerValue.most, 255] {
            #expect(try FormerValue.decode(row(Array(1...count))).count == count)
        }
        #expect(row([]).isEmpty)
        for bytes in [[0], row([1, 1]), row([2, 1]), row([1]) + [0]] {
            #expect(vaultError { _ = try FormerValue.decode(bytes) } == .damaged)
        }
    }

    /// SQLite does not check whether a file has a key twice. Both rows are one item's own, so the tree knows each.
    @Test func aRowInAnothersPlace() throws {
        let vault = try fixture.open()
        for account in ["b", "c"] {
            for value in ["1", "2"] { try vault.set(.make("t", account, value, .whenUnlocked.thisDeviceOnly)) }
        }
        try vault.close()
        var rows: [[UInt8]] = []
        try fixture.tamper { database in
            for row in try database.rows("SELECT item, records FROM former WHERE item != ?", [.blob(item.id.bytes)]) {
                guard case .blob(let id) = row[0], case .blob(let records) = row[1] else { continue }
                rows.append(id + records)
            }
        }
        try #require(rows.count == 2)
        let (stays, goes) = (rows[0], rows[1])
        try #require(stays.count == goes.count)
        var file = Array(try Data(contentsOf: URL(fileURLWithPath: fixture.path)))
        let there = try #require(file.indices.first { file[$0...].starts(with: goes) })
        file.replaceSubrange(there..<there + goes.count, with: stays)
        try Data(file).write(to: URL(fileURLWithPath: fixture.path))
        let changed = try fixture.open()
        #expect(vaultError { try changed.put(HistorySetting(count: 0, days: 0)) } == .damaged)
        #expect(vaultError { _ = try changed.verify() } == .damaged)
    }

    @Test func aCompleteCheckKnowsTheOldestFormerValue() throws {
        let vault = try fixture.open()
        _ = try vault.verify()
        try vault.write { (change) throws(VaultError) in change.next.oldestFormer += 1 }
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    /// Attackers keep a row that was dropped since, and put it back.
    @Test func aRowPutBack() throws {
        var (records, value): ([UInt8], [UInt8]) = ([], [])
        var key = Value.null
        try fixture.tamper { database in
            records = try database.bytes("SELECT records FROM former")
            key = try formerKey(database)
            value = try database.bytes("SELECT sealed FROM value WHERE id = ?", [key])
        }
        let vault = try fixture.open()
        try vault.put(HistorySetting(count: 0, days: 0))
        try vault.put(.standard)
        try vault.close()
        try fixture.tamper { database in
            try database.run("INSERT INTO value (id, sealed) VALUES (?, ?)", [key, .blob(value)])
            try database.run(
                "INSERT INTO former (item, records) VALUES (?, ?)", [.blob(item.id.bytes), .blob(records)])
        }
        try expectDamage("put back")
    }

    /// The key of the first former value of the file.
    private func formerKey(_ database: Connection) throws -> Value {
        .blob(try FormerValue.decode(database.bytes("SELECT records FROM former"))[0].field.valueKey)
    }

    @Test func aValueThatIsMissingOrAnothers() throws {
        var key = Value.null
        try fixture.tamper { database in
            key = try formerKey(database)
            try database.run(
                "UPDATE value SET sealed = (SELECT sealed FROM value WHERE id != ?) WHERE id = ?", [key, key])
        }
        var vault = try fixture.open()
        let keys = try fixture.unlock(vault)
        #expect(
            vaultError { _ = try vault.look(service: "s", account: "a", version: 1) { try $0.value(classKeys: keys) } }
                == .damaged)
        #expect(vaultError { _ = try vault.verify() } == .damaged)
        try vault.close()
        try fixture.tamper { try $0.run("DELETE FROM value WHERE id = ?", [key]) }
        vault = try fixture.open()
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    @Test(arguments: [
        "INSERT INTO former (item, records) VALUES (x'00', x'00')", "UPDATE former SET records = x''",
        "UPDATE former SET records = 'text'", "UPDATE former SET item = x''", "UPDATE former SET records = x'00'",
        "INSERT INTO value (id, sealed) VALUES (randomblob(24), x'00')", "DROP TABLE former",
    ])
    func rowsOfOtherKinds(statement: String) throws {
        try fixture.tamper { try $0.once(statement) }
        #expect(
            vaultError {
                let vault = try fixture.open()
                _ = try vault.verify()
            } == .damaged)
    }

    // Room

    private func open(_ fixture: VaultFixture, _ room: Room) throws -> OpenVault {
        try OpenVault(
            directory: fixture.folder.path, record: fixture.record, sealer: fixture.sealer,
            now: { fixture.clock.withLock { $0 } }, logLimit: AccessLogLimits.size, room: room)
    }

    @Test func theOldestFormerValuesMakeRoom() throws {
        let fixture = try VaultFixture()
        let vault = try open(fixture, Room(file: 2 << 20))
        let value = String(repeating: "x", count: 300 << 10)
        // Without their former values, these items have room. So a thing that could be stored before always can be.
        for round in 0..<6 {
            for account in ["a", "b", "c"] {
                fixture.advance(milliseconds: 10)
                try vault.set(.make("s", account, "\(round)" + value))
            }
        }
        let kept = try ["a", "b", "c"].map { try vault.history(service: "s", account: $0).versions.map(\.version) }
        // The newest stay: there is room for six values, less a sixteenth, and three are present ones.
        #expect(kept.joined().count >= 1 && kept[2] == [5], "\(kept)")
        #expect(try vault.verify().formerValues == kept.joined().count)
    }

    @Test func theirRecordsHaveRoomForSoMuch() throws {
        let fixture = try VaultFixture()
        let vault = try open(fixture, Room(former: 20_000))
        for number in 0..<60 {
            fixture.advance(milliseconds: 10)
            try vault.set(.make("s", "\(number)", "1"))
            try vault.set(.make("s", "\(number)", "2"))
        }
        let bytes = try vault.database.read { (rows) throws(VaultError) in try rows.formerBytes() }
        #expect(bytes <= 20_000 && bytes > 10_000, "\(bytes)")
        #expect(try vault.history(service: "s", account: "0").versions.isEmpty)
        #expect(try vault.history(service: "s", account: "59").versions.map(\.version) == [1])
        _ = try vault.verify()
    }

    /// The index lacks the point of a former value. Nothing else is stored while that value is to make room.
    @Test func aFormerValueWithoutItsIndexEntryMakesNoRoom() throws {
        let keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        try fixture.tamper { database in
            for point in try FormerValue.decode(database.bytes("SELECT records FROM former"))[0].field.points {
                try database.run("DELETE FROM posting WHERE term = ?", [.blob(keys.term(point: point))])
            }
        }
        let vault = try open(fixture, Room(former: 3_000))
        var code: VaultError.Code?
        for number in 0..<20 where code == nil {
            fixture.advance(milliseconds: 10)
            code = vaultError {
                for value in ["1", "2"] { try vault.set(.make("other", "\(number)", value)) }
            }
        }
        #expect(code == .damaged)
    }

    /// Room has the numbers of the documents.
    @Test func theUsualRoom() { #expect(Room().former == 16 << 20) }

    /// A file whose tables are of one format and whose header is of the other.
    @Test func theFormatsTablesAndNoOthers() throws {
        let keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        try fixture.tamper { database in
            var header = try Header(decoding: database.bytes("SELECT content FROM header"))
            header.format = 1
            let mac = try HMACSHA256.code(for: Header.macMessage(header.encoded), key: keys.integrity)
            try database.run("UPDATE header SET content = ?, mac = ?", [.blob(header.encoded), .blob(mac)])
        }
        // Its keys are of another format, too. The tables are looked at before them.
        let error = #expect(throws: VaultError.self) { _ = try fixture.open() }
        #expect(
            error?.code == .damaged && error?.description.contains("its tables are not those of its format") == true)
    }

    /// The index lacks the point of a former value. That value does not go as if nothing were wrong.
    @Test func aFormerValueWithoutItsIndexEntryDoesNotGo() throws {
        let keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        let before = try fixture.open()
        try before.put(HistorySetting(count: 1, days: 30))
        try before.close()
        try fixture.tamper { database in
            for point in try FormerValue.decode(database.bytes("SELECT records FROM former"))[0].field.points {
                try database.run("DELETE FROM posting WHERE term = ?", [.blob(keys.term(point: point))])
            }
        }
        let ways: [(OpenVault) throws -> Void] = [
            { try $0.put(HistorySetting(count: 0, days: 0)) },
            { try $0.delete($0.find(service: "s", account: "a")) },
            // One value has room, and this is the second one.
            { try $0.set(.make("s", "a", "three", item.access)) },
            // Its time is over, and any change looks for such values.
            { vault in
                fixture.advance(milliseconds: 31 * 86_400_000)
                try vault.set(.make("other", "a", "1"))
            },
        ]
        for (number, way) in ways.enumerated() {
            let vault = try fixture.open()
            #expect(vaultError { try way(vault) } == .damaged, "\(number)")
            try vault.close()
        }
    }
}
