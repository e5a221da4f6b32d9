import Authorization
import Cryptography
import Foundation
import Item
import SQLite
import TestSupport
import Testing

@testable import Vault

/// What was verified is kept in memory, and stays what the file has.
struct KeptRowsTests {
    let fixture: VaultFixture
    let memory = KeptMemory()
    let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open(memory: memory)
    }

    private func set(_ account: String, _ value: String = "v", service: String = "s") throws {
        try vault.set(.make(service, account, value))
    }

    /// How many nodes of the file a look-up has read.
    private func reads(_ body: () throws -> Void) throws -> Int {
        let before = vault.treeReadCount
        try body()
        return vault.treeReadCount - before
    }

    private func value(_ account: String, service: String = "s") throws -> [UInt8] {
        try fixture.value(vault, service, account)
    }

    @Test func aSecondLookReadsNothing() throws {
        for number in 0..<20 { try set("\(number)") }
        #expect(try reads { _ = try vault.find(service: "s", account: "7") } > 0)
        #expect(try reads { _ = try value("7") } == 0)
        #expect(try reads { _ = try vault.list() } > 0)
        #expect(try reads { _ = try vault.list() } == 0)
        #expect(try reads { _ = try vault.search(text: "7") } == 0)
        #expect(memory.taken > 0)
        // That there is no such item is known from then on, too.
        #expect(vaultError { _ = try vault.find(service: "s", account: "absent") } == .notFound)
        #expect(try reads { _ = vaultError { _ = try vault.find(service: "s", account: "absent") } } == 0)
    }

    /// Another item's row stays known. The row that was written is read again.
    @Test func aChangeLeavesWhatItHasNotWritten() throws {
        for account in ["a", "b"] {
            try set(account, service: "service of \(account)")
            _ = try value(account, service: "service of \(account)")
        }
        try set("a", "new", service: "service of a")
        #expect(try reads { _ = try value("b", service: "service of b") } == 0)
        #expect(try reads { _ = try value("a", service: "service of a") } > 0)
        #expect(try value("a", service: "service of a") == Array("new".utf8))
    }

    /// What the file itself says.
    private func inTheFile() throws -> Set<ItemSummary> {
        Set(try vault.readFile { (snapshot) throws(VaultError) in try snapshot.allItems() }.map(\.summary))
    }

    /// Changes of every kind in any order, on items that were all read before.
    @Test func everyKindOfChange() throws {
        let accounts = (0..<6).map { "account \($0)" }
        var values: [String: String] = [:]
        for step in 0..<150 {
            let account = accounts[step * 7 % 6]
            // `try?`: nil for an item that is not there.
            let found = try? vault.find(service: "s", account: account)
            switch (Int.random(in: 0..<9), found) {
            case (0, let item?):
                try vault.delete(item)
                values[account] = nil
            case (1, let item?): try vault.edit(item, changes: MetadataChanges(label: "\(step)"))
            case (2, let item?): try vault.edit(item, changes: MetadataChanges(attributes: ["a": "\(step % 3)"]))
            case (3, let item?):
                try vault.rotate(item, value: secret(values[account] ?? ""))
            case (4, let item?):
                try vault.reseal(
                    item, value: secret(values[account] ?? ""), access: .afterFirstUnlock)
            case (5, let item?):
                let other = "account \(Int.random(in: 0..<6))"
                guard values[other] == nil else { continue }
                try vault.rename(item, service: "s", account: other)
                values[other] = values.removeValue(forKey: account)
            case (6, _):
                let other = "account \(Int.random(in: 0..<6))"
                try vault.apply([
                    .delete(service: "s", account: account, kind: .genericPassword, ifRevision: nil),
                    .set(.make("s", other, "\(step)"), mode: .replace, ifRevision: nil),
                ])
                values[account] = nil
                values[other] = "\(step)"
            case (7, let item?) where item.version > 1:
                guard let former = try vault.history(service: "s", account: account).versions.first else { continue }
                let keys = try fixture.unlock(vault)
                let old: (ItemSummary, SecretBytes) = try vault.look(
                    service: "s", account: account, version: former.version
                ) { view in (view.item, try view.value(classKeys: keys)) }
                try vault.restore(old.0, value: old.1)
                values[account] = String(decoding: revealed(old.1), as: UTF8.self)
            default:
                try set(account, "\(step)")
                values[account] = "\(step)"
            }
            let there = try inTheFile()
            #expect(Set(try vault.list()) == there, "step \(step)")
            #expect(Set(try vault.list(service: "s")) == there, "step \(step)")
            #expect(Set(try vault.list().map(\.metadata.account)) == Set(values.keys), "step \(step)")
            for (account, value) in values { #expect(try self.value(account) == Array(value.utf8), "step \(step)") }
            for number in 0..<3 {
                #expect(
                    Set(try vault.search(attributes: ["a": "\(number)"]))
                        == there.filter { $0.metadata.attributes["a"] == "\(number)" })
            }
        }
        _ = try vault.verify()
    }

    @Test func sweepingAndHistory() throws {
        try vault.set(
            ItemDraft(
                service: "s", account: "short", value: secret("v"), access: .whenUnlocked, expires: 1_800_000_001_000))
        try set("long")
        for account in ["short", "long"] { _ = try value(account) }
        fixture.advance(milliseconds: 2000)
        #expect(vaultError { _ = try value("short") } == .notFound)
        #expect(try vault.sweep(expiredBy: 1_800_000_002_000, limit: 10).count == 1)
        #expect(try vault.list().map(\.metadata.account) == ["long"])
        try vault.put(HistorySetting(count: 0, days: 0))
        #expect(try value("long") == Array("v".utf8))
    }

    /// A change that did not happen leaves nothing behind.
    @Test func aRefusedChange() throws {
        try set("a", "one")
        _ = try value("a")
        #expect(
            vaultError {
                try vault.apply([
                    .set(.make("s", "a", "two"), mode: .replace, ifRevision: nil),
                    .set(.make("s", "b", "two"), mode: .replace, ifRevision: nil),
                    .set(.make("s", "a", "two"), mode: .new, ifRevision: nil),
                ])
            } == .alreadyExists)
        #expect(try value("a") == Array("one".utf8))
        #expect(try vault.list().map(\.metadata.account) == ["a"])
        #expect(vaultError { _ = try vault.find(service: "s", account: "b") } == .notFound)
    }

    /// The disk fails. Whether the change is in the file is seen in the file.
    @Test func aChangeWhoseOutcomeIsUnknown() throws {
        try set("a", "one")
        _ = try value("a")
        _ = try vault.list()
        try withoutWriting(fixture.path) { #expect(vaultError { try set("a", "two") } == .storage) }
        let there = try inTheFile()
        #expect(Set(try vault.list()) == there)
        #expect(try vault.find(service: "s", account: "a").version == there.first?.version)
        #expect(try value("a") == Array((there.first?.version == 1 ? "one" : "two").utf8))
    }

    /// A vault that is closed answers nothing from memory.
    @Test func aClosedVaultAnswersNothing() throws {
        try set("a")
        _ = try vault.list()
        try vault.close()
        #expect(vaultError { _ = try vault.list() } != nil)
        #expect(vaultError { _ = try vault.find(service: "s", account: "a") } != nil)
        #expect(memory.taken == 0)
    }

    // Limits

    @Test func aVaultKeepsSoMuch() throws {
        let limits = KeptLimits(names: 2000, items: 6000, postings: 1000, value: 200)
        let memory = KeptMemory(limits)
        let vault = try fixture.openAgain(from: self.vault, kept: KeptRows(memory, limits))
        for number in 0..<40 {
            try vault.set(.make("s", "account \(number)", String(repeating: "v", count: number * 20)))
        }
        for _ in 0..<3 {
            for number in 0..<40 {
                let value = try fixture.value(vault, "s", "account \(number)")
                #expect(value.count == number * 20)
            }
            #expect(try vault.list().count == 40)
            #expect(memory.taken > 0 && memory.taken <= 9000)
        }
        #expect(Set(try vault.list()).count == 40)
    }

    /// A sealed value of just the limit is kept, and a longer one is not.
    @Test func aValueIsKeptUpToItsLimit() throws {
        let limits = KeptLimits(value: 200)
        let kept = KeptRows(memory, limits)
        try set("a")
        let vault = try fixture.openAgain(from: self.vault, kept: kept)
        _ = try fixture.value(vault, "s", "a")
        let item = try #require(try vault.readFile { (snapshot) throws(VaultError) in try snapshot.allItems() }.first)
        let revision = try #require(kept.fields(of: item)?.fields.first?.first?.revision)
        let longest = [UInt8](repeating: 7, count: 200)
        kept.put(sealedValue: longest, of: item.summary.id, revision)
        #expect(kept.sealedValue(of: item.summary.id, revision) == longest)
        kept.put(sealedValue: longest + [8], of: item.summary.id, revision)
        #expect(kept.sealedValue(of: item.summary.id, revision) == longest)
    }

    /// A former value is read more rarely, and would be in the present one's place.
    @Test func aFormerValueIsNotKept() throws {
        let kept = KeptRows(memory)
        try set("a")
        let vault = try fixture.openAgain(from: self.vault, kept: kept)
        _ = try fixture.value(vault, "s", "a")
        let item = try #require(try vault.readFile { (snapshot) throws(VaultError) in try snapshot.allItems() }.first)
        let revision = try #require(kept.fields(of: item)?.fields.first?.first?.revision)
        kept.put(sealedValue: [7], of: item.summary.id, revision)
        kept.put(sealedValue: [8], of: item.summary.id, try RevisionID.random())
        #expect(kept.sealedValue(of: item.summary.id, revision) == [7])
    }

    private func row() throws -> (item: StoredItem, fields: ItemFields) {
        try vault.readFile { (snapshot) throws(VaultError) in
            let item = try snapshot.allItems()[0]
            return (item, try snapshot.fields(of: item))
        }
    }

    /// Fields that were read before a change, and arrive after it.
    @Test func fieldsOfAnotherRowAreNotKept() throws {
        let kept = KeptRows(memory)
        try set("a", "one")
        let old = try row()
        try set("a", "two")
        let new = try row()
        kept.put(new.item)
        kept.put(old.fields, of: old.item)
        #expect(kept.fields(of: new.item) == nil)
        kept.put(new.fields, of: new.item)
        #expect(kept.fields(of: new.item) == new.fields)
        #expect(kept.fields(of: old.item) == nil)
    }

    /// One entry fills the limit. A larger one drives nothing out, and the next one of its size does.
    @Test func anEntryMayFillTheLimit() throws {
        let limits = KeptLimits(postings: 200 + 64)
        let memory = KeptMemory(limits)
        let kept = KeptRows(memory, limits)
        let (one, two) = (try ItemID.random(), try ItemID.random())
        kept.put([one], of: [1])
        #expect(kept.posting([1]) == [one])
        kept.put([one, two], of: [2])
        #expect(kept.posting([2]) == nil && kept.posting([1]) == [one])
        kept.put([two], of: [3])
        #expect(kept.posting([3]) == [two] && kept.posting([1]) == nil)
        #expect(memory.taken == limits.postings)
    }

    @Test func aNameIsKeptWhileThereIsRoom() throws {
        try set("a")
        let name = KeptName(try vault.find(service: "s", account: "a"), text: [1, 2, 3])
        let (one, two) = (try ItemID.random(), try ItemID.random())
        let limits = KeptLimits(names: Int(name.cost))
        let memory = KeptMemory(limits)
        let kept = KeptRows(memory, limits)
        kept.put(name, of: one)
        kept.put(name, of: two)
        #expect(kept.nameCount == 1 && kept.name(one) != nil)
        #expect(memory.taken == Int(name.cost))
        // The same name once more takes the place of the first.
        let others = KeptMemory()
        let again = KeptRows(others)
        for _ in 0..<2 { again.put(name, of: one) }
        #expect(again.nameCount == 1 && others.taken == Int(name.cost))
    }

    @Test func anotherHeaderBeginsWithNothing() throws {
        let memory = KeptMemory()
        let kept = KeptRows(memory)
        #expect(!kept.isFor(7))
        kept.begin(for: 7)
        #expect(kept.isFor(7) && !kept.isFor(8))
        kept.put([try ItemID.random()], of: [1])
        #expect(memory.taken > 0)
        kept.begin(for: 8)
        #expect(kept.isFor(8) && kept.posting([1]) == nil)
        #expect(memory.taken == 0)
    }

    @Test func allVaultsKeepSoMuch() {
        let memory = KeptMemory(KeptLimits(all: 100, reserve: 40, ensured: 10))
        #expect(memory.take(60, held: 0))
        #expect(!memory.take(11, held: 0))
        #expect(memory.take(10, held: 0))
        #expect(!memory.take(1, held: 10))
        memory.give(back: 70)
        #expect(memory.taken == 0)
    }

    @Test func aVaultThatIsGoneKeepsNothing() throws {
        let memory = KeptMemory()
        try set("a")
        do {
            let vault = try fixture.openAgain(from: self.vault, kept: KeptRows(memory))
            _ = try vault.list()
            #expect(memory.taken > 0)
        }
        #expect(memory.taken == 0)
    }

    /// Rough sizes, which every vault's memory is counted with.
    @Test func whatIsKeptCosts() throws {
        let memory = KeptMemory()
        let kept = KeptRows(memory)
        kept.put(try (0..<3).map { _ in try ItemID.random() }, of: [1])
        #expect(memory.taken == 200 + 3 * 64)
        try set("a")
        let (item, fields) = try vault.readFile { (snapshot) throws(VaultError) in
            let item = try snapshot.allItems()[0]
            return (item, try snapshot.fields(of: item))
        }
        let slots = fields.fields.joined().reduce(0) { $0 + $1.slots.count }
        #expect(slots > 0)
        var row = KeptRows.Item(stored: item)
        let text = item.summary.metadata.textCount + item.record.sealedMetadata.count
        #expect(Int(row.cost) == 500 + text)
        row.fields = fields
        #expect(Int(row.cost) == 500 + text + 300 + 400 * slots + fields.sealedStamps.count)
        row.sealedValue = (try RevisionID.random(), [UInt8](repeating: 0, count: 1000))
        #expect(Int(row.cost) == 1500 + text + 300 + 400 * slots + fields.sealedStamps.count)
        #expect(KeptName(item.summary, text: [1, 2, 3]).cost == Int32(ItemRevision.count + 3 + 200))
    }
}
