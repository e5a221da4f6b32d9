import Cryptography
import SQLite
import Testing

@testable import Vault

/// An index entry's bytes, changed in place.
struct PostingTests {
    @Test func aChangedEntryIsWhatItWouldBeIfWrittenAnew() throws {
        var generator = SystemRandomNumberGenerator()
        // Ids that often meet, and begin alike.
        func id() throws -> ItemID {
            let byte = UInt8.random(in: 0...200, using: &generator)
            return try #require(ItemID(bytes: [UInt8](repeating: 7, count: 15) + [byte]))
        }
        var bytes: [UInt8] = []
        var items: Set<ItemID> = []
        for _ in 0..<2000 {
            let item = try id()
            if Bool.random(using: &generator) {
                #expect(Posting.insert(item, into: &bytes) == items.insert(item).inserted)
            } else {
                #expect(Posting.remove(item, from: &bytes) == (items.remove(item) != nil))
            }
            #expect(bytes == Posting.encode(Array(items)))
            #expect(Set(Posting.items(bytes)) == items)
            guard !items.isEmpty else { continue }
            try Posting.check(bytes)
        }
    }

    @Test func whatIsNoEntryIsDamage() throws {
        let (one, two) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
        for bytes in [[], [1], one + [2], two + one, one + one, one + two + one] {
            #expect(vaultError { try Posting.check(bytes) } == .damaged)
            #expect(vaultError { _ = try Posting.decode(bytes) } == .damaged)
        }
        try Posting.check(one + two)
    }

    /// Coffer's own mistake: an entry that the tree vouches for, with the right items in a wrong order.
    @Test func anEntryOutOfOrderIsDamage() throws {
        let fixture = try VaultFixture()
        let keys = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        let vault = try fixture.open()
        for account in ["a", "b"] { try vault.set(.make("s", account, "v")) }
        let term = try keys.term(service: "s")
        try vault.close()
        try fixture.tamper { database in
            let bytes = try database.bytes("SELECT items FROM posting WHERE term = ?", [.blob(term)])
            let turned = Array(bytes.suffix(ItemID.count) + bytes.prefix(ItemID.count))
            try database.run("UPDATE posting SET items = ? WHERE term = ?", [.blob(turned), .blob(term)])
            try database.rebuildTree { tree in try tree.set(term, TreeEntry.digest(term: term, items: turned)) }
            try database.vouch(keys)
        }
        let again = try fixture.open()
        #expect(vaultError { _ = try again.list(service: "s") } == .damaged)
        #expect(try again.find(service: "s", account: "a").metadata.account == "a")
    }

    /// Attacker 5 takes an entry away. A change that removes its item must not vouch for the rest of the index.
    @Test func anItemWithoutItsEntryIsNotRemoved() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        let item = try vault.set(.make("s", "a", "v")).item
        let term = try vault.keys.term(service: "s")
        try vault.close()
        try fixture.tamper { database in
            try database.run("DELETE FROM posting WHERE term = ?", [.blob(term)])
        }
        let again = try fixture.open()
        #expect(vaultError { try again.delete(item) } == .damaged)
        #expect(vaultError { try again.delete(service: "s", account: "a") } == .damaged)
        #expect(try again.find(service: "s", account: "a") == item)
    }
}
