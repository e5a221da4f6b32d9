import Circle
import Item
import Testing

/// Attackers 10, 11 and 13: what a store or one member can do to the state of all.
struct MergingAttackTests {
    private let writer = WriterID(number: 66)

    private func stamp(_ clock: UInt64) throws -> PartStamp { try #require(PartStamp(clock: clock, writer: writer)) }

    @Test func aLateChangeWaitsAndHoldsUpNothingElse() throws {
        var bench = Bench(devices: 1, having: try Bench.made())
        for number in 2...4 {
            try bench.act(0) { writer, state in
                try [
                    writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(UInt8(number))))
                ]
            }
        }
        var state = SharedState(bench.changes.prefix(3))
        let (second, third, fourth) = (bench.changes[3], bench.changes[4], bench.changes[5])
        #expect(state.take(fourth) == .waits(for: .change(third.name)))
        #expect(state.take(third) == .waits(for: .change(second.name)))
        #expect(state.take(fourth) == .known)
        #expect(Set(state.waits.map(\.missing)) == [.change(second.name), .change(third.name)])
        for change in try Bench.made(SharedItemID(number: 2), Bench.name("shop")) {
            #expect(state.take(change) == .merged)
        }
        #expect(!state.has(fourth.name))
        #expect(state.take(second) == .merged)
        #expect(state.has(fourth.name))
        #expect(state.waits.count == 0)
    }

    @Test func withholdingAnItemsNameHidesNoValue() throws {
        // Two machines made the item. The second one's record is withheld, and a third machine changes what it sees as one.
        let first = try Bench.made(SharedItemID(number: 2), by: 0)
        let withheld = try Bench.made(Bench.item, value: 2, by: 1)
        var bench = Bench(devices: 1, having: first + withheld)
        try bench.act(0) { writer, state in
            try [writer.set(.field(.notes), of: #require(state.items.first), to: .value(Bench.value(3)))]
        }
        let change = try #require(bench.changes.last)
        var state = SharedState(first)
        #expect(state.take(change) == .waits(for: .name(of: Bench.item)))
        for late in withheld { state.take(late) }
        #expect(state.has(change.name))
        #expect(try state.digest == bench.states[0].digest)
    }

    @Test func withholdingAValueBringsNothingOutOfTheBin() throws {
        let made = try Bench.made()
        var bench = Bench(devices: 1, having: made)
        try bench.act(0) { writer, state in
            try [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(2)))]
        }
        try bench.act(0) { writer, state in try writer.bin(#require(state.items.first), days: 30) }
        var state = SharedState(made)
        // The value that was deleted is withheld. The deletion counts when it is here.
        #expect(state.take(bench.changes[4]) == .waits(for: .change(bench.changes[3].name)))
        state.take(bench.changes[3])
        #expect(state.items.first?.isInBin == true)
    }

    @Test func oneWriterFillsItsOwnRoomAlone() throws {
        var state = SharedState()
        let absent = try #require(RevisionName(digest: Array(repeating: 9, count: 32)))
        func change(_ clock: UInt64, by writer: UInt64) throws -> PartChange {
            let stamp = try #require(PartStamp(clock: clock, writer: WriterID(number: writer)))
            return try PartChange(
                item: Bench.item, part: .label, stamp: stamp, replacing: [absent], content: .text([1]))
        }
        for clock in 0..<SharedState.mostWaiting { state.take(try change(UInt64(clock), by: 1)) }
        #expect(state.take(try change(5_000, by: 1)) == .full)
        #expect(state.take(try change(5_000, by: 2)) == .waits(for: .change(absent)))
    }

    @Test func roomThatWasFreedIsUsedAgain() throws {
        var bench = Bench(devices: 1, having: try Bench.made())
        try bench.act(0) { writer, state in
            try [writer.set(.label, of: #require(state.items.first), to: .text([1]))]
        }
        let label = try #require(bench.changes.last)
        var state = SharedState(try Bench.made())
        let waiting = try (0..<SharedState.mostWaiting).map { number in
            try PartChange(
                item: Bench.item, part: .label, stamp: stamp(UInt64(100 + number)), replacing: [label.name],
                content: .text([2]))
        }
        for change in waiting { state.take(change) }
        state.take(label)
        #expect(state.waits.count == 0)
        let absent = try #require(RevisionName(digest: Array(repeating: 9, count: 32)))
        let later = try PartChange(
            item: Bench.item, part: .label, stamp: stamp(9_000), replacing: [absent], content: .text([3]))
        #expect(state.take(later) == .waits(for: .change(absent)))
    }

    @Test func aStampBelowWhatItReplacesCountsForNobody() throws {
        let made = try Bench.made()
        let value = try #require(made.last)
        let back = try PartChange(
            item: Bench.item, part: .field(.secret), stamp: stamp(1), replacing: [value.name],
            content: .value(Bench.value(9)))
        for order in Orders(made + [back]) {
            #expect(SharedState(order).items.first?.shown(.field(.secret)) == value)
        }
    }

    @Test func theLastClockEndsNobodysWriting() throws {
        var bench = Bench(devices: 2, having: try Bench.made())
        for (device, number) in [(0, 3), (1, 4), (0, 5)] as [(Int, UInt8)] {
            bench.catchUp(device)
            try bench.act(device, at: .max) { writer, state in
                try [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(number)))]
            }
        }
        let item = try #require(bench.merged().items.first)
        #expect(item.shown(.field(.secret))?.content == .value(try Bench.value(5)))
        #expect(item.revisions(of: .field(.secret)).count == 1)
        #expect(PartStamp(clock: 1 << 63, writer: writer) == nil)
        #expect(item.shown(.field(.secret))?.stamp.isAhead(of: 5) == true)
        #expect(try !stamp(86_400_005).isAhead(of: 5))
    }

    @Test func aChangeOfOnePartReplacesNoOther() throws {
        let made = try Bench.made()
        for part in [SharedPart.field(.otp), .label] {
            var state = SharedState(made)
            let content: PartContent = part == .label ? .text([1]) : .value(try Bench.value(2))
            state.take(
                try PartChange(
                    item: Bench.item, part: part, stamp: stamp(90), replacing: [made[2].name], content: content))
            #expect(state.items.first?.shown(.field(.secret)) == made[2])
            #expect(state.items.first?.shown(part) == nil)
        }
    }

    @Test func anItemsAccessIsNotReplacedByAnothers() throws {
        let guarded = AccessControl.whenUnlocked.requiring(.devicePasscode)
        let made = try Bench.made(Bench.item, Bench.bank, guarded)
        var state = SharedState(try made + Bench.made(SharedItemID(number: 2), Bench.name("weather")))
        state.take(
            try PartChange(
                item: SharedItemID(number: 2), part: .access, stamp: stamp(90), replacing: [made[1].name],
                content: .access(.whenUnlocked)))
        #expect(state.items.first?.floor == [guarded])
    }

    @Test func twoChangesNeverHaveOneName() throws {
        let one = try Bench.made()
        let other = try Bench.made(value: 2)
        #expect(one[0].name == other[0].name)
        #expect(one[2].name != other[2].name)
        let access = try Bench.made(Bench.item, Bench.bank, .whenUnlocked.requiring(.userPresence))
        #expect(one[1].name != access[1].name)
    }

    @Test func whatIsNoChangeIsRefused() throws {
        let name = try Bench.made()[0]
        #expect(throws: MergingError.self) {
            try PartChange(item: Bench.item, part: .label, stamp: stamp(1), replacing: [], content: nil)
        }
        #expect(throws: MergingError.self) {
            try PartChange(item: Bench.item, part: .label, stamp: stamp(1), replacing: [], content: .expiry(1))
        }
        #expect(throws: MergingError.self) {
            try PartChange(
                item: Bench.item, part: .label, stamp: stamp(1), replacing: [name.name, name.name], content: .text([]))
        }
        for part in [SharedPart.name, .access] {
            #expect(throws: MergingError.self) {
                try PartChange(item: Bench.item, part: part, stamp: stamp(1), replacing: [name.name], content: nil)
            }
        }
        let many = try (0...PartChange.mostReplaced).map { number in
            try #require(
                RevisionName(digest: Array(repeating: 0, count: 30) + [UInt8(number >> 8), UInt8(number & 255)]))
        }
        #expect(throws: MergingError.self) {
            try PartChange(item: Bench.item, part: .label, stamp: stamp(1), replacing: many, content: .text([]))
        }
    }
}
