import Authorization
import Cryptography
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Vault

/// Attacker 5 writes the vault's file while the broker has it open. SQLite's lock only stops who asks for it. The broker
/// answers from what it verified before, or refuses. It never answers from the changed bytes, and never vouches for them.
struct ChangedFileTests {
    enum Edit: CaseIterable {
        /// Nothing in the file is left but its first page.
        case garbage
        /// The whole file as it was before the last change.
        case older
        /// The second item's row in the first one's place, with the tree's nodes recomputed up to the root.
        case planted
    }

    let fixture: VaultFixture
    let vault: OpenVault
    private let older: Data

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
        try vault.set(.make("one", "first", "an earlier value"))
        try vault.set(.make("two", "second", "two"))
        older = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        try vault.set(.make("one", "first", "one"))
        try vault.set(.make("s", "third", "three"))
        try vault.set(.make("s", "fourth", "four"))
    }

    /// Writes into the file in place, as it is open, and has SQLite read it again.
    private func overwrite(_ bytes: Data) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.path))
        try file.write(contentsOf: bytes)
        try file.close()
        try vault.database.read { (rows) throws(VaultError) in
            _ = try StorageGate.run { () throws(SQLiteError) in try rows.database.once("PRAGMA shrink_memory") }
        }
    }

    /// The file with a change that takes no key.
    private func changed(_ body: (Connection) throws -> Void) throws -> Data {
        let copy = fixture.folder.path + "/changed"
        try Data(contentsOf: URL(fileURLWithPath: fixture.path)).write(to: URL(fileURLWithPath: copy))
        try fixture.change(copy, body)
        return try Data(contentsOf: URL(fileURLWithPath: copy))
    }

    private func bytes(of edit: Edit) throws -> Data {
        switch edit {
        case .garbage:
            let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
            return whole.prefix(4096) + Data(repeating: 0x5A, count: whole.count - 4096)
        case .older: return older
        case .planted:
            let first = try vault.find(service: "one", account: "first")
            let second = try vault.find(service: "two", account: "second")
            return try changed { database in
                let record = try database.bytes("SELECT record FROM item WHERE id = ?", [.blob(second.id.bytes)])
                try database.plant(record: record, of: first.id)
            }
        }
    }

    private func value(_ service: String, _ account: String) throws -> String {
        String(decoding: try fixture.value(vault, service, account), as: UTF8.self)
    }

    @Test(arguments: Edit.allCases) func readsAnswerFromWhatWasVerifiedOrRefuse(edit: Edit) throws {
        let bytes = try bytes(of: edit)
        let first = try vault.find(service: "one", account: "first")
        #expect(try value("one", "first") == "one")
        try overwrite(bytes)
        #expect(try vault.find(service: "one", account: "first") == first)
        #expect(try value("one", "first") == "one")
        // These were not all looked at before.
        #expect(vaultError { _ = try vault.find(service: "s", account: "third") } == .damaged)
        #expect(vaultError { _ = try vault.list() } == .damaged)
        #expect(vaultError { _ = try vault.find(service: "absent", account: "absent") } == .damaged)
        // After damage, the broker drops all that it verified before.
        #expect(vaultError { _ = try vault.find(service: "one", account: "first") } == .damaged)
    }

    @Test(arguments: Edit.allCases) func aListAnswersFromWhatWasVerified(edit: Edit) throws {
        let bytes = try bytes(of: edit)
        let list = try vault.list()
        #expect(list.count == 4)
        try overwrite(bytes)
        #expect(try vault.list() == list)
        #expect(try vault.search(text: "first").count == 1)
        // A check of the file is not content with memory.
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    /// A write begins with the file alone. Otherwise its header would vouch for rows that nobody has verified.
    @Test(arguments: Edit.allCases) func aWriteVouchesForNothing(edit: Edit) throws {
        let bytes = try bytes(of: edit)
        let first = try vault.find(service: "one", account: "first")
        _ = try value("one", "first")
        _ = try vault.list()
        try overwrite(bytes)
        #expect(vaultError { try vault.edit(first, changes: MetadataChanges(label: "l")) } == .damaged)
        #expect(vaultError { try vault.set(.make("s", "third", "new")) } == .damaged)
        try vault.close()
        guard edit != .older else { return }  // Software counts no steps, so an older file opens.
        #expect(vaultError { _ = try fixture.value(fixture.open(), "one", "first") } == .damaged)
    }

    /// A row that a write needs, although the same row was verified before it was changed.
    @Test func aWriteReadsTheRowsThatItNeeds() throws {
        let third = try vault.find(service: "s", account: "third")
        let term = try vault.keys.term(service: "s")
        _ = try vault.list(service: "s")
        try overwrite(
            changed { database in
                try database.run(
                    "UPDATE posting SET items = ? WHERE term = ?", [.blob(third.id.bytes), .blob(term)])
            })
        #expect(try vault.list(service: "s").count == 2)
        #expect(vaultError { try vault.set(.make("s", "fifth", "five")) } == .damaged)
        #expect(vaultError { _ = try vault.list(service: "s") } == .damaged)
    }

    /// The row by which a write finds the item that it replaces, although reads still answer by what was verified.
    @Test func aWriteFindsWhatItReplacesByTheFile() throws {
        let (third, fourth) = try (
            vault.find(service: "s", account: "third"), vault.find(service: "s", account: "fourth")
        )
        let term = try vault.keys.term(service: "s", account: "third", kind: .genericPassword)
        try overwrite(
            changed { database in
                try database.run(
                    "UPDATE posting SET items = ? WHERE term = ?", [.blob(fourth.id.bytes), .blob(term)])
            })
        #expect(try vault.find(service: "s", account: "third") == third)
        #expect(vaultError { try vault.set(.make("s", "third", "new")) } == .damaged)
    }

    /// A write elsewhere leaves the changed row outside of what its header vouches for.
    @Test func aChangedRowStaysOutsideAfterAWriteElsewhere() throws {
        let third = try vault.find(service: "s", account: "third")
        #expect(try value("s", "third") == "three")
        try overwrite(
            changed { database in
                var record = try database.bytes("SELECT record FROM item WHERE id = ?", [.blob(third.id.bytes)])
                record[record.count / 2] ^= 1
                try database.run("UPDATE item SET record = ? WHERE id = ?", [.blob(record), .blob(third.id.bytes)])
            })
        try vault.set(.make("two", "second", "new"))
        #expect(try value("s", "third") == "three")
        #expect(try value("two", "second") == "new")
        try vault.close()
        let vault = try fixture.open()
        #expect(vaultError { _ = try fixture.value(vault, "s", "third") } == .damaged)
    }

    /// Damage in a value ends trust, too.
    @Test func damageInAValue() throws {
        let third = try vault.find(service: "s", account: "third")
        _ = try vault.list()
        let keys = try fixture.unlock(vault)
        try overwrite(
            changed { database in
                let fields = try database.bytes("SELECT content FROM field WHERE item = ?", [.blob(third.id.bytes)])
                let key = try ItemFields(decoding: fields).fields[0][0].valueKey
                try database.run("UPDATE value SET sealed = x'00' WHERE id = ?", [.blob(key)])
            })
        #expect(
            vaultError {
                try vault.look(service: "s", account: "third") { view in _ = try view.value(classKeys: keys) }
            } == .damaged)
        #expect(try nodesRead { _ = try vault.list() } > 0)
    }

    private func nodesRead(_ body: () throws -> Void) throws -> Int {
        let before = vault.treeReadCount
        try body()
        return vault.treeReadCount - before
    }

    /// Who changes the file of a vault that is listed often is noticed by who looks at the file.
    @Test func aCheckReadsTheFile() throws {
        let third = try vault.find(service: "s", account: "third")
        _ = try vault.list()
        try overwrite(
            changed { database in
                try database.run("DELETE FROM item WHERE id = ?", [.blob(third.id.bytes)])
            })
        #expect(try vault.list().count == 4)
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }
}
