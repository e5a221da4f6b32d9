import Authorization
import Cryptography
import Foundation
import Item
import SQLite
import TestSupport
import Testing

@testable import Vault

/// What only a complete check finds, because no item is read through it.
struct CompleteCheckTests {
    private let fixture: VaultFixture
    private let keys: VaultKeys

    init() throws {
        fixture = try VaultFixture()
        keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        let vault = try fixture.open()
        try vault.set(.make("s", "a", "v"))
        try vault.close()
    }

    @Test func anItemThatItsServiceDoesNotLeadTo() throws {
        let service = try keys.term(service: "s")
        try fixture.tamper { database in
            try database.plant(posting: service, items: [])
            try database.vouch(keys)
        }
        let vault = try fixture.open()
        #expect(try fixture.value(vault, "s", "a") == Array("v".utf8))
        #expect(vaultError { _ = try vault.verify() } == .damaged)
        // The index takes long, so the time is looked at before it, after the tree's and the item's turn.
        var left = 2
        let code = vaultError {
            _ = try vault.verify {
                left -= 1
                return left < 0
            }
        }
        #expect(code == .limitExceeded)
    }

    @Test func anEntryOfTheTreeWithoutARow() throws {
        let key = [UInt8](repeating: 7, count: TreeNode.digestCount)
        try fixture.tamper { database in
            try database.rebuildTree { tree in try tree.set(key, key) }
            try database.vouch(keys)
        }
        let vault = try fixture.open()
        #expect(try fixture.value(vault, "s", "a") == Array("v".utf8))
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    /// SQLite finds a value by its index. It does not compare the key in the row.
    @Test func aValueUnderAnotherKeyThanInItsIndex() throws {
        var (key, sealed): ([UInt8], [UInt8]) = ([], [])
        try fixture.tamper { database in
            key = try database.bytes("SELECT id FROM value")
            sealed = try database.bytes("SELECT sealed FROM value")
        }
        let row = key + sealed
        var file = Array(try Data(contentsOf: URL(fileURLWithPath: fixture.path)))
        let found = file.indices.first { file[$0...].starts(with: row) }
        let place = try #require(found)
        file[place] ^= 1
        try Data(file).write(to: URL(fileURLWithPath: fixture.path))
        let vault = try fixture.open()
        #expect(try fixture.value(vault, "s", "a") == Array("v".utf8))
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    /// A view that came while the vault was open. Opening looked at the tables before.
    @Test func anotherSchemaWhileOpen() throws {
        let vault = try fixture.open()
        _ = try vault.verify()
        try vault.database.write { (rows) throws(VaultError) in
            try StorageGate.run { () throws(SQLiteError) in try rows.database.run("CREATE VIEW v AS SELECT 1") }
        }
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    /// The keys are checked before the time is looked at, because that is quick.
    @Test func otherKeysAreFoundEvenIfThereIsNoTime() throws {
        let vault = try fixture.open()
        #expect(vaultError { _ = try vault.verify(unless: { true }) } == .limitExceeded)
        try vault.database.write { (rows) throws(VaultError) in try rows.put(transition: [1]) }
        #expect(vaultError { _ = try vault.verify(unless: { true }) } == .damaged)
    }

    /// Attacker 5 changes what is sealed in a value, and nothing that leads to it.
    @Test func aChangedValue() throws {
        try fixture.tamper { try $0.once("UPDATE value SET sealed = x'00'") }
        let vault = try fixture.open()
        #expect(try vault.list().count == 1)
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    /// Coffer's own mistake: stamps that do not open, in a row that the item's record names.
    @Test func stampsThatDoNotOpen() throws {
        let vault = try fixture.open()
        try vault.write { (change) throws(VaultError) in
            let old = try change.items(service: "s")[0]
            let fields = ItemFields(
                sealedStamps: [UInt8](repeating: 1, count: 64 + AESGCM.overhead),
                fields: try change.fields(of: old).fields)
            _ = try change.put(
                fields, old.summary.metadata, old.record.access, version: old.record.version, of: old.summary.id,
                replacing: old)
        }
        #expect(try fixture.value(vault, "s", "a") == Array("v".utf8))
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    /// Coffer's own mistake: the next roots have class keys that are unreadable. The vault would not open with them.
    @Test func nextRootsWithoutClassKeys() throws {
        let vault = try fixture.open()
        let root = SealedObject(role: .unlockRoot, public: [1], private: [2])
        let transition = Transition(objects: [root], keybag: [3], index: nil, formerIndex: nil)
        let digest = try Header.digest(of: vault.objects, transition: transition.encoded)
        _ = try vault.verify()
        try vault.write { (change) throws(VaultError) in try change.put(transition, objectsDigest: digest) }
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    /// Coffer's own mistake: two values with one point, of two items or of one. One signature would open both. The
    /// index leads to one of them, and nothing else is wrong.
    @Test(arguments: [false, true]) func twoValuesWithOnePoint(isFormer: Bool) throws {
        let gated = try AccessControl(requirements: [.userPresence])
        let vault = try fixture.open()
        try vault.delete(service: "s", account: "a")
        for account in isFormer ? ["c", "c"] : ["c", "d"] { try vault.set(.make("s", account, "v", gated)) }
        // In the order in which they are checked: by their ids, and former values last.
        let present = try vault.read { (snapshot) throws(VaultError) in
            try snapshot.allItems().map { (item) throws(VaultError) in try snapshot.value(of: item) }
        }
        let former = try vault.read { (snapshot) throws(VaultError) in try snapshot.former(of: present[0].item.id) }
        let first = present[0].field
        let last = try #require(isFormer ? former.first?.value.field : present[1].field)
        let changed = FieldRecord(
            version: last.version, revision: last.revision, valueKey: last.valueKey, format: last.format,
            item: last.item, access: last.access, valueDigest: last.valueDigest, commitment: last.commitment,
            slots: first.slots)
        let owner = isFormer ? present[0].item.id : present[1].item.id
        try vault.close()
        try fixture.tamper { database in
            if isFormer {
                let value = try FormerValue.decode(database.bytes("SELECT records FROM former"))[0]
                let bytes = FormerValue.encode([
                    FormerValue(replaced: value.replaced, sealedHeading: value.sealedHeading, field: changed)
                ])
                try database.run("UPDATE former SET records = ?", [.blob(bytes)])
                try database.rebuildTree { tree in
                    try tree.set(TreeEntry.key(former: owner), TreeEntry.digest(former: owner, records: bytes))
                }
            } else {
                try plant(changed, of: owner, in: database)
            }
            for point in last.points { try database.plant(posting: keys.term(point: point), items: []) }
            for point in first.points { try database.plant(posting: keys.term(point: point), items: [owner]) }
            try database.vouch(keys)
        }
        let error = #expect(throws: VaultError.self) { try fixture.open().verify() }
        #expect(error?.code == .damaged && error?.reason.contains("the same point") == true)
    }

    /// Puts a field in the place of an item's only one.
    private func plant(_ field: FieldRecord, of item: ItemID, in database: Connection) throws {
        let id: [Value] = [.blob(item.bytes)]
        let before = try ItemFields(decoding: database.bytes("SELECT content FROM field WHERE item = ?", id))
        let fields = ItemFields(sealedStamps: before.sealedStamps, fields: [[field]]).encoded
        try database.run("UPDATE field SET content = ? WHERE item = ?", [.blob(fields)] + id)
        let old = try ItemRecord(decoding: database.bytes("SELECT record FROM item WHERE id = ?", id))
        let record = ItemRecord(
            version: old.version, access: old.access, sealedMetadata: old.sealedMetadata,
            fieldsDigest: try SHA256.digest(fields))
        try database.plant(record: record.encoded, of: item)
    }
}
