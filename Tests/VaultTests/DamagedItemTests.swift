import Authorization
import Cryptography
import Foundation
import Item
import SQLite
import TestSupport
import Testing

@testable import Vault

/// One item's value, fields or former values are damaged, and nothing else.
struct DamagedItemTests {
    private let fixture: VaultFixture

    init() throws {
        fixture = try VaultFixture()
        let vault = try fixture.open()
        try vault.set(.make("s", "a", "one"))
        try vault.set(.make("s", "b", "two"))
        try vault.close()
    }

    /// The item that an error names.
    private func damaged(_ body: () throws -> Void) -> String? {
        do { try body() } catch let error as VaultError {
            #expect(error.code == .damaged, "\(error)")
            return error.damagedItem.map { "\($0.service)/\($0.account)" }
        } catch { Issue.record("\(error)") }
        return nil
    }

    private func tamperValue(
        of account: String, _ statement: String = "UPDATE value SET sealed = x'00' WHERE id = ?"
    ) throws {
        let vault = try fixture.open()
        let item = try vault.find(service: "s", account: account)
        let key = try vault.read { (snapshot) throws(VaultError) in
            try snapshot.value(of: snapshot.present(item, now: 0)).field.valueKey
        }
        try vault.close()
        try fixture.tamper { database in try database.run(statement, [.blob(key)]) }
    }

    @Test(arguments: [
        "UPDATE value SET sealed = x'00' WHERE id = ?", "UPDATE value SET sealed = 'text' WHERE id = ?",
        "DELETE FROM value WHERE id = ?",
    ])
    func aDamagedValueNamesItsItemAndKeepsNothingElseFromBeingUsed(statement: String) throws {
        try tamperValue(of: "a", statement)
        let vault = try fixture.open()
        #expect(damaged { _ = try fixture.value(vault, "s", "a") } == "s/a")
        #expect(damaged { _ = try vault.verify() } == "s/a")
        #expect(try fixture.value(vault, "s", "b") == Array("two".utf8))
        #expect(try vault.list().count == 2)
    }

    @Test func anotherValueTakesItsPlaceAndLeavesNoFormerOne() throws {
        try tamperValue(of: "a")
        let vault = try fixture.open()
        try vault.set(.make("s", "a", "three"))
        #expect(try fixture.value(vault, "s", "a") == Array("three".utf8))
        #expect(try vault.history(service: "s", account: "a").versions.isEmpty)
        _ = try vault.verify()
        // One that is whole becomes a former one as ever.
        try vault.set(.make("s", "a", "four"))
        #expect(try vault.history(service: "s", account: "a").versions.count == 1)
        _ = try vault.verify()
    }

    @Test func itCanBeDeleted() throws {
        try tamperValue(of: "a")
        let vault = try fixture.open()
        try vault.delete(service: "s", account: "a")
        _ = try vault.verify()
        #expect(try vault.list().map(\.metadata.account) == ["b"])
    }

    @Test func damagedFieldsAndFormerValuesNameTheirItem() throws {
        do {
            let vault = try fixture.open()
            try vault.set(.make("s", "a", "three"))
            try vault.close()
        }
        var fields: [UInt8] = []
        let id = try fixture.open().find(service: "s", account: "a").id
        try fixture.tamper { database in
            fields = try database.bytes("SELECT content FROM field WHERE item = ?", [.blob(id.bytes)])
            try database.run("UPDATE field SET content = x'00' WHERE item = ?", [.blob(id.bytes)])
        }
        do {
            let vault = try fixture.open()
            #expect(damaged { _ = try fixture.value(vault, "s", "a") } == "s/a")
            #expect(damaged { _ = try vault.verify() } == "s/a")
            #expect(try fixture.value(vault, "s", "b") == Array("two".utf8))
            try vault.close()
        }
        try fixture.tamper { database in
            try database.run("UPDATE field SET content = ? WHERE item = ?", [.blob(fields), .blob(id.bytes)])
            try database.run("UPDATE former SET records = x'00' WHERE item = ?", [.blob(id.bytes)])
        }
        let vault = try fixture.open()
        #expect(damaged { _ = try vault.history(service: "s", account: "a") } == "s/a")
        #expect(try fixture.value(vault, "s", "a") == Array("three".utf8))
    }

