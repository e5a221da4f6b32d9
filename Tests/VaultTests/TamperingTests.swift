import Authorization
import Cryptography
import Foundation
import Item
import SQLite
import TestSupport
import Testing

@testable import Vault

/// Attacker 5 writes the vault's file. Every edit is damage, and none gives "not found" or another value.
struct TamperingTests {
    let fixture: VaultFixture
    let first: ItemSummary
    let second: ItemSummary

    init() throws {
        fixture = try VaultFixture()
        let vault = try fixture.open()
        first = try vault.set(
            .make("s", "first", "one", AccessControl(isThisDeviceOnly: true, requirements: [.userPresence]))
        )
        .item
        second = try vault.set(
            .make("s", "second", "two", AccessControl(isThisDeviceOnly: true, requirements: [.userPresence]))
        )
        .item
    }

    /// The result of opening the vault and reading the first item.
    private func outcome() -> VaultError.Code? {
        vaultError {
            let vault = try fixture.open()
            let value = try fixture.value(vault, "s", "first")
            guard value == Array("one".utf8) else { throw TestFailure("another value was read") }
        }
    }

    private struct TestFailure: Error { init(_ reason: String) {} }

    private func record(_ database: Connection, _ item: ItemSummary) throws -> [UInt8] {
        try database.bytes("SELECT record FROM item WHERE id = ?", [.blob(item.id.bytes)])
    }

    private func fields(_ database: Connection, _ item: ItemSummary) throws -> [UInt8] {
        try database.bytes("SELECT content FROM field WHERE item = ?", [.blob(item.id.bytes)])
    }

    /// The key of an item's sealed value.
    private func valueKey(_ database: Connection, _ item: ItemSummary) throws -> [UInt8] {
        try ItemFields(decoding: fields(database, item)).fields[0][0].valueKey
    }

    private func value(_ database: Connection, _ item: ItemSummary) throws -> [UInt8] {
        try database.bytes("SELECT sealed FROM value WHERE id = ?", [.blob(valueKey(database, item))])
    }

    /// Puts fields into an item's place, and their digest into its record and the tree.
    private func plant(_ fields: [UInt8], of item: ItemSummary, in database: Connection) throws {
        try database.run(
            "UPDATE field SET content = ? WHERE item = ?", [.blob(fields), .blob(item.id.bytes)])
        let old = try ItemRecord(decoding: record(database, item))
        let record = ItemRecord(
            version: old.version, access: old.access, sealedMetadata: old.sealedMetadata,
            fieldsDigest: try SHA256.digest(fields))
        try database.plant(record: record.encoded, of: item.id)
    }

    @Test func untouched() throws {
        try fixture.tamper { _ in }
        #expect(outcome() == nil)
        _ = try fixture.open().verify()
    }

    @Test func swappedRows() throws {
        try fixture.tamper { database in
            let (one, two) = (try record(database, first), try record(database, second))
            try database.plant(record: two, of: first.id)
            try database.plant(record: one, of: second.id)
        }
        #expect(outcome() == .damaged)
    }

