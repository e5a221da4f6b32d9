import Circle
import Item
import Testing

@testable import Vault

/// What a compaction stands for: the records that it ends, and what others had said of them.
struct CompactedStreamTests {
    private let group: CircleGroup
    private var desk: CircleMachine { group.machines[0] }
    private var laptop: CircleMachine { group.machines[1] }

    /// The desk has set one secret so often that it compacts when it has nothing more to give out.
    init() throws {
        group = try CircleGroup("desk", "laptop", room: Room(given: 56 << 10, givenFiles: 20))
        for number in 1...8 {
            try desk.set("file", "", "\(number):" + String(repeating: "x", count: 8_000))
            try desk.sync(group.store)
        }
        try laptop.sync(group.store)
    }

    /// All records before it go, the last one too.
    @Test func theRecordRightBeforeItGoes() throws {
        try group.settle()
        let device = try desk.view().device.id
        for machine in group.machines {
            let view = try machine.view()
            let compacted = try #require(view.compacted[device])
            let left = (view.streams[device]?.counted ?? []).map(\.record.header)
            #expect(!left.isEmpty && left.allSatisfy { !compacted.covers($0.run, $0.number) })
            let standing = (view.streams[device]?.counted ?? []).filter { compacted.group.contains($0.after) }
            let first = try #require(standing.map(\.record.header).min { $0.number < $1.number })
            #expect(compacted.covers(first.run, first.number - 1) && !compacted.covers(first.run, first.number))
        }
    }

    /// A member that ends many compactions has its last four looked at. A whole one before these is none.
    @Test func onlyTheLastFourAreLookedAt() throws {
        try desk.takeIn(group.store)
        let view = try desk.view()
        let stream = try #require(view.streams[view.device.id])
        let last = Array(stream.counted.suffix(5))
        try #require(last.count == 5)
        // Nobody has so many records, and the other one stands for none.
        let broken = try StreamSummary(count: .max, said: 0, runs: [], seen: [])
        let whole = try StreamSummary(count: 0, said: 0, runs: [], seen: [])
        for (place, isFound) in [(1, true), (0, false)] {
            let found = last.indices.map { (summary: $0 == place ? whole : broken, at: last[$0]) }
            let here = CompactedStream.whole(found, in: stream, read: []).map(\.after)
            #expect(here == (isFound ? [last[place].after] : []), "\(place)")
        }
    }

    /// Who had everything before it need not say so once more.
    @Test func whoHadEverythingStillHasIt() throws {
        let (own, other) = (try desk.view().device.id, try laptop.view().device.id)
        try desk.takeIn(group.store)
        try #require(desk.view().compacted[own] == nil)
        #expect(try desk.view().hasTakenAll(other))
        for _ in 0..<2 { try desk.sync(group.store) }
        let view = try desk.view()
        let compacted = try #require(view.compacted[own])
        #expect(compacted.former.isEmpty)
        #expect(view.hasTakenAll(other))
    }
}