    /// Spoils a row of `s/a`: that of its value, or another one.
    private func spoil(_ statement: String) throws {
        guard !statement.contains("value") else { return try tamperValue(of: "a", statement) }
        let vault = try fixture.open()
        let id = try vault.find(service: "s", account: "a").id
        try vault.close()
        try fixture.tamper { database in try database.run(statement, [.blob(id.bytes)]) }
    }

    /// Attacker 5: damage of one item must not hide what a backup is needed for.
    @Test(
        arguments: [
            "UPDATE value SET sealed = x'00' WHERE id = ?", "UPDATE field SET content = x'00' WHERE item = ?",
            "DELETE FROM field WHERE item = ?", "UPDATE former SET records = x'00' WHERE item = ?",
            "UPDATE former SET records = 'text' WHERE item = ?",
        ],
        [
            "DELETE FROM former", "DELETE FROM posting",
            "INSERT INTO node (level, number, content) VALUES (200, 7, x'00')",
        ])
    func damageOfOneItemHidesNoOtherDamage(ofItem: String, ofAll: String) throws {
        do {
            let vault = try fixture.open()
            for account in ["a", "b"] { try vault.set(.make("s", account, "new")) }
            try vault.close()
        }
        try spoil(ofItem)
        do {
            let vault = try fixture.open()
            #expect(damaged { _ = try vault.verify() } == "s/a")
            try vault.close()
        }
        try fixture.tamper { try $0.once(ofAll) }
        #expect(damaged { _ = try fixture.open().verify() } == nil)
        #expect(vaultError { _ = try fixture.open().verify() } == .damaged)
    }

    /// The index has entries for what its row names, and nobody can read that.
    @Test func damagedFieldsOfAGuardedItemNameIt() throws {
        let vault = try fixture.open()
        let guarded = try AccessControl(requirements: [.userPresence])
        let id = try vault.set(.make("s", "guarded", "one", guarded)).item.id
        try vault.close()
        try fixture.tamper { database in
            try database.run("UPDATE field SET content = x'00' WHERE item = ?", [.blob(id.bytes)])
        }
        let again = try fixture.open()
        #expect(damaged { _ = try again.verify() } == "s/guarded")
    }

    @Test func aDamagedRowOfFormerValuesKeepsNoOtherFromGoing() throws {
        do {
            let vault = try fixture.open()
            for account in ["a", "b"] { try vault.set(.make("s", account, "new")) }
            try vault.close()
        }
        try spoil("UPDATE former SET records = x'00' WHERE item = ?")
        let vault = try fixture.open()
        // Their time has passed, and each change looks for such values.
        fixture.advance(milliseconds: 32 * Self.day)
        try vault.set(.make("s", "c", "five"))
        let former = try vault.read { (snapshot) throws(VaultError) in try snapshot.allFormer() }
        #expect(former.items.isEmpty && former.damaged.count == 1)
        try vault.set(.make("s", "c", "six"))
        #expect(try vault.history(service: "s", account: "c").versions.count == 1)
        try vault.put(HistorySetting(count: 0, days: 30))
        #expect(try vault.history(service: "s", account: "c").versions.isEmpty)
        #expect(damaged { try vault.set(.make("s", "a", "seven")) } == "s/a")
        #expect(damaged { _ = try vault.verify() } == "s/a")
        #expect(try fixture.value(vault, "s", "a") == Array("new".utf8))
    }

    /// Puts `s/a` and then `s/b` into the bin, and damages the first.
    private func damageInBin() throws {
        let vault = try fixture.open()
        let id = try vault.find(service: "s", account: "a").id
        for account in ["a", "b"] {
            try vault.putAside(service: "s", account: account)
            fixture.advance(milliseconds: 1)
        }
        try vault.close()
        try fixture.tamper { database in
            try database.run("UPDATE field SET content = x'00' WHERE item = ?", [.blob(id.bytes)])
        }
    }

