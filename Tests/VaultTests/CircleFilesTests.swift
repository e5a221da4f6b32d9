import Circle
import Testing

@testable import Vault

/// Which files a vault gives to a store, asks it for, puts back and takes away.
struct CircleFilesTests {
    private let store = CircleStore()
    private let desk: CircleMachine
    private let laptop: CircleMachine
    private let own: WriterID

    init() throws {
        desk = try CircleMachine("desk", room: Room(given: 56 << 10))
        laptop = try CircleMachine("laptop", clock: 1_800_000_500_000)
        try desk.found()
        try desk.put(store)
        try laptop.join(desk)
        own = try desk.view().device.id
        for machine in [desk, laptop, desk] { try machine.sync(store) }
    }

    private func fill(_ numbers: ClosedRange<Int>) throws {
        for number in numbers {
            try desk.set("file", "", "\(number):" + String(repeating: "x", count: 8_000))
            try desk.sync(store)
        }
        for machine in [laptop, desk] { try machine.takeIn(store) }
    }

    /// The lengths of segments among some files.
    private func sizes(_ files: [(path: StorePath, content: [UInt8])]) -> [Int] {
        files.compactMap { if case .segment = $0.path { $0.content.count } else { nil } }
    }

    /// The courier has room for so many bytes, and gets as many files as fit.
    @Test func aFileThatFitsToTheByteIsGiven() throws {
        try fill(1...3)
        let (all, hasMore) = try desk.vault.files(lacking: [], heads: [], room: .max)
        let sizes = sizes(all)
        #expect(!hasMore && sizes.count > 2 && all.count == sizes.count + 1)
        let room = sizes.reduce(0, +)
        let whole = try desk.vault.files(lacking: [], heads: [], room: room)
        #expect(!whole.hasMore && whole.files.count == all.count)
        let part = try desk.vault.files(lacking: [], heads: [], room: room - 1)
        #expect(part.hasMore && part.files.count == sizes.count - 1)
        let one = try desk.vault.files(lacking: [], heads: [], room: 0)
        #expect(one.hasMore && one.files.count == 1)
    }

    @Test func aLostFileThatFitsToTheByteIsPutBack() throws {
        try fill(1...3)
        func lost(_ room: Int) throws -> (files: [(path: StorePath, content: [UInt8])], hasMore: Bool) {
            try laptop.vault.lostFiles(of: own, lacking: [], hasHead: false, room: room, laptop.classKeys)
        }
        let (all, hasMore) = try lost(.max)
        let sizes = sizes(all)
        #expect(!hasMore && sizes.count > 2 && all.count == sizes.count + 1)
        let whole = try lost(sizes.reduce(0, +))
        #expect(!whole.hasMore && whole.files.count == all.count)
        let part = try lost(sizes.reduce(0, +) - 1)
        #expect(part.hasMore && part.files.count == sizes.count - 1)
    }

    /// The desk would only write again what it has taken away. And the laptop asks for nothing that the desk has ended,
    /// down to the last file before the compaction.
    @Test func whatACompactionEndsIsTakenAwayOnceAndNotAskedForAgain() throws {
        try fill(1...10)
        let old = store.files
        let prepared = try #require(try desk.vault.giveOut(heads: store.heads, desk.classKeys))
        try desk.commit(prepared)
        try #require(desk.view().compacted[own] != nil)
        try desk.put(store)
        func ended() throws -> [StorePath] {
            try desk.vault.endedFiles(among: store.names, heads: store.heads, desk.classKeys)
        }
        #expect(try ended().isEmpty, "the vault still has them")
        _ = try desk.vault.takeIn(heads: [], segments: [], desk.classKeys)
        let gone = try ended()
        #expect(gone.count > 9)
        // From then on, the store has the segments that the vault has, and no other one of it.
        func isOwn(_ path: StorePath) -> Bool { if case .segment(_, own, _, _) = path { true } else { false } }
        let kept = try desk.vault.files(lacking: [], heads: [], room: .max).files.map(\.path).filter(isOwn)
        #expect(Set(store.names.filter(isOwn)).subtracting(gone) == Set(kept))
        // Somebody else puts a file before and one behind all others.
        let device = try desk.view().device
        let end = try #require(device.end)
        let foreign = [0, end.number + 1].map { number in
            StorePath.segment(circle: device.circle, device: own, number: number, run: end.run)
        }
        let again = try desk.vault.endedFiles(among: store.names + foreign, heads: store.heads, desk.classKeys)
        #expect(again.filter { !foreign.contains($0) } == gone && !again.contains(foreign[1]))
        for path in gone { store.files[path] = nil }
        try laptop.sync(store)
        try #require(laptop.view().isOutdated(own))
        store.files.merge(old) { new, _ in new }
        func wanted() throws -> [StorePath] {
            try laptop.vault.wanted(store.names, heads: store.heads, laptop.classKeys)
        }
        #expect(Set(store.names).isSuperset(of: gone))
        #expect(try wanted().isEmpty)
        let before = Set(store.names)
        try desk.set("other", "", "new")
        _ = try desk.vault.takeIn(heads: [], segments: [], desk.classKeys)
        try desk.commit(#require(try desk.vault.giveOut(heads: [], desk.classKeys)))
        try desk.put(store)
        #expect(try Set(wanted()) == Set(store.names).subtracting(before))
    }

    /// The desk was started anew behind a compaction, and the store withholds what it gave out since. Nothing but the
    /// compaction's own head leads to the compaction then.
    @Test func aHeadThatLeadsToACompactionIsKept() throws {
        try fill(1...10)
        try desk.commit(#require(try desk.vault.giveOut(heads: store.heads, desk.classKeys)))
        try #require(desk.view().compacted[own] != nil)
        try desk.put(store)
        let segments = store.names.compactMap { store.files[$0] }
        _ = try laptop.vault.takeIn(heads: store.heads, segments: [], laptop.classKeys)
        try desk.reopen()
        try desk.set("other", "", "new")
        _ = try desk.vault.takeIn(heads: [], segments: [], desk.classKeys)
        try desk.commit(#require(try desk.vault.giveOut(heads: store.heads, desk.classKeys)))
        try desk.put(store)
        _ = try laptop.vault.takeIn(heads: store.heads, segments: segments, laptop.classKeys)
        let view = try laptop.view()
        #expect(view.compacted[own] != nil && view.streams[own]?.counted.isEmpty == false)
        try laptop.sync(store)
        #expect(try laptop.get("other") == "new")
    }
}
