import Authorization
import Cryptography
import Foundation
import Item
import Testing

@testable import Vault

/// A fresh key for one item. The item stays as it is, and nothing of the former key is left.
struct ItemRotationTests {
    private let fixture: VaultFixture
    private let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    private func rotated(_ item: ItemSummary) throws -> ItemSummary {
        let keys = try fixture.unlock(vault)
        let value = try vault.value(of: item, classKeys: keys, agreements: fixture.agreements(vault, item))
        return try vault.rotate(item, value: value)
    }

    private func firstSlot() throws -> Slot? {
        try vault.read { (snapshot) throws(VaultError) in
            guard let item = try snapshot.item(service: "s", account: "a", kind: .genericPassword) else { return nil }
            return try snapshot.value(of: item).field.slots[0]
        }
    }

    private func sealedValue(_ id: ItemID) throws -> [UInt8]? {
        try vault.read { (snapshot) throws(VaultError) in
            try snapshot.rows.sealedValue(snapshot.value(of: snapshot.item(id)).field.valueKey)
        }
    }

    @Test func theItemStaysAndItsKeyDoesNot() throws {
        var draft = try ItemDraft.make("s", "a", "value", AccessControl(requirements: [.userPresence]))
        draft.label = "L"
        draft.comment = "C"
        draft.attributes = ["k": "v"]
        draft.expires = fixture.clock.withLock { $0 } + 1_000_000
        let before = try vault.set(draft).item
        let slot = try firstSlot()
        let sealed = try sealedValue(before.id)
        fixture.advance(milliseconds: 5000)
        let after = try rotated(before)
        #expect(after.version == before.version + 1)
        #expect(after.id == before.id && after.metadata == before.metadata && after.access == before.access)
        #expect(try vault.find(service: "s", account: "a") == after)
        #expect(try vault.list(service: nil) == [after])
        #expect(try fixture.value(vault, "s", "a") == Array("value".utf8))
        #expect(try firstSlot() != slot)
        #expect(try sealedValue(before.id) != sealed)
        // The sealed value is no longer in the file.
        let bytes = try #require(sealed)
        for (name, content) in try fixture.files() {
            #expect(content.range(of: Data(bytes)) == nil, "\(name)")
        }
        _ = try vault.verify()
    }

    @Test func theKeyBeforeDoesNotComeBackWithAnOlderFile() throws {
        let item = try vault.set(.make("s", "a", "value")).item
        let epoch = try vault.verify().epoch
        _ = try rotated(item)
        #expect(try vault.verify().epoch > epoch)
    }

    @Test func onlyTheVersionThatWasRead() throws {
        let item = try vault.set(.make("s", "a", "value")).item
        try vault.set(.make("s", "a", "newer"))
        #expect(vaultError { try vault.rotate(item, value: secret("value")) } == .changed)
        #expect(try fixture.value(vault, "s", "a") == Array("newer".utf8))
    }
}
