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
