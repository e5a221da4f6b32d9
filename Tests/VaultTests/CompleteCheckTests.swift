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

    /// SQLite finds a value by its index, and does not look whether the row has the same key.
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
}
