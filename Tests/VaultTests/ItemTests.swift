import Authorization
import Cryptography
import Foundation
import Item
import Synchronization
import Testing

@testable import Vault

/// What happens to items: replaced, found, listed, edited, renamed, deleted.
struct ItemTests {
    let fixture: VaultFixture
    let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    @Test func replacing() throws {
        let first = try vault.set(.make("s", "a", "one", AccessControl(requirements: [.userPresence])))
        #expect(first.replaced == nil)
        fixture.advance(milliseconds: 1000)
        let second = try vault.set(.make("s", "a", "two"))
        #expect(second.replaced == first.item.metadata.valueSet)
        #expect(second.item.id == first.item.id)
        #expect(second.item.version == 2)
        #expect(second.item.metadata.created == first.item.metadata.created)
        #expect(second.item.metadata.modified == first.item.metadata.modified + 1000)
        // The draft's access control, not the file's.
        #expect(second.item.access == .whenUnlocked)
        #expect(try fixture.value(vault, "s", "a") == Array("two".utf8))
        #expect(try vault.count == 1)
        #expect(vaultError { _ = try vault.value(of: first.item, classKeys: vault.alwaysKeys) } == .changed)
        #expect(vaultError { _ = try vault.readPlan(for: first.item) } == .changed)
        #expect(vaultError { try vault.delete(first.item) } == .changed)
    }

    /// A caller has judged what an item would have. Meanwhile the item gets a requirement that the caller did not see.
    @Test func onlyWhatWasJudgedIsStored() throws {
        var draft = ItemDraft(service: "s", account: "a", value: try secret("two"), access: PartialAccess())
        draft.judgedAccess = try vault.access(after: draft)
        #expect(draft.judgedAccess == .whenUnlocked)
        let guarded = try vault.set(.make("s", "a", "one", AccessControl(requirements: [.userPresence]))).item
        #expect(vaultError { try vault.set(draft) } == .changed)
        #expect(vaultError { try vault.apply([.set(draft, mode: .replace, ifRevision: nil)]) } == .changed)
        #expect(try vault.find(service: "s", account: "a") == guarded)
        // Judged again, it leaves the item as guarded as it is.
        draft.judgedAccess = try vault.access(after: draft)
        #expect(try vault.set(draft).item.access == guarded.access)
    }

    @Test func modes() throws {
        #expect(vaultError { try vault.set(.make("s", "a", "v"), mode: .existing) } == .notFound)
        try vault.set(.make("s", "a", "one"), mode: .new)
        #expect(vaultError { try vault.set(.make("s", "a", "two"), mode: .new) } == .alreadyExists)
        #expect(try fixture.value(vault, "s", "a") == Array("one".utf8))
        try vault.set(.make("s", "a", "two"), mode: .existing)
        #expect(try fixture.value(vault, "s", "a") == Array("two".utf8))
    }

    @Test func finding() throws {
        #expect(vaultError { _ = try vault.find(service: "s", account: nil) } == .notFound)
        try vault.set(.make("s", "b", "v"))
        #expect(try vault.find(service: "s", account: nil).metadata.account == "b")
        try vault.set(.make("s", "a", "v"))
        #expect(vaultError { _ = try vault.find(service: "s", account: nil) } == .ambiguous(accounts: ["a", "b"]))
        #expect(try vault.find(service: "s", account: "a").metadata.account == "a")
        #expect(vaultError { _ = try vault.find(service: "s", account: "c") } == .notFound)
        #expect(vaultError { _ = try vault.find(service: "S", account: "a") } == .notFound)
        // Two names that Unicode calls equivalent are two items.
        try vault.set(.make("caf\u{E9}", "a", "composed"))
        try vault.set(.make("cafe\u{301}", "a", "decomposed"))
        #expect(try fixture.value(vault, "caf\u{E9}", "a") == Array("composed".utf8))
        #expect(try fixture.value(vault, "cafe\u{301}", "a") == Array("decomposed".utf8))
        _ = try vault.verify()
    }

    /// Every time in a vault is in milliseconds. A clock that runs at another speed is off by years.
    @Test func theClockCountsMilliseconds() {
        let expected = Date().timeIntervalSince1970
        #expect(abs(Double(SystemClock.now()) / 1000 - expected) < 3_600)
    }