    @Test func aDamagedItemOfTheBinKeepsNoOtherThere() throws {
        try damageInBin()
        let vault = try fixture.open()
        fixture.advance(milliseconds: 32 * Self.day)
        #expect(try vault.sweepBin(limit: 9).map(\.metadata.account) == ["b"])
        // It is due as before, and the file is not written for it again.
        let revision = vault.lastHeader.revision
        #expect(try vault.sweepBin(limit: 9).isEmpty)
        #expect(vault.lastHeader.revision == revision)
        try vault.put(HistorySetting.standard, BinSetting(days: 0))
        #expect(damaged { _ = try vault.verify() } == "s/a")
    }

    @Test func aDamagedItemOfTheBinKeepsNothingFromBeingStored() throws {
        try damageInBin()
        fixture.room.withLock { $0 = Room(items: 4) }
        let vault = try fixture.open()
        for account in ["c", "d", "e"] { try vault.set(.make("s", account, "new")) }
        #expect(try vault.list().map(\.metadata.account) == ["c", "d", "e"])
        #expect(try vault.deletedItems().map(\.metadata.account) == ["a"])
    }

    @Test func aDamagedItemThatHasExpiredKeepsNoOtherHere() throws {
        let vault = try fixture.open()
        let expiry = fixture.clock.withLock { $0 } + 1_000
        for (account, expires) in [("x", expiry), ("y", expiry + 1)] {
            var draft = try ItemDraft.make("s", account, "one")
            draft.expires = expires
            try vault.set(draft)
        }
        let id = try vault.find(service: "s", account: "x").id
        try vault.close()
        try fixture.tamper { database in
            try database.run("UPDATE field SET content = x'00' WHERE item = ?", [.blob(id.bytes)])
        }
        let again = try fixture.open()
        fixture.advance(milliseconds: 2_000)
        #expect(try again.sweep(expiredBy: expiry + 1, limit: 1).map(\.metadata.account) == ["y"])
        #expect(try again.sweep(expiredBy: expiry + 1, limit: 9).isEmpty)
    }

    /// The settings of an application have room together, so each that is set looks at all of them.
    @Test func aDamagedSettingKeepsNoOtherFromBeingSet() throws {
        func setting(_ account: String) throws -> ItemDraft {
            ItemDraft(
                service: "app", account: account, kind: .setting, value: try secret("one"),
                access: PartialAccess())
        }
        let vault = try fixture.open()
        let id = try vault.set(setting("a")).item.id
        try vault.close()
        try fixture.tamper { database in
            try database.run("UPDATE field SET content = x'00' WHERE item = ?", [.blob(id.bytes)])
        }
        let again = try fixture.open()
        try again.set(setting("b"))
        #expect(try again.list(kind: .setting).count == 2)
    }

    private static let day: UInt64 = 86_400_000

    /// Attackers 5 and 8: what may concern more than one item is never taken for one item's fault.
    @Test(arguments: [
        "UPDATE posting SET items = x''", "UPDATE node SET content = x''", "UPDATE item SET record = x''",
        "DELETE FROM item", "UPDATE header SET mac = x'00'", "UPDATE keybag SET content = x''",
    ])
    func damageOfTheTreeNamesNoItem(statement: String) throws {
        try fixture.tamper { try $0.once(statement) }
        #expect(damaged { _ = try fixture.value(fixture.open(), "s", "a") } == nil)
        #expect(vaultError { _ = try fixture.value(fixture.open(), "s", "a") } == .damaged)
    }

    /// The item is in memory, so its value is the first that is read of the file. Only then is it known that it went
    /// back.
    @Test func aFileThatWentBackIsNoFaultOfTheItemThatIsRead() throws {
        let vault = try fixture.open()
        let keys = try fixture.unlock(vault)
        let item = try vault.find(service: "s", account: "a")
        _ = try vault.readPlan(for: item)
        let before = try vault.database.read { (rows) throws(VaultError) in try rows.header() }
        try vault.set(.make("s", "c", "three"))
        _ = try vault.readPlan(for: item)
        try vault.database.write { (rows) throws(VaultError) in try rows.put(header: before.content, mac: before.mac) }
        #expect(damaged { _ = try vault.value(of: item, classKeys: keys) } == nil)
        #expect(vaultError { _ = try vault.value(of: item, classKeys: keys) } == .damaged)
    }
}
