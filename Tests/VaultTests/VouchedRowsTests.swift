import Cryptography
import Foundation
import Item
import SQLite
import TestSupport
import Testing

@testable import Vault

/// Rows that tree and header vouch for, and that are wrong all the same. Only Coffer itself can make this mistake.
/// Each is damage, and none leads to another item.
struct VouchedRowsTests {
    private let fixture: VaultFixture
    private let keys: VaultKeys
    private let one: ItemSummary
    private let other: ItemSummary

    init() throws {
        fixture = try VaultFixture()
        keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        let vault = try fixture.open()
        one = try vault.set(.make("s", "one", "1")).item
        other = try vault.set(.make("t", "other", "2")).item
        try vault.close()
    }

    /// The vault after a change of its file that the header vouches for.
    private func vouched(_ change: (Connection) throws -> Void) throws -> OpenVault {
        try fixture.tamper { database in
            try change(database)
            try database.vouch(keys)
        }
        return try fixture.open()
    }

    @Test func aFileThatIsVouchedForIsWhole() throws {
        let vault = try vouched { _ in }
        #expect(try vault.find(service: "s", account: "one") == one)
        _ = try vault.verify()
    }

    @Test func aNameLeadsToItsItemAlone() throws {
        let name = try keys.term(service: "s", account: "one", kind: .genericPassword)
        for items in [[other.id], [one.id, other.id]] {
            let vault = try vouched { try $0.plant(posting: name, items: items) }
            #expect(vaultError { _ = try vault.find(service: "s", account: "one") } == .damaged)
            try vault.close()
        }
    }

    @Test func aServiceLeadsToItsItemsAlone() throws {
        let service = try keys.term(service: "s")
        let vault = try vouched { try $0.plant(posting: service, items: [one.id, other.id]) }
        #expect(vaultError { _ = try vault.list(service: "s") } == .damaged)
        #expect(vaultError { _ = try vault.find(service: "s", account: nil) } == .damaged)
    }

    @Test func anIndexEntryHasNoItemTwice() throws {
        let service = try keys.term(service: "s")
        let twice = one.id.bytes + one.id.bytes
        let vault = try vouched { database in
            try database.run("UPDATE posting SET items = ? WHERE term = ?", [.blob(twice), .blob(service)])
            try database.rebuildTree { tree in
                try tree.set(service, TreeEntry.digest(term: service, items: twice))
            }
        }
        #expect(vaultError { _ = try vault.list(service: "s") } == .damaged)
    }

    @Test func aHeaderThatCountsTooFewItems() throws {
        try fixture.tamper { database in try database.vouch(keys) { $0.itemCount = 0 } }
        let vault = try fixture.open()
        #expect(vaultError { try vault.delete(one) } == .damaged)
        #expect(vaultError { _ = try vault.everything() } == .damaged)
    }
}