    @Test func listingAndSearching() throws {
        for (service, account) in [("b", "2"), ("a", "2"), ("b", "1"), ("a", "1")] {
            var draft = try ItemDraft.make(service, account, "v")
            draft.attributes = ["service": service, "colour": account == "1" ? "red" : "blue"]
            draft.label = "Label \(service)\(account)"
            try vault.set(draft)
        }
        func names(_ items: [ItemSummary]) -> [String] { items.map { $0.metadata.service + $0.metadata.account } }
        #expect(names(try vault.list()) == ["a1", "a2", "b1", "b2"])
        #expect(names(try vault.list(service: "b")) == ["b1", "b2"])
        #expect(names(try vault.list(service: "c")) == [])
        #expect(names(try vault.search(attributes: ["colour": "red"])) == ["a1", "b1"])
        #expect(names(try vault.search(attributes: ["colour": "red", "service": "b"])) == ["b1"])
        #expect(names(try vault.search(attributes: ["colour": "green"])) == [])
        #expect(names(try vault.search(attributes: ["red": "colour"])) == [])
        #expect(names(try vault.search(text: "LABEL A")) == ["a1", "a2"])
        #expect(names(try vault.search(text: "label", attributes: ["service": "a"])) == ["a1", "a2"])
        #expect(names(try vault.search(text: "nothing")) == [])
        #expect(try vault.count == 4)
    }

    @Test func expiry() throws {
        var draft = try ItemDraft.make("s", "a", "v")
        draft.expires = fixture.clock.withLock { $0 } + 1000
        let item = try vault.set(draft).item
        let keys = try fixture.unlock(vault)
        #expect(revealed(try vault.value(of: item, classKeys: keys)) == Array("v".utf8))
        fixture.advance(milliseconds: 1000)
        #expect(vaultError { _ = try vault.value(of: item, classKeys: keys) } == .notFound)
        #expect(vaultError { _ = try vault.readPlan(for: item) } == .notFound)
        do {
            _ = try vault.find(service: "s", account: "a")
            Issue.record("an expired item was found")
        } catch {
            #expect(error.code == .notFound)
            #expect(error.reason.contains("expired on 2027-01-15"))
        }
        #expect(vaultError { _ = try vault.find(service: "s", account: nil) } == .notFound)
        #expect(try vault.list().map(\.id) == [item.id])
        #expect(try vault.find(service: "s", account: "a", includingExpired: true).id == item.id)
        #expect(vaultError { try vault.set(.make("s", "a", "w"), mode: .existing) } == .notFound)
        #expect(try vault.set(.make("s", "a", "w"), mode: .new).replaced == nil)
        #expect(try fixture.value(vault, "s", "a") == Array("w".utf8))
    }

    @Test func aNewValueKeepsTheExpiryUnlessItIsNamed() throws {
        var draft = try ItemDraft.make("s", "a", "v")
        let expiry = fixture.clock.withLock { $0 } + 1000
        draft.expires = expiry
        try vault.set(draft)
        #expect(try vault.set(.make("s", "a", "w")).item.metadata.expires == expiry)
        draft.expires = 0
        #expect(try vault.set(draft).item.metadata.expires == nil)
    }

    @Test func editing() throws {
        var draft = try ItemDraft.make("s", "a", "v")
        draft.attributes = ["keep": "1", "drop": "2", "change": "3"]
        draft.comment = "comment"
        let item = try vault.set(draft).item
        fixture.advance(milliseconds: 5)
        let edited = try vault.edit(
            item,
            changes: MetadataChanges(label: "new", comment: "", attributes: ["drop": "", "change": "4"], expires: 0))
        #expect(edited.version == item.version)
        #expect(edited.metadata.label == "new")
        #expect(edited.metadata.comment == nil)
        #expect(edited.metadata.attributes == ["keep": "1", "change": "4"])
        #expect(edited.metadata.modified == item.metadata.modified + 5)
        #expect(edited.metadata.valueSet == item.metadata.valueSet)
        #expect(try vault.find(service: "s", account: "a") == edited)
        #expect(try vault.search(attributes: ["change": "3"]).isEmpty)
        #expect(try vault.search(attributes: ["change": "4"]) == [edited])
        #expect(try vault.search(attributes: ["drop": "2"]).isEmpty)
        #expect(try fixture.value(vault, "s", "a") == Array("v".utf8))
        let tooLong = MetadataChanges(label: String(repeating: "x", count: 1025))
        #expect(vaultError { try vault.edit(edited, changes: tooLong) } == .limitExceeded)
        _ = try vault.verify()
    }

