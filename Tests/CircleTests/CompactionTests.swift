import Circle
import Item
import Testing

@testable import Simulation

/// A writer leaves changes out. A machine that joins later comes to the same state by the others.
struct CompactionTests {
    /// A store that has each writer's changes, some of them no longer.
    private struct Streams {
        var given: [[PartChange]]
        var past: Set<UInt64> = []

        init(devices: Int) { given = Array(repeating: [], count: devices) }

        var state: SharedState {
            var state = SharedState(past: past)
            _ = state.take(all: given.joined().sorted { $0.name < $1.name })
            return state
        }

        /// - Returns: how many changes are no longer given out.
        mutating func compact(_ device: Int, knowing changes: [PartChange], now: UInt64) throws -> Int {
            var state = SharedState(past: past)
            _ = state.take(all: changes)
            let writer = WriterID(number: UInt64(device))
            let compaction = try Compaction(of: given[device], in: state, by: writer, now: now)
            given[device].removeAll { compaction.past.contains($0.name) }
            given[device] += compaction.covers
            past.formUnion(compaction.past.map(\.number))
            return compaction.past.count
        }
    }

    private static func value(_ number: UInt64, _ access: AccessControl = .whenUnlocked) throws -> SealedField {
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: number >> (4 * UInt64($0))) }
        return try #require(SealedField(revision: bytes, digest: bytes + bytes, access: access))
    }

    /// A change of an item by somebody who has this state.
    private static func change(
        _ writer: PartWriter, _ state: SharedState, _ choices: inout Choices, _ number: UInt64
    ) throws -> [PartChange] {
        let items = state.items
        guard !items.isEmpty, choices.next(below: 8) > 0 else {
            let name = ItemName(service: ["bank", "shop", "mail"][choices.next(below: 3)], account: "")
            return try writer.create(
                SharedItemID(number: number &* 0x9E37_79B9_7F4A_7C15), name, .whenUnlocked,
                [(.secret, value(number))])
        }
        let item = items[choices.next(below: items.count)]
        switch choices.next(below: 12) {
        case 0...5: return [try writer.set(.field(.secret), of: item, to: .value(value(number)))]
        case 6: return [try writer.set(.field(.notes), of: item, to: .value(value(number)))]
        case 7: return [try writer.set(.label, of: item, to: .text([UInt8(number & 127)]))]
        case 8: return try writer.bin(item, days: 30)
        case 9: return try writer.restore(item)
        case 10: return try writer.delete(item)
        default: return [try writer.rename(item, to: ItemName(service: "shop", account: ""))]
        }
    }

    @Test(arguments: UInt64(1)...60) func whoComesLaterMakesTheSameOfTheRest(seed: UInt64) throws {
        var choices = Choices(seed: seed, count: 2_000)
        let devices = 3
        var (all, had) = ([PartChange](), Array(repeating: [PartChange](), count: devices))
        var streams = Streams(devices: devices)
        var (number, ended) = (UInt64(0), 0)
        for _ in 0..<120 {
            number += 1
            let device = choices.next(below: devices)
            switch choices.next(below: 6) {
            case 0...3:
                let state = SharedState(had[device])
                let writer = PartWriter(state, writer: WriterID(number: UInt64(device)), now: number * 10)
                let made = try Self.change(writer, state, &choices, number)
                all += made
                had[device] += made
                streams.given[device] += made
            case 4: had[device] = all
            default:
                let known = had[device] + streams.given[device]
                ended += try streams.compact(device, knowing: known, now: number * 10)
            }
        }
        let (whole, rest) = (SharedState(all), streams.state)
        #expect(try rest.digest == whole.digest)
        #expect(rest.items.map(Shown.init) == whole.items.map(Shown.init))
        #expect(rest.waits.isEmpty)
        // Once all have everything, each gives out little more than what is present.
        for device in 0..<devices { ended += try streams.compact(device, knowing: all, now: 10_000) }
        #expect(try streams.state.digest == whole.digest)
        #expect(ended > 0)
    }

    /// A list can name what is here still. Then nothing is different, in every order.
    @Test func aListOfWhatIsHereChangesNothing() throws {
        var bench = Bench(devices: 1, having: try Bench.made())
        for value in UInt8(2)...4 {
            try bench.act(0, at: UInt64(value) * 10) { writer, state in
                try [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(value)))]
            }
        }
        let (past, digest) = (Set(bench.changes.map(\.name.number)), try SharedState(bench.changes).digest)
        // What the first value was replaced by, and all of them.
        for listed in [past, Set(bench.changes.dropFirst(3).map(\.name.number))] {
            for order in Orders(bench.changes) { #expect(try SharedState(order, past: listed).digest == digest) }
        }
        // What comes late was gone.
        var state = SharedState(Array(bench.changes.dropFirst(3)), past: past)
        let first = state.items.count
        _ = state.take(all: bench.changes)
        #expect(first == 0 && state.items.count == 1)
    }

    @Test func aValueThatWasReplacedIsNoLongerGivenOut() throws {
        var bench = Bench(devices: 1, having: try Bench.made())
        for value in UInt8(2)...20 {
            try bench.act(0, at: UInt64(value)) { writer, state in
                try [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(value)))]
            }
        }
        let compaction = try Compaction(
            of: bench.changes, in: bench.states[0], by: WriterID(number: 0), now: 100)
        #expect(compaction.past.count == 19)
        #expect(compaction.covers.isEmpty, "nobody else had written")
        let rest = bench.changes.filter { !compaction.past.contains($0.name) }
        #expect(rest.count == 3, "name, access control and the last value")
    }

    /// The laptop's value was replaced by one that is replaced, too. The laptop still gives its own out.
    @Test func whatSomebodyElseStillGivesOutStaysReplaced() throws {
        var bench = Bench(devices: 2, having: try Bench.made(by: 1))
        for value in UInt8(2)...3 {
            try bench.act(0, at: UInt64(value) * 10) { writer, state in
                try [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(value)))]
            }
        }
        let own = bench.changes.filter { $0.stamp.writer == WriterID(number: 0) }
        let compaction = try Compaction(of: own, in: bench.states[0], by: WriterID(number: 0), now: 100)
        #expect(compaction.past == [own[0].name])
        #expect(compaction.covers.count == 1)
        let past = Set(compaction.past.map(\.number))
        let rest = bench.changes.filter { !compaction.past.contains($0.name) }
        #expect(try SharedState(rest + compaction.covers, past: past).digest == bench.states[0].digest)
        #expect(try SharedState(rest, past: past).digest != bench.states[0].digest, "without it, it would be back")
        // What is there for somebody else's change stays, so the next compaction finds nothing.
        let left = own.filter { !compaction.past.contains($0.name) } + compaction.covers
        let state = SharedState(rest + compaction.covers, past: past)
        let next = try Compaction(of: left, in: state, by: WriterID(number: 0), now: 200)
        #expect(next.past.isEmpty && next.covers.isEmpty)
    }

    @Test func valuesOfItemsThatAskedSomebodyStay() throws {
        let presence = AccessControl.whenUnlocked.requiring(.userPresence)
        var bench = Bench(devices: 1, having: try Bench.made())
        try bench.act(0, at: 5) { writer, state in
            try writer.guardItem(#require(state.items.first), by: presence)
                + [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(2, presence)))]
        }
        try bench.act(0, at: 6) { writer, state in
            try writer.guardItem(#require(state.items.first), by: .whenUnlocked)
                + [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(3)))]
        }
        let compaction = try Compaction(of: bench.changes, in: bench.states[0], by: WriterID(number: 0), now: 100)
        #expect(compaction.past.isEmpty)
    }

    /// A change with a stamp that is too low has no effect. Without what it names, nobody could tell.
    @Test func whatIsInDoubtStays() throws {
        var bench = Bench(devices: 1, having: try Bench.made())
        try bench.act(0, at: 50) { writer, state in
            try [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(2)))]
        }
        let second = try #require(bench.changes.last)
        try bench.act(0, at: 60) { writer, state in
            try [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(3)))]
        }
        let forged = try PartChange(
            item: Bench.item, part: .field(.secret),
            stamp: #require(PartStamp(clock: 20, writer: WriterID(number: 1))), replacing: [second.name],
            content: .value(Bench.value(9)))
        var state = bench.states[0]
        #expect(state.take(forged) == .merged)
        let compaction = try Compaction(of: bench.changes, in: state, by: WriterID(number: 0), now: 100)
        #expect(!compaction.past.contains(second.name))
        let rest = bench.changes.filter { !compaction.past.contains($0.name) } + compaction.covers + [forged]
        #expect(try SharedState(rest, past: Set(compaction.past.map(\.number))).digest == state.digest)
    }

    /// Somebody was away and changes what he had. Both changes stay, as if nothing had ended.
    @Test func aChangeOfWhatHasEndedIsConcurrent() throws {
        var bench = Bench(devices: 2, having: try Bench.made())
        for value in UInt8(2)...3 {
            try bench.act(0, at: UInt64(value) * 10) { writer, state in
                try [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(value)))]
            }
        }
        let compaction = try Compaction(of: bench.changes, in: bench.states[0], by: WriterID(number: 0), now: 100)
        try bench.act(1, at: 70) { writer, state in
            try [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(7)))]
        }
        let whole = SharedState(bench.changes)
        let rest = bench.changes.filter { !compaction.past.contains($0.name) }
        let past = Set(compaction.past.map(\.number))
        #expect(compaction.past.count == 2)
        #expect(try SharedState(rest, past: past).digest == whole.digest)
        #expect(SharedState(rest, past: past).items.first?.revisions(of: .field(.secret)).count == 2)
        #expect(SharedState(rest).waits.count == 2, "otherwise both wait for ever")
    }
}
