import Item
import Testing

@testable import Circle

/// Attacker 13: how much the changes of one member can make all keep. Sizes are counted, and not measured.
struct MergingCostTests {
    private let shop = Bench.name("shop")

    private func stamp(_ clock: UInt64) throws -> PartStamp {
        try #require(PartStamp(clock: clock, writer: WriterID(number: 66)))
    }

    /// One name of each id from 1 on, all of them equal.
    private func births(_ count: Int) throws -> [PartChange] {
        try (1...count).map { number in
            try PartChange(
                item: SharedItemID(number: UInt64(number)), part: .name, stamp: stamp(1), replacing: [],
                content: .name(Bench.bank))
        }
    }

    private func rename(
        _ replaced: [PartChange], at clock: Int, of item: SharedItemID = Bench.item
    ) throws -> PartChange {
        try PartChange(
            item: item, part: .name, stamp: stamp(UInt64(clock)), replacing: replaced.map(\.name), content: .name(shop))
    }

    @Test func aNameJoins256IdsAndNoMore() throws {
        let births = try births(257)
        let most = try rename(Array(births.prefix(256)), at: 10)
        let all = try rename(births, at: 11)
        let oneMore = try rename([most, births[256]], at: 12)
        let afterVoid = try rename([oneMore], at: 13)
        let again = try rename([most], at: 14, of: births[255].item)
        let changes = births + [most, all, oneMore, afterVoid, again]
        let digest = try SharedState(changes).digest
        for order in Orders(changes).prefix(8) {
            let state = SharedState(order)
            #expect(state.present == [again.name, births[256].name])
            #expect(try state.digest == digest)
            #expect(state.waits.count == 0)
            #expect(state.listedIDCount == 257 + 256)
        }
    }

    @Test func aNameThatJoinsNothingNewKeepsNoIds() throws {
        let births = try births(256)
        let most = try rename(births, at: 10)
        var state = SharedState(births + [most])
        var last = most
        // Half of them are a chain, and half replace the same name.
        for number in 0..<2_000 {
            let next = try rename([number.isMultiple(of: 2) ? last : most], at: 100 + number)
            #expect(state.take(next) == .merged)
            last = next
        }
        #expect(state.listedIDCount == 256 + 256)
    }

    @Test func manyIdsCannotBeCarriedAlong() throws {
        let births = try births(2_000)
        var state = SharedState(births)
        var last = births[0]
        // The attack: some renames join all ids, and each further one would keep them again.
        for number in 0..<2_000 {
            let first = 1 + number * 1_000
            let more = first + 999 <= births.count ? Array(births[first..<first + 999]) : []
            last = try rename([last] + more, at: 10 + number)
            #expect(state.take(last) == .merged)
        }
        #expect(state.listedIDCount == births.count)
        // As many as one name may join, and one more in each of some renames.
        let base = try rename(Array(births.prefix(255)), at: 9_000)
        state.take(base)
        for number in 0..<100 { state.take(try rename([base, births[0], births[255 + number]], at: 9_001)) }
        #expect(state.listedIDCount == births.count + 255 + 100 * 256)
    }

    /// Names are of one item if they share an id, or ids that were made under one name.
    @Test func namesThatOverlapAreOneItem() throws {
        let births = try births(6)
        let one = try rename([births[0], births[1]], at: 10)
        let other = try rename([births[1], births[2]], at: 10, of: births[1].item)
        let apart = try rename([births[4], births[5]], at: 10, of: births[4].item)
        let both = try rename([one, other], at: 20)
        let glue = try rename([both, apart], at: 30)
        let unconnected = try rename([both, apart, births[3], births[4]], at: 30)
        let connected = try rename([both, apart, births[0], births[4]], at: 30)
        let changes = births + [one, other, apart, both, glue]
        for order in Orders(changes).prefix(20) {
            #expect(SharedState(order).present == [births[3].name, both.name, apart.name])
        }
        // The fourth and the fifth id were made under one name. That says nothing of the first three.
        #expect(!SharedState(changes + [unconnected]).present.contains(unconnected.name))
        // The first and the fifth were, too.
        #expect(SharedState(changes + [connected]).present == [births[3].name, connected.name])
    }