    @Test func anotherSpellingOfAnAttributesNameIsNotTakenForIt() throws {
        var draft = try ItemDraft.make("s", "a", "v")
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        draft.attributes = [composed: "1"]
        let item = try vault.set(draft).item
        for value in ["2", ""] {
            let change = MetadataChanges(attributes: [decomposed: value])
            #expect(vaultError { try vault.edit(item, changes: change) } == .invalidArgument)
        }
        #expect(try vault.search(attributes: [composed: "1"]) == [item])
        #expect(try vault.search(attributes: [decomposed: "1"]).isEmpty)
        #expect(try vault.edit(item, changes: MetadataChanges(attributes: [composed: ""])).metadata.attributes == [:])
        _ = try vault.verify()
    }

    @Test func anotherAccessControl() throws {
        let item = try vault.set(.make("s", "a", "v")).item
        let before = try vault.verify()
        let keys = try fixture.unlock(vault)
        let value = try vault.value(of: item, classKeys: keys)
        let gated = try AccessControl(.afterFirstUnlock, isThisDeviceOnly: true, requirements: [.userPresence])
        let resealed = try vault.reseal(item, value: value, access: gated, changes: MetadataChanges(label: "l"))
        #expect(resealed.id == item.id)
        #expect(resealed.version == 2)
        #expect(resealed.access == gated)
        #expect(resealed.metadata.label == "l")
        #expect(try fixture.value(vault, "s", "a") == Array("v".utf8))
        #expect(vaultError { _ = try vault.value(of: resealed, classKeys: keys) } == .invalidArgument)
        #expect(vaultError { try vault.reseal(item, value: value, access: gated) } == .changed)
        #expect(try vault.verify().epoch == before.epoch + 1)
    }

    @Test func renaming() throws {
        let item = try vault.set(.make("s", "a", "v", AccessControl(requirements: [.userPresence]))).item
        try vault.set(.make("s", "taken", "w"))
        #expect(vaultError { try vault.rename(item, service: "s", account: "taken") } == .alreadyExists)
        #expect(vaultError { try vault.rename(item, service: "", account: "a") } == .invalidArgument)
        let renamed = try vault.rename(item, service: "t", account: "b", value: secret("v"))
        #expect(renamed.id == item.id)
        #expect(vaultError { _ = try vault.find(service: "s", account: "a") } == .notFound)
        #expect(try fixture.value(vault, "t", "b") == Array("v".utf8))
        #expect(try vault.rename(renamed, service: "t", account: "b") == renamed)
        #expect(try vault.list(service: "s").count == 1)
        _ = try vault.verify()
    }

