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
}