    @Test func aRenameOfTooManyIdsReplacesWhatItMay() throws {
        var state = SharedState(try (1...300).flatMap { try Bench.made(SharedItemID(number: $0)) })
        let item = try #require(state.items.first)
        #expect(item.ids.count == 300)
        let writer = PartWriter(state, writer: WriterID(number: 9), now: 50)
        state.take(try writer.rename(item, to: shop))
        #expect(state.items.map(\.name) == [shop, Bench.bank])
        #expect(state.items.map(\.ids.count) == [256, 44])
        #expect(state.items.first?.id == Bench.item)
        let rest = try #require(state.items.last)
        state.take(try writer.rename(rest, to: Bench.name("rest")))
        #expect(state.items.map(\.name) == [shop, Bench.name("rest")])
    }

    @Test func aRenameOfTooManyNamesReplacesWhatItMay() throws {
        let other = SharedItemID(number: 2)
        var state = SharedState(try Bench.made() + Bench.made(other))
        for number in 0..<PartChange.mostReplaced {
            state.take(
                try PartChange(
                    item: other, part: .name, stamp: stamp(UInt64(10 + number)), replacing: [],
                    content: .name(Bench.bank)))
        }
        let item = try #require(state.items.first)
        #expect(item.ids.count == 2)
        let writer = PartWriter(state, writer: WriterID(number: 9), now: 50)
        let rename = try writer.rename(item, to: shop)
        #expect(state.take(rename) == .merged)
        #expect(state.items.map(\.name) == [shop])
        #expect(state.items.map(\.ids) == [[Bench.item, other]])
        #expect(state.present.contains(rename.name))
    }

    /// Also while it waits for another one, and once.
    @Test func aChangeCountsByItsLength() throws {
        let made = try Bench.made()
        let text = try PartChange(
            item: Bench.item, part: .comment, stamp: stamp(9), replacing: [],
            content: .text([UInt8](repeating: 97, count: 999)))
        let all = made + [text]
        let bytes = all.reduce(0) { $0 + $1.bytes.count }
        for order in [all, Array(all.reversed())] {
            var state = SharedState()
            for change in order { state.take(change) }
            for change in order { state.take(change) }
            #expect(state.changeBytes == bytes && bytes > 999)
        }
    }

    @Test func aRegisterKeepsItsOrder() throws {
        var register = ItemRegister()
        var present: [PartChange] = []
        // One name of an attribute begins with another one's, and one is longer but smaller.
        let parts: [SharedPart] = [.comment, .label, .attribute([97]), .attribute([97, 97]), .attribute([98])]
        var seed = UInt64(7)
        func next(below bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % bound
        }
        for number in 0..<400 {
            let (clock, writer) = (UInt64(next(below: 20)), UInt64(next(below: 3)))
            let stamp = try #require(PartStamp(clock: clock, writer: WriterID(number: writer)))
            let part = parts[next(below: parts.count)]
            let change = try PartChange(
                item: Bench.item, part: part, stamp: stamp, replacing: [],
                content: .text([UInt8(number >> 8), UInt8(number & 255)]))
            register.insert(change)
            present.append(change)
            if next(below: 3) == 0 {
                let gone = present.remove(at: next(below: present.count))
                register.remove(gone.name, of: gone.part, stamp: gone.stamp)
                // What is not there is not removed, nor anything else.
                register.remove(gone.name, of: gone.part, stamp: gone.stamp)
            }
            present.sort {
                $0.part == $1.part
                    ? ($0.stamp, $0.name) > ($1.stamp, $1.name)
                    : $0.part.bytes.lexicographicallyPrecedes($1.part.bytes)
            }
            #expect(register.present == present)
            for part in parts {
                #expect(Array(register.present.revisions(of: part)) == present.filter { $0.part == part })
            }
        }
    }
}