    /// A name is checked as storing checks it, before a person is asked and when the item gets it.
    @Test func aNewNameIsAsGoodAsAFirstOne() throws {
        let item = try vault.set(.make("s", "a", "v")).item
        try vault.set(.make("s", "taken", "w"))
        let (longest, tooLong) = (
            String(repeating: "x", count: ItemLimits.name), String(repeating: "x", count: ItemLimits.name + 1)
        )
        for (service, account, code) in [
            ("", "a", .invalidArgument), (tooLong, "a", .limitExceeded), ("s", tooLong, .limitExceeded),
            ("s", "taken", .alreadyExists), ("s", "a", nil), (longest, longest, nil),
        ] as [(String, String, VaultError.Code?)] {
            #expect(vaultError { try vault.checkName(service, account, for: item) } == code, "\(account.count)")
            #expect(
                vaultError { try vault.rename(item, service: service, account: account) } == code, "\(account.count)")
        }
        #expect(try vault.find(service: longest, account: longest).id == item.id)
        _ = try vault.verify()
    }

    /// Who looks at what has expired, such as to delete it, gets neither a plan nor the value.
    @Test func whatHasExpiredIsLookedAtAndNotRead() throws {
        var draft = try ItemDraft.make("s", "a", "v")
        draft.expires = fixture.clock.withLock { $0 } + 1000
        let item = try vault.set(draft).item
        let keys = try fixture.unlock(vault)
        fixture.advance(milliseconds: 1000)
        #expect(try vault.look(service: "s", account: "a", includingExpired: true) { $0.item } == item)
        #expect(
            vaultError {
                _ = try vault.look(service: "s", account: "a", includingExpired: true) { try $0.plan() }
            } == .notFound)
        #expect(
            vaultError {
                _ = try vault.look(service: "s", account: "a", includingExpired: true) {
                    try $0.value(classKeys: keys)
                }
            } == .notFound)
    }

    @Test func aRenamedItemKeepsAllButItsName() throws {
        var draft = try ItemDraft.make("s", "a", "v", AccessControl(requirements: [.userPresence]))
        (draft.label, draft.comment, draft.attributes) = ("l", "c", ["k": "1"])
        draft.expires = fixture.clock.withLock { $0 } + 1000
        let item = try vault.set(draft).item
        fixture.advance(milliseconds: 10)
        let renamed = try vault.rename(item, service: "t", account: "b", value: secret("v"))
        let (before, after) = (item.metadata, renamed.metadata)
        #expect(after.expires == before.expires && after.expires != nil)
        #expect(after.label == "l" && after.comment == "c" && after.attributes == ["k": "1"])
        #expect(after.created == before.created && after.valueSet == before.valueSet)
        #expect(after.modified == before.modified + 10)
        // It was sealed anew, and no former value came of that.
        #expect(renamed.access == item.access && renamed.version == item.version + 1)
        #expect(try vault.history(service: "t", account: "b").versions.isEmpty)
        #expect(try vault.find(service: "t", account: "b") == renamed)
    }

    @Test func deleting() throws {
        let item = try vault.set(.make("s", "a", "v")).item
        try vault.set(.make("s", "b", "w"))
        let before = try vault.verify()
        try vault.delete(item)
        #expect(vaultError { _ = try vault.find(service: "s", account: "a") } == .notFound)
        #expect(vaultError { _ = try vault.value(of: item, classKeys: vault.alwaysKeys) } == .changed)
        #expect(vaultError { try vault.delete(item) } == .changed)
        #expect(try vault.count == 1)
        let after = try vault.verify()
        #expect(after.items == 1)
        #expect(after.epoch == before.epoch + 1)
        try vault.delete(vault.find(service: "s", account: "b"))
        let empty = try vault.verify()
        #expect((empty.items, empty.postings, empty.nodes) == (0, 0, 0))
        #expect(try vault.list().isEmpty)
    }

    /// The way to an item is as long among many as among few.
    @Test func lookingUpCostsTheSameAmongMany() throws {
        func cost(_ body: () throws -> Void) throws -> Int {
            let before = vault.treeReadCount
            try body()
            return vault.treeReadCount - before
        }
        for number in 0..<300 {
            // A name's term, a service's term and the item: each is a path of four nodes.
            #expect(try cost { try vault.set(.make("service \(number)", "account", "v")) } <= 12)
        }
        #expect(try cost { _ = try vault.find(service: "service 17", account: "account") } <= 8)
        let absent = try cost {
            #expect(vaultError { _ = try vault.find(service: "service 17", account: "absent") } == .notFound)
        }
        #expect(absent <= 4)
        let item = try vault.find(service: "service 17", account: "account")
        let keys = try fixture.unlock(vault)
        // The item was looked at just now, so its row is known.
        #expect(try cost { _ = try vault.value(of: item, classKeys: keys) } == 0)
        #expect(try vault.list().count == 300)
        #expect(try vault.verify().items == 300)
    }

    @Test func itExpiresAtItsTimeAndNotBefore() {
        let metadata = Metadata(service: "s", account: "a", created: 0, modified: 0, valueSet: 0, expires: 1000)
        #expect(!metadata.isExpired(at: 999) && metadata.isExpired(at: 1000) && metadata.isExpired(at: 1001))
    }

    /// A key that is kept opens the value that it was kept for, and no other.
    @Test func anItemKeyIsThatOfOneValue() throws {
        func value(_ account: String) throws -> ItemValue {
            try vault.read { (snapshot) throws(VaultError) in
                let item = try snapshot.allItems().first { $0.summary.metadata.account == account }
                guard let item else { throw .notFound }
                return try snapshot.values(of: item)[0]
            }
        }
        let id = fixture.record.vault
        for account in ["a", "b"] { try vault.set(.make("s", account, "v")) }
        let (own, other) = (try value("a"), try value("b"))
        let key = ItemKey(try secret("key"), of: own, in: id)
        #expect(key.item == own.item.id && key.accessibility == .whenUnlocked)
        #expect(key.opens(own, in: id) && !key.opens(other, in: id))
        #expect(try !key.opens(own, in: .random()))
        try vault.set(.make("s", "a", "another"))
        let again = try value("a")
        #expect(again.item.id == own.item.id && !key.opens(again, in: id))
    }
}