    /// SQLite does not check whether a file has a key twice.
    @Test func aRowInAnothersPlace() throws {
        let id = first.id.bytes
        let records = try rows()
        #expect(Set(records.values.map(\.count)).count == 1)
        var file = Array(try Data(contentsOf: URL(fileURLWithPath: fixture.path)))
        func place(_ bytes: [UInt8]) throws -> Int {
            try #require(file.indices.first { file[$0...].starts(with: bytes) })
        }
        let there = try place(second.id.bytes + (try #require(records[second.id.bytes])))
        let row = id + (try #require(records[id]))
        file.replaceSubrange(there..<there + row.count, with: row)
        try Data(file).write(to: URL(fileURLWithPath: fixture.path))
        let vault = try fixture.open()
        #expect(vaultError { _ = try vault.list() } == .damaged)
        #expect(vaultError { _ = try vault.verify() } == .damaged)
        #expect(vaultError { _ = try vault.missing(in: nil) } == .damaged)
        #expect(vaultError { _ = try vault.everything() } == .damaged)
    }

    /// `coffer doctor` checks every row. One of these once ended the broker.
    @Test(arguments: [0, 1, 31, 33]) func anIndexEntryOfAnotherLength(_ count: Int) throws {
        try fixture.tamper { database in
            try database.run(
                "UPDATE posting SET term = ? WHERE term = (SELECT term FROM posting LIMIT 1)",
                [.blob([UInt8](repeating: 7, count: count))])
        }
        let vault = try fixture.open()
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    private func rows() throws -> [[UInt8]: [UInt8]] {
        var rows: [[UInt8]: [UInt8]] = [:]
        try fixture.tamper { database in
            for item in [first, second] { rows[item.id.bytes] = try record(database, item) }
        }
        return rows
    }

    @Test func swappedValues() throws {
        try fixture.tamper { database in
            let two = try value(database, second)
            try database.run(
                "UPDATE value SET sealed = ? WHERE id = ?", [.blob(two), .blob(valueKey(database, first))])
        }
        #expect(outcome() == .damaged)
    }

    /// The row of one item's fields in the place of another's.
    @Test func fieldsOfAnotherItem() throws {
        try fixture.tamper { database in
            let two = try fields(database, second)
            try database.run("UPDATE field SET content = ? WHERE item = ?", [.blob(two), .blob(first.id.bytes)])
        }
        #expect(outcome() == .damaged)
        let vault = try fixture.open()
        #expect(vaultError { try vault.set(.make("s", "first", "v")) } == .damaged)
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    /// They were the item's own, and open still. The record vouches for the present ones.
    @Test func earlierFieldsOfTheSameItem() throws {
        var (content, key, sealed): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        try fixture.tamper { database in
            content = try fields(database, first)
            key = try valueKey(database, first)
            sealed = try value(database, first)
        }
        let access = try AccessControl(isThisDeviceOnly: true, requirements: [.userPresence])
        _ = try fixture.open().set(.make("s", "first", "later", access))
        try fixture.tamper { database in
            try database.run("INSERT OR REPLACE INTO value (id, sealed) VALUES (?, ?)", [.blob(key), .blob(sealed)])
            try database.run("UPDATE field SET content = ? WHERE item = ?", [.blob(content), .blob(first.id.bytes)])
        }
        #expect(outcome() == .damaged)
        #expect(vaultError { _ = try fixture.open().verify() } == .damaged)
    }

    @Test(arguments: [
        "DELETE FROM field", "INSERT INTO field VALUES (x'00', x'00')", "INSERT INTO slot VALUES (x'00', x'00')",
    ])
    func aFieldTooFewOrTooMany(statement: String) throws {
        try fixture.tamper { try $0.once(statement) }
        if statement.hasPrefix("DELETE") { #expect(outcome() == .damaged) }
        #expect(vaultError { _ = try fixture.open().verify() } == .damaged)
    }

    /// The removal of a requirement in the field's record alone. The digests, which take no key to compute, are made to
    /// fit.
    @Test func aFieldWithAnotherAccessControl() throws {
        try fixture.tamper { database in
            let before = try ItemFields(decoding: fields(database, first))
            let field = before.fields[0][0]
            let open = FieldRecord(
                version: field.version, revision: field.revision, valueKey: field.valueKey, format: 3,
                item: field.item, access: AccessControl(.whenUnlocked, isThisDeviceOnly: true),
                valueDigest: field.valueDigest,
                commitment: field.commitment,
                slots: [
                    Slot(
                        shape: Slot.shapes(for: AccessControl(.whenUnlocked, isThisDeviceOnly: true))[0],
                        ephemeral: field.slots[0].ephemeral, points: [], salt: [], wrappedKey: field.slots[0].wrappedKey
                    )
                ])
            try plant(
                ItemFields(sealedStamps: before.sealedStamps, fields: [[open]]).encoded, of: first, in: database)
        }
        #expect(outcome() == .damaged)
    }

    /// An earlier version of the item, put back with every digest that takes no key to compute.
    @Test func anEarlierVersionPutBack() throws {
        var (record, fields, key, value): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [], [], [])
        try fixture.tamper { database in
            record = try self.record(database, first)
            fields = try self.fields(database, first)
            key = try valueKey(database, first)
            value = try self.value(database, first)
        }
        do { try fixture.open().set(.make("s", "first", "new", AccessControl(requirements: [.userPresence]))) }
        try fixture.tamper { database in
            try database.run("INSERT OR REPLACE INTO value VALUES (?, ?)", [.blob(key), .blob(value)])
            try database.run("UPDATE field SET content = ? WHERE item = ?", [.blob(fields), .blob(first.id.bytes)])
            try database.plant(record: record, of: first.id)
        }
        let vault = try fixture.open()
        #expect(vaultError { _ = try fixture.value(vault, "s", "first") } == .damaged)
        #expect(vaultError { _ = try vault.list() } == .damaged)
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    /// The point of a gated value leads nowhere. A change that removes the value must not vouch for the rest of the index.
    @Test func aPointWithoutItsIndexEntry() throws {
        let keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        do { try fixture.open().put(HistorySetting(count: 0, days: 0)) }
        try fixture.tamper { database in
            let points = try ItemFields(decoding: fields(database, first)).fields[0][0].points
            #expect(!points.isEmpty)
            for point in points {
                try database.run("DELETE FROM posting WHERE term = ?", [.blob(keys.term(point: point))])
            }
        }
        let vault = try fixture.open()
        #expect(vaultError { try vault.set(.make("s", "first", "new", first.access)) } == .damaged)
        #expect(vaultError { try vault.delete(first) } == .damaged)
        #expect(try fixture.value(vault, "s", "first") == Array("one".utf8))
    }

    /// The removal of a gated item's requirement, and of its device.
    @Test(arguments: [8 + 5, 8 + 2])
    func aChangedPolicyByte(place: Int) throws {
        try fixture.tamper { database in
            var record = try record(database, first)
            record[place] ^= 1
            try database.plant(record: record, of: first.id)
        }
        #expect(outcome() == .damaged)
        // A new value would not keep it either.
        let vault = try fixture.open()
        #expect(vaultError { _ = try vault.access(after: .make("s", "first", "v")) } == .damaged)
    }

    @Test func everyByteOfARecord() throws {
        var original: [UInt8] = []
        try fixture.tamper { original = try record($0, first) }
        for place in original.indices {
            try fixture.tamper { database in
                var record = original
                record[place] ^= 0x41
                try database.run("UPDATE item SET record = ? WHERE id = ?", [.blob(record), .blob(first.id.bytes)])
            }
            #expect(outcome() == .damaged, "byte \(place)")
        }
        try fixture.tamper { database in
            try database.run("UPDATE item SET record = ? WHERE id = ?", [.blob(original), .blob(first.id.bytes)])
        }
        #expect(outcome() == nil)
    }

    /// Item, value and index entries are gone, and the nodes recomputed. It must not look as if such an item had never
    /// existed.
    @Test func aRowTakenAway() throws {
        let keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        let name = try keys.term(service: "s", account: "first", kind: .genericPassword)
        try fixture.tamper { database in
            try database.run("DELETE FROM posting WHERE term = ?", [.blob(name)])
        }
        let vault = try fixture.open()
        #expect(vaultError { _ = try vault.find(service: "s", account: "first") } == .damaged)
        #expect(vaultError { _ = try vault.access(after: .make("s", "first", "v")) } == .damaged)
        #expect(vaultError { try vault.set(.make("s", "first", "v")) } == .damaged)
        #expect(vaultError { _ = try vault.find(service: "s", account: "absent") } == .notFound)
    }

    @Test func aRowAndItsNodesTakenAway() throws {
        let keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        let name = try keys.term(service: "s", account: "first", kind: .genericPassword)
        try fixture.tamper { database in try database.plant(posting: name, items: []) }
        let vault = try fixture.open()
        #expect(vaultError { _ = try vault.find(service: "s", account: "first") } == .damaged)
    }

    @Test func allRowsTakenAway() throws {
        try fixture.tamper { database in
            for table in ["item", "value", "posting", "node"] { try database.once("DELETE FROM \(table)") }
        }
        let vault = try fixture.open()
        #expect(vaultError { _ = try vault.find(service: "s", account: "first") } == .damaged)
        #expect(vaultError { _ = try vault.find(service: "s", account: nil) } == .damaged)
        #expect(vaultError { _ = try vault.list() } == .damaged)
        #expect(vaultError { _ = try vault.search(attributes: ["a": "b"]) } == .damaged)
    }

    /// One row fewer or more, without a change of the tree.
    @Test func listsAreComplete() throws {
        try fixture.tamper { database in
            try database.run("DELETE FROM item WHERE id = ?", [.blob(second.id.bytes)])
        }
        #expect(vaultError { _ = try fixture.open().list() } == .damaged)
        #expect(vaultError { _ = try fixture.open().list(service: "s") } == .damaged)
        #expect(vaultError { _ = try fixture.open().find(service: "s", account: "second") } == .damaged)
        #expect(vaultError { _ = try fixture.open().everything() } == .damaged)
        // It does not look as if somebody had deleted it since.
        #expect(vaultError { _ = try fixture.open().readPlan(for: second) } == .damaged)
    }

    @Test func anItemPlanted() throws {
        try fixture.tamper { database in
            try database.run(
                "INSERT INTO item (id, record) VALUES (?, ?)",
                [.blob((0..<16).map { UInt8($0) }), .blob(try record(database, first))])
        }
        #expect(vaultError { _ = try fixture.open().list() } == .damaged)
        #expect(vaultError { _ = try fixture.open().verify() } == .damaged)
    }

    @Test func aLooseValueOrNode() throws {
        try fixture.tamper { database in
            try database.once("INSERT INTO value (id, sealed) VALUES (x'00', x'00')")
        }
        #expect(vaultError { _ = try fixture.open().verify() } == .damaged)
        try fixture.tamper { database in
            try database.once("DELETE FROM value WHERE id = x'00'")
            try database.once("INSERT INTO node (level, number, content) VALUES (7, 0, x'00')")
        }
        #expect(vaultError { _ = try fixture.open().verify() } == .damaged)
    }

    /// A row of another vault of the same owner on the same machine. The attacker has its keys.
    @Test func aRowOfAnotherVault() throws {
        let other = try VaultFixture()
        let foreign = try { try other.open().set(.make("s", "first", "foreign")).item }()
        var (record, fields, key, value): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [], [], [])
        try other.tamper { database in
            record = try self.record(database, foreign)
            fields = try self.fields(database, foreign)
            key = try valueKey(database, foreign)
            value = try self.value(database, foreign)
        }
        try fixture.tamper { database in
            try database.run("INSERT INTO value VALUES (?, ?)", [.blob(key), .blob(value)])
            try database.run("UPDATE field SET content = ? WHERE item = ?", [.blob(fields), .blob(first.id.bytes)])
            try database.plant(record: record, of: first.id)
        }
        #expect(outcome() == .damaged)
    }

    /// A forged header that matches the changed tree.
    @Test func aHeaderMadeToFit() throws {
        let keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        let terms = [
            try keys.term(service: "s", account: "first", kind: .genericPassword), try keys.term(service: "s"),
        ]
        try fixture.tamper { database in
            try database.plant(posting: terms[0], items: [])
            try database.plant(posting: terms[1], items: [second.id])
            try database.run("DELETE FROM item WHERE id = ?", [.blob(first.id.bytes)])
            try database.rebuildTree { tree in try tree.set(TreeEntry.key(item: first.id), nil) }
            var header = try Header(decoding: database.bytes("SELECT content FROM header"))
            header.itemCount = 1
            header.root = try TreeNode.root.digest(database.bytes("SELECT content FROM node WHERE level = 0"))
            try database.run("UPDATE header SET content = ?", [.blob(header.encoded)])
        }
        #expect(vaultError { _ = try fixture.open().find(service: "s", account: "first") } == .damaged)
    }

    /// A forged class key, with digest and header recomputed as far as possible without keys.
    @Test func aPlantedPublicKey() throws {
        let mine = try X25519.PrivateKey.generate()
        try fixture.tamper { database in
            var keybag = try database.bytes("SELECT content FROM keybag")
            keybag.replaceSubrange(3..<35, with: mine.publicKey)
            try database.run("UPDATE keybag SET content = ?", [.blob(keybag)])
        }
        #expect(vaultError { _ = try fixture.open() } == .damaged)
    }

    /// The same, by an attacker who also has the integrity key. The MAC of the class key is a check of its own.
    @Test func aPlantedPublicKeyUnderAGoodHeader() throws {
        let mine = try X25519.PrivateKey.generate()
        let keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        try fixture.tamper { database in
            var keybag = try database.bytes("SELECT content FROM keybag")
            keybag.replaceSubrange(3..<35, with: mine.publicKey)
            try database.run("UPDATE keybag SET content = ?", [.blob(keybag)])
            var header = try Header(decoding: database.bytes("SELECT content FROM header"))
            header.keybagDigest = try SHA256.digest(keybag)
            let mac = try HMACSHA256.code(for: Header.macMessage(header.encoded), key: keys.integrity)
            try database.run("UPDATE header SET content = ?, mac = ?", [.blob(header.encoded), .blob(mac)])
        }
        #expect(vaultError { _ = try fixture.open() } == .damaged)
    }

    @Test(arguments: [
        "CREATE TRIGGER t AFTER INSERT ON item BEGIN DELETE FROM value; END", "CREATE VIEW v AS SELECT * FROM item",
        "CREATE INDEX i ON item (record)", "CREATE TABLE more (x)", "DROP TABLE posting",
        "ALTER TABLE header ADD COLUMN more BLOB",
    ])
    func anotherSchema(statement: String) throws {
        try fixture.tamper { try $0.once(statement) }
        #expect(outcome() == .damaged)
    }

    @Test(arguments: [
        "DELETE FROM header", "DELETE FROM keybag", "DELETE FROM object WHERE role = 16", "DELETE FROM object",
        "UPDATE header SET mac = 7", "UPDATE header SET content = 'text'", "UPDATE header SET content = x''",
        "UPDATE item SET record = 1.5", "UPDATE item SET record = x''", "UPDATE posting SET items = 'x'",
        "UPDATE posting SET items = x''",
        "UPDATE node SET content = 0", "UPDATE node SET content = x''", "UPDATE value SET sealed = 1",
        "UPDATE keybag SET content = x''",
        "UPDATE object SET public = x'' WHERE role = 1", "UPDATE object SET private = x'' WHERE role = 1",
        "UPDATE object SET private = x'00' WHERE role = 3", "UPDATE object SET role = 99 WHERE role = 16",
        "INSERT INTO object (role, public, private) VALUES (18, x'', x'')",
    ])
    func rowsOfOtherKinds(statement: String) throws {
        try fixture.tamper { try $0.once(statement) }
        #expect(outcome() == .damaged)
    }

    @Test func anotherOwnersFile() throws {
        let other = try VaultFixture(owner: .user(1001), in: fixture.folder)
        do { try other.open().set(.make("s", "first", "foreign")) }
        try FileManager.default.removeItem(atPath: fixture.path)
        try FileManager.default.copyItem(atPath: other.path, toPath: fixture.path)
        #expect(outcome() == .damaged)
    }

    @Test func anotherSealer() throws {
        let record = RegistryRecord(
            vault: fixture.record.vault, owner: fixture.record.owner, ownerName: "tester",
            created: fixture.record.created,
            sealer: .tpm, authenticatorKey: fixture.record.authenticatorKey,
            storageKey: StorageKeyPin(handle: 0x8100_0001, name: [], context: []), objects: fixture.record.objects)
        #expect(
            vaultError { _ = try OpenVault(directory: fixture.folder.path, record: record, sealer: fixture.sealer) }
                == .damaged)
    }

    @Test func aNewerFormat() throws {
        let keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        var header: [UInt8] = []
        try fixture.tamper { database in
            header = try database.bytes("SELECT content FROM header")
            header[9] = UInt8(Header.newestFormat) + 1
            try database.run("UPDATE header SET content = ?", [.blob(header)])
        }
        // A changed byte is damage. Only a valid header of another format is a newer one.
        #expect(outcome() == .damaged)
        try fixture.tamper { database in
            let mac = try HMACSHA256.code(for: Header.macMessage(header), key: keys.integrity)
            try database.run("UPDATE header SET mac = ?", [.blob(mac)])
        }
        #expect(outcome() == .newerFormat)
        // Its other tables are not this Coffer's.
        try fixture.tamper { database in
            try database.run("CREATE TABLE circle (id BLOB PRIMARY KEY, content BLOB NOT NULL)")
            try database.run("CREATE INDEX later ON circle (content)")
            try database.run("DROP TABLE slot")
        }
        #expect(outcome() == .newerFormat)
        // Nothing acts in Coffer's name, and what is read of a newer file is as it always was.
        let path = URL(fileURLWithPath: fixture.path)
        let newer = try Data(contentsOf: path)
        for edit in [
            "CREATE TRIGGER t AFTER INSERT ON circle BEGIN DELETE FROM item; END", "CREATE VIEW v AS SELECT 1",
            "CREATE INDEX i ON header (mac)", "DROP TABLE transition", "ALTER TABLE object ADD COLUMN more",
        ] {
            try newer.write(to: path)
            try fixture.tamper { try $0.run(edit) }
            #expect(outcome() == .damaged, "\(edit)")
        }
    }

    /// Attacker 5: tables of no format under a header of this one.
    @Test(arguments: ["CREATE TABLE circle (id BLOB)", "DROP TABLE slot", "CREATE INDEX i ON item (record)"])
    func tablesOfNoFormat(edit: String) throws {
        try fixture.tamper { try $0.run(edit) }
        #expect(outcome() == .damaged)
    }

    @Test func anEarlierStateWhileOpen() throws {
        let vault = try fixture.open()
        let before = try vault.database.read { (rows) throws(VaultError) in try rows.header() }
        try vault.set(.make("s", "third", "three"))
        try vault.database.write { (rows) throws(VaultError) in try rows.put(header: before.content, mac: before.mac) }
        // This is known from the header that the vault itself wrote last.
        #expect(try vault.count == 3)
        #expect(vaultError { _ = try vault.find(service: "s", account: "first") } == .damaged)
        #expect(vaultError { try vault.set(.make("s", "a", "v")) } == .damaged)
    }

    /// The complete check looks at the keys, too, also of a vault that is open (attacker 5).
    @Test(arguments: ["keybag", "object", "transition"]) func otherKeysWhileOpen(table: String) throws {
        let vault = try fixture.open()
        _ = try vault.verify()
        try vault.database.write { (rows) throws(VaultError) in
            switch table {
            case "keybag":
                var keybag = try rows.keybag()
                keybag[keybag.count - 1] ^= 1
                try rows.replace(keybag: keybag)
            case "object":
                guard let object = try rows.objects()[.presence] else { throw .notFound }
                try rows.replace(
                    SealedObject(role: object.role, public: object.public, private: object.private + [0]))
            default: try rows.put(transition: [1])
            }
        }
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    @Test func links() throws {
        let elsewhere = fixture.folder.path + "/elsewhere"
        try FileManager.default.moveItem(atPath: fixture.path, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: fixture.path, withDestinationPath: elsewhere)
        #expect(outcome() == .damaged)
    }

    @Test(arguments: ["", "SQLite format 3\0", "no database at all, but long enough to look like something"])
    func noDatabase(content: String) throws {
        try Data(content.utf8).write(to: URL(fileURLWithPath: fixture.path))
        #expect(outcome() == .damaged)
    }

    /// Half of the last page can be gone without being on the way to the first item. Then the item is read as it was, and a
    /// complete check says that the file is damaged.
    @Test func cutOff() throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        for length in stride(from: 0, to: whole.count, by: 2048) {
            try whole.prefix(length).write(to: URL(fileURLWithPath: fixture.path))
            let code = outcome()
            #expect(code == .damaged || code == nil && length > whole.count - 4096, "\(length) bytes")
            #expect(vaultError { _ = try fixture.open().verify() } == .damaged, "\(length) bytes, all")
        }
    }
}
