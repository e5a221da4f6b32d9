import Authorization
import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// Which of a vault's items are the circle's, and what of them is as it came.
struct CircleSharedItemsTests {
    private let store = CircleStore()
    private let desk: CircleMachine
    /// Its clock is three years ahead.
    private let laptop: CircleMachine

    init() throws {
        desk = try CircleMachine("desk")
        laptop = try CircleMachine("laptop", clock: 1_900_000_000_000)
        try desk.found()
        try desk.put(store)
        try laptop.join(desk)
        for machine in [desk, laptop, desk] { try machine.sync(store) }
    }

    private func shared() throws -> [ItemID] {
        try laptop.vault.read { (snapshot) throws(VaultError) in try CircleMaterial(snapshot)?.shared.ids ?? [] }
    }

    /// The vault no longer counts it among what it shares, and keeps no row for it.
    @Test func whatIsDeletedForGoodIsNoLongerShared() throws {
        for name in ["stays", "goes"] { try desk.set(name, "", "1") }
        try desk.sync(store)
        try laptop.takeIn(store)
        #expect(try shared().count == 2)
        try desk.vault.delete(service: "goes", account: "")
        try desk.sync(store)
        #expect(try laptop.takeIn(store).deleted == 1)
        #expect(try shared() == [laptop.find("stays").id])
    }

    /// Here, it would only wait to be swept.
    @Test func whatHasExpiredHereIsNotTakenIn() throws {
        try desk.set("old", "", "1")
        try desk.edit("old", MetadataChanges(expires: 1_850_000_000_000))
        try desk.set("new", "", "2")
        try desk.sync(store)
        #expect(try laptop.takeIn(store).added == 1)
        #expect(try laptop.vault.verify().items == 1 && shared().count == 1)
        #expect(try laptop.digest() == desk.digest())
    }

    /// What asks nobody is kept byte for byte, so that a machine gives on what it has taken in.
    @Test func aValueIsKeptAsItCame() throws {
        try desk.set("github", "", "1")
        try desk.sync(store)
        try laptop.takeIn(store)
        func value(_ machine: CircleMachine) throws -> (field: FieldRecord, sealed: [UInt8]) {
            try machine.vault.read { (snapshot) throws(VaultError) in
                let value = try snapshot.value(of: snapshot.items(service: "github")[0])
                return (field: value.field, sealed: try snapshot.sealedValue(of: value))
            }
        }
        let (here, there) = (try value(desk), try value(laptop))
        #expect(here.sealed == there.sealed)
        #expect(here.field.revision == there.field.revision && here.field.commitment == there.field.commitment)
    }

    /// The row, byte for byte: each item, and of each withheld part the first half of a SHA-256.
    @Test func theRowHasOneForm() throws {
        let item = try #require(ItemID(bytes: [UInt8](repeating: 7, count: ItemID.count)))
        let digest = try SharedItems.digest([1])
        let whole = try SHA256.digest([1])
        #expect(digest == Array(whole.prefix(16)))
        var items = SharedItems()
        items.put(item, withheld: [.label: digest])
        let start: [UInt8] = [0, 0, 0, 1] + item.bytes + [0, 1]
        let row = start + LengthPrefixed.encode(SharedPart.label.bytes) + digest
        #expect(items.encoded == row)
        #expect(try SharedItems(decoding: row) == items)
        // A byte more, a byte less, and a part that nobody knows.
        let unknown = start + LengthPrefixed.encode([99, 0, 0, 0, 0]) + digest
        for wrong in [row + [0], Array(row.dropLast()), unknown] {
            #expect(vaultError { _ = try SharedItems(decoding: wrong) } == .damaged, "\(wrong.count)")
        }
    }

    /// Behind these come the items that left the circle and are still here. A row without them is one of an earlier version.
    @Test func theRowNamesWhatHasLeft() throws {
        let item = try #require(ItemID(bytes: [UInt8](repeating: 7, count: ItemID.count)))
        var items = SharedItems()
        items.put(item)
        items.leave(item, at: 258)
        let row: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1] + item.bytes + [0, 0, 0, 0, 0, 0, 1, 2]
        #expect(items.encoded == row && items.ids.isEmpty)
        #expect(try SharedItems(decoding: row) == items)
        for wrong in [row + [0], Array(row.dropLast()), [0, 0, 0, 0, 0, 0, 0, 0]] {
            #expect(vaultError { _ = try SharedItems(decoding: wrong) } == .damaged, "\(wrong.count)")
        }
        items.keepLeft(of: [item])
        #expect(items.left == [item: 258])
        items.keepLeft(of: [])
        #expect(items == SharedItems() && items.encoded == [0, 0, 0, 0])
        items.leave(item, at: 258)
        items.put(item)
        #expect(items.left.isEmpty && items.ids == [item])
    }

    /// The version rises with each value that comes in, and once if values only go. No two values of a field share one.
    @Test func versionsRiseAsForWhatIsSetHere() throws {
        /// The item's own, and those of its values.
        func versions() throws -> (item: UInt64, values: [UInt64]) {
            try desk.sync(store)
            try laptop.takeIn(store)
            return try laptop.vault.read { (snapshot) throws(VaultError) in
                let item = try snapshot.items(service: "github")[0]
                let values = try snapshot.values(of: item)
                return (item: item.record.version, values: values.map(\.field.version).sorted())
            }
        }
        try desk.set("github", "", "1")
        let first = try versions()
        #expect(first.item == 1 && first.values == [1])
        try desk.set("github", "", "2")
        let second = try versions()
        #expect(second.item == 2 && second.values == [2])
        for field: FieldName in ["pin", "user"] { try desk.set(field: field, of: "github", "x") }
        let third = try versions()
        #expect(third.item == 4 && third.values == [2, 3, 4])
        desk.fixture.advance(milliseconds: 1000)
        try desk.vault.edit(desk.find("github"), removing: ["pin"], changes: MetadataChanges())
        let fourth = try versions()
        #expect(fourth.item == 5 && fourth.values.count == 2)
    }

    @Test func asManyFieldsAsAnItemHasComeInAtOnce() throws {
        try desk.set("github", "", "1")
        for number in 1..<ItemLimits.fields {
            try desk.set(field: #require(FieldName("field\(number)")), of: "github", "x")
        }
        try desk.sync(store)
        #expect(try laptop.takeIn(store).obstacles.isEmpty)
        #expect(try laptop.find("github").metadata.fields.count == ItemLimits.fields)
    }

    /// Its padded length is the longest one for which a record has room.
    @Test func theLongestValueTravels() throws {
        let value = String(repeating: "x", count: 884_732)
        #expect(PaddedLength.of(value.utf8.count) == value.utf8.count + 4)
        try desk.set("long", "", value)
        try desk.sync(store)
        #expect(try laptop.takeIn(store).added == 1)
        #expect(try laptop.get("long") == value)
    }
}
