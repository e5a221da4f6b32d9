import Circle
import Item
import Testing

/// Items that several machines make or rename under one name.
struct MergingNameTests {
    private let second = SharedItemID(number: 2)
    private let shop = Bench.name("shop")

    @Test func itemsMadeUnderOneNameAreOne() throws {
        var bench = Bench(devices: 2)
        try bench.act(0) { _, _ in try Bench.made(second, value: 1, by: 0) }
        try bench.act(1) { _, _ in
            try Bench.made(Bench.item, Bench.bank, .whenUnlocked.requiring(.userPresence), value: 2, by: 1)
        }
        let item = try #require(bench.merged().items.first)
        #expect(try bench.merged().items.count == 1)
        #expect(item.id == Bench.item, "the smaller id")
        #expect(item.conflict(in: .field(.secret)).count == 1)
        #expect(item.floor.count == 2)
    }

    @Test func anotherKindIsAnotherItem() throws {
        var bench = Bench(devices: 2)
        try bench.act(0) { _, _ in try Bench.made() }
        try bench.act(1) { _, _ in try Bench.made(second, Bench.name("bank", kind: .key), by: 1) }
        #expect(try bench.merged().items.count == 2)
    }

    /// Two ids, one name; then every device changes what it sees as one item.
    private func joined() throws -> Bench {
        var bench = Bench(devices: 3)
        try bench.act(0) { _, _ in try Bench.made(by: 0) }
        try bench.act(1) { _, _ in try Bench.made(second, value: 2, by: 1) }
        for device in 0..<3 { bench.catchUp(device) }
        return bench
    }

