import Authorization
import Cryptography
import Foundation
import Item
import Testing

@testable import Vault

/// Kinds of items, and changes that are made only if an item is in one state.
struct ItemKindTests {
    let fixture: VaultFixture
    let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    private func draft(_ account: String, _ kind: ItemKind, _ value: String) throws -> ItemDraft {
        var draft = try ItemDraft.make("s", account, value, kind == .setting ? .afterFirstUnlock : .whenUnlocked)
        draft.kind = kind
        return draft
    }

    @Test func itemsOfDifferentKindsNeverCollide() throws {
        let keys = try fixture.unlock(vault)
        for kind in ItemKind.allCases { try vault.set(draft("a", kind, kind.rawValue), mode: .new) }
        #expect(try vault.count == ItemKind.allCases.count)
        for kind in ItemKind.allCases {
            let item = try vault.find(service: "s", account: "a", kind: kind)
            #expect(item.metadata.kind == kind)
            let value = try vault.value(of: item, classKeys: keys)
            #expect(revealed(value) == Array(kind.rawValue.utf8))
            let only = try vault.find(service: "s", account: nil, kind: kind)
            #expect(only.id == item.id)
            #expect(try vault.list(service: "s", kind: kind).map(\.id) == [item.id])
            #expect(try vault.list(kind: kind).map(\.id) == [item.id])
            #expect(try vault.search(text: "S", kind: kind).map(\.id) == [item.id])
        }
        #expect(
            try vault.list(service: "s").map(\.metadata.kind.rawValue)
                == ItemKind.foundUnnamed.map(\.rawValue).sorted())
        try vault.set(draft("b", .key, "b"))
        #expect(try vault.find(service: "s", account: nil).metadata.kind == .genericPassword)
        #expect(
            vaultError { _ = try vault.find(service: "s", account: nil, kind: .key) }
                == .ambiguous(accounts: ["a", "b"]))
        try vault.delete(service: "s", account: "a", kind: .key)
        #expect(vaultError { _ = try vault.find(service: "s", account: "a", kind: .key) } == .notFound)
        #expect(try vault.find(service: "s", account: "a").metadata.kind == .genericPassword)
        _ = try vault.verify()
    }

    @Test func theKindStaysWhateverIsDone() throws {
        let item = try vault.set(draft("a", .key, "one")).item
        try vault.set(.make("s", "taken", "generic"))
        let replaced = try vault.set(draft("a", .key, "two")).replaced
        #expect(replaced != nil)
        let edited = try vault.edit(
            vault.find(service: "s", account: "a", kind: .key), changes: MetadataChanges(label: "l"))
        #expect(edited.id == item.id && edited.metadata.kind == .key)
        // The generic item of that name is no hindrance.
        let renamed = try vault.rename(edited, service: "s", account: "taken")
        #expect(renamed.metadata.kind == .key)
        #expect(try vault.find(service: "s", account: "taken", kind: .key).id == item.id)
        let keys = try fixture.unlock(vault)
        let rotated = try vault.rotate(
            renamed, value: vault.value(of: renamed, classKeys: keys))
        #expect(rotated.metadata.kind == .key)
        _ = try vault.verify()
    }

    /// What an earlier Coffer has written stays readable, and what it would have written stays byte for byte the same.
    @Test func genericItemsAreAsBeforeThereWereKinds() throws {
        let keys = vault.keys
        let old = try HMACSHA256.code(
            for: LengthPrefixed.encode(["name", "s", "a"].map { Array($0.utf8) }), key: keys.index)
        #expect(try keys.term(service: "s", account: "a", kind: .genericPassword) == old)
        let terms = try ItemKind.allCases.map { try keys.term(service: "s", account: "a", kind: $0) }
        #expect(Set(terms).count == ItemKind.allCases.count)
        let metadata = Metadata(service: "s", account: "a", created: 1, modified: 2, valueSet: 3)
        let text = String(decoding: try JSONEncoder().encode(metadata), as: UTF8.self)
        #expect(!text.contains("kind"))
        let read = try JSONDecoder().decode(
            Metadata.self,
            from: Data(#"{"service":"s","account":"a","attributes":{},"created":1,"modified":2,"valueSet":3}"#.utf8))
        #expect(read == metadata && read.kind == .genericPassword)
        let key = Metadata(service: "s", account: "a", kind: .key, created: 1, modified: 2, valueSet: 3)
        let again = try JSONDecoder().decode(Metadata.self, from: JSONEncoder().encode(key))
        #expect(again == key)
        #expect(key != metadata)
    }

    @Test func everyChangeGivesAnotherRevision() throws {
        let keys = try fixture.unlock(vault)
        var seen: Set<ItemRevision> = []
        func note(_ item: ItemSummary) throws {
            #expect(seen.insert(item.revision).inserted)
            let found = try vault.find(service: "s", account: item.metadata.account)
            #expect(found.revision == item.revision)
            #expect(ItemRevision(item.revision.description) == item.revision)
        }
        var item = try vault.set(.make("s", "a", "one")).item
        try note(item)
        item = try vault.set(.make("s", "a", "one")).item
        try note(item)
        for _ in 0..<2 {
            item = try vault.edit(item, changes: MetadataChanges(label: "l"))
            try note(item)
        }
        item = try vault.rename(item, service: "s", account: "b")
        try note(item)
        item = try vault.rotate(item, value: vault.value(of: item, classKeys: keys))
        try note(item)
        try vault.delete(item)
        // The version begins again at 1. The revision does not.
        try note(vault.set(.make("s", "a", "one")).item)
        for text in ["", "1", "zz", String(repeating: "0", count: 31), String(repeating: "0", count: 34)] {
            #expect(ItemRevision(text) == nil)
        }
    }

    @Test func anOutdatedWriterChangesNothing() throws {
        let first = try vault.set(.make("s", "a", "one")).item
        let second = try vault.set(.make("s", "a", "two"), ifRevision: first.revision).item
        #expect(vaultError { try vault.set(.make("s", "a", "lost"), ifRevision: first.revision) } == .outdated)
        #expect(vaultError { try vault.delete(service: "s", account: "a", ifRevision: first.revision) } == .outdated)
        #expect(try fixture.value(vault, "s", "a") == Array("two".utf8))
        // Another item's state is not this one's.
        let other = try vault.set(.make("s", "b", "b")).item
        #expect(vaultError { try vault.set(.make("s", "a", "lost"), ifRevision: other.revision) } == .outdated)
        // What is not there is in no state, and neither is what has expired.
        #expect(vaultError { try vault.set(.make("s", "c", "c"), ifRevision: first.revision) } == .outdated)
        #expect(vaultError { try vault.delete(service: "s", account: "c", ifRevision: first.revision) } == .outdated)
        #expect(vaultError { try vault.delete(service: "s", account: "c") } == .notFound)
        try vault.delete(service: "s", account: "a", ifRevision: second.revision)
        let again = try vault.set(.make("s", "a", "one")).item
        #expect(again.version == first.version)
        #expect(vaultError { try vault.set(.make("s", "a", "lost"), ifRevision: first.revision) } == .outdated)
        #expect(try fixture.value(vault, "s", "a") == Array("one".utf8))
        let dying = try vault.edit(again, changes: MetadataChanges(expires: fixture.clock.withLock { $0 } + 10))
        fixture.advance(milliseconds: 11)
        #expect(vaultError { try vault.set(.make("s", "a", "lost"), ifRevision: dying.revision) } == .outdated)
    }
}