    @Test func aRenameOfBothKeepsThemOne() throws {
        var bench = try joined()
        try bench.act(2) { writer, state in try [writer.rename(#require(state.items.first), to: shop)] }
        let item = try #require(bench.merged().items.first)
        #expect(item.ids == [Bench.item, second])
        #expect(item.name == shop)
        #expect(item.revisions(of: .field(.secret)).count == 2)
    }

    @Test func aRenameByOneWhoKnewOnlyOneMeetsIt() throws {
        var bench = Bench(devices: 3)
        try bench.act(0) { _, _ in try Bench.made(by: 0) }
        try bench.act(1) { _, _ in try Bench.made(second, value: 2, by: 1) }
        bench.catchUp(2)
        try bench.act(2) { writer, state in try [writer.rename(#require(state.items.first), to: shop)] }
        try bench.act(1) { writer, state in try [writer.rename(#require(state.items.first), to: Bench.name("own"))] }
        let state = try bench.merged()
        #expect(state.items.count == 1)
        // Somebody who sees both names replaces both.
        bench.catchUp(0)
        try bench.act(0, at: 90) { writer, state in
            try [writer.rename(#require(state.items.first), to: Bench.name("end"))]
        }
        let item = try #require(bench.merged().items.first)
        #expect(item.name == Bench.name("end"))
        #expect(item.conflict(in: .name).isEmpty)
    }

    @Test func aRenameIntoATakenNameLeavesTwo() throws {
        var bench = Bench(devices: 2, having: try Bench.made(second))
        try bench.act(0) { writer, state in try [writer.rename(#require(state.items.first), to: shop)] }
        try bench.act(1) { _, _ in try Bench.made(Bench.item, shop, value: 3, by: 1) }
        let items = try bench.merged().items
        let names = SharedNames(items)
        #expect(items.map(\.name) == [shop, shop])
        #expect(items.map(names.suffix) == [nil, "00000000000000000000000000000002"])
        #expect(names.find(shop) == .ambiguous([Bench.item, second]))
        #expect(names.find(Bench.bank) == .nothing)
    }

    @Test func twoRenamesToOneNameLeaveTwo() throws {
        var bench = Bench(devices: 2, having: try Bench.made() + Bench.made(second, Bench.name("other")))
        try bench.act(0) { writer, state in try [writer.rename(#require(state.items.first), to: shop)] }
        try bench.act(1) { writer, state in try [writer.rename(#require(state.items.last), to: shop)] }
        let items = try bench.merged().items
        #expect(items.count == 2)
        #expect(SharedNames(items).suffix(of: items[0]) == nil, "the former rename")
    }

    @Test func theHarderItemKeepsThePlainName() throws {
        let guarded = AccessControl.whenUnlocked.requiring(.devicePasscode)
        var bench = Bench(devices: 2, having: try Bench.made() + Bench.made(second, Bench.name("other"), guarded))
        try bench.act(0, at: 2) { writer, state in try [writer.rename(#require(state.items.first), to: shop)] }
        try bench.act(1, at: 9) { writer, state in try [writer.rename(#require(state.items.last), to: shop)] }
        let items = try bench.merged().items
        #expect(SharedNames(items).suffix(of: items[0]) != nil)
        #expect(SharedNames(items).suffix(of: items[1]) == nil)
    }

    @Test func aNameInTheBinIsFree() throws {
        var bench = Bench(devices: 2, having: try Bench.made())
        try bench.act(0) { writer, state in try writer.bin(#require(state.items.first), days: 30) }
        try bench.act(0, at: 20) { _, _ in try Bench.made(second, value: 5, by: 0) }
        #expect(try bench.merged().items.map(\.isInBin) == [true, false])
        #expect(SharedNames(bench.states[0].items).find(Bench.bank) == .item(second))
        // The one in the bin does not come back under a name that another one has.
        let names = SharedNames(bench.states[0].items)
        #expect(bench.states[0].items.map { names.suffix(of: $0) == nil } == [false, true])
        // A value that somebody sets in the old one at the same time: one item, with both values.
        try bench.act(1) { writer, state in
            try [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(6)))]
        }
        let items = try bench.merged().items
        #expect(items.map(\.ids) == [[Bench.item, second]])
        #expect(items[0].revisions(of: .field(.secret)).count == 2)
    }

    /// Two that live have the name. It is ambiguous between these alone.
    @Test func whatIsInTheBinIsNoneOfSeveral() throws {
        let third = SharedItemID(number: 3)
        var bench = Bench(
            devices: 3,
            having: try Bench.made() + Bench.made(second, Bench.name("other")) + Bench.made(third, shop))
        try bench.act(0) { writer, state in try [writer.rename(#require(state.items.first), to: shop)] }
        try bench.act(1) { writer, state in
            try [writer.rename(#require(state.items.first { $0.id == second }), to: shop)]
        }
        try bench.act(2) { writer, state in try writer.bin(#require(state.items.last), days: 30) }
        let items = try bench.merged().items
        #expect(items.map(\.isInBin) == [false, false, true])
        guard case .ambiguous(let ids) = SharedNames(items).find(shop) else {
            Issue.record("two have the name")
            return
        }
        #expect(Set(ids) == [Bench.item, second])
    }

    @Test func aBinOfOneItemWithTwoIdsTakesBoth() throws {
        var bench = try joined()
        try bench.act(2) { writer, state in try writer.bin(#require(state.items.first), days: 30) }
        #expect(try bench.merged().items.map(\.isInBin) == [true, true])
    }

    @Test func whatWasRestoredStaysOutOfTheBinUnderANameThatJoins() throws {
        var bench = try joined()
        try bench.act(2) { writer, state in try writer.bin(#require(state.items.first), days: 30) }
        try bench.act(2) { writer, state in try writer.restore(#require(state.items.last)) }
        // Somebody who has heard of neither gives both ids one name.
        try bench.act(0) { writer, state in try [writer.rename(#require(state.items.first), to: shop)] }
        let items = try bench.merged().items
        #expect(items.map(\.ids) == [[Bench.item, second]])
        #expect(items.map(\.isInBin) == [false])
    }

    @Test func whatIsInTheBinStaysThereUnderANameThatJoins() throws {
        var bench = try joined()
        try bench.act(2) { writer, state in try writer.bin(#require(state.items.first), days: 30) }
        try bench.act(0) { writer, state in try [writer.rename(#require(state.items.first), to: shop)] }
        let items = try bench.merged().items
        #expect(items.map(\.ids) == [[Bench.item, second]])
        #expect(items.map(\.isInBin) == [true])
    }

    @Test func aMemberCannotGlueTwoItems() throws {
        let bench = Bench(devices: 1, having: try Bench.made() + Bench.made(second, Bench.name("weather")))
        let names = bench.states[0].items.compactMap { $0.shown(.name) }
        let stamp = try #require(PartStamp(clock: 50, writer: WriterID(number: 6)))
        let glue = try PartChange(
            item: second, part: .name, stamp: stamp, replacing: names.map(\.name), content: .name(Bench.name("weather"))
        )
        var state = bench.states[0]
        #expect(state.take(glue) == .merged)
        #expect(state.items.map(\.name) == [Bench.bank, Bench.name("weather")])
    }

    @Test func aMemberCannotTakeAnotherItemsName() throws {
        let bench = Bench(devices: 1, having: try Bench.made() + Bench.made(second, Bench.name("weather")))
        let bank = try #require(bench.states[0].items.first?.shown(.name))
        let stamp = try #require(PartStamp(clock: 50, writer: WriterID(number: 6)))
        let taken = try PartChange(
            item: second, part: .name, stamp: stamp, replacing: [bank.name], content: .name(Bench.name("weather")))
        var state = bench.states[0]
        state.take(taken)
        #expect(state.items.map(\.name) == [Bench.bank, Bench.name("weather")])
    }

    @Test func aKindNeverChanges() throws {
        var state = SharedState(try Bench.made())
        let name = try #require(state.items.first?.shown(.name))
        let stamp = try #require(PartStamp(clock: 50, writer: WriterID(number: 6)))
        let changed = try PartChange(
            item: Bench.item, part: .name, stamp: stamp, replacing: [name.name],
            content: .name(Bench.name("bank", kind: .key)))
        state.take(changed)
        #expect(state.items.first?.name == Bench.bank)
    }

    @Test func namesAreFoundByTheirBytes() throws {
        let items = SharedState(try Bench.made(Bench.item, Bench.name("caf\u{E9}"))).items
        #expect(SharedNames(items).find(Bench.name("cafe\u{301}")) == .nothing)
    }
}
