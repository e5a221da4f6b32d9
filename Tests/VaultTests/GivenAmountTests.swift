import Circle
import Testing

@testable import Vault

/// When a device looks whether the others need all that it gave out, and whether a compaction is worth it.
struct GivenAmountTests {
    private static let room = Room(given: 1000, givenFiles: 10)

    @Test func eachLimitIsMetExactly() {
        for (size, files, isMuch) in [(999, 9, false), (1000, 0, true), (0, 10, true)] {
            #expect(GivenAmount(size: size, files: files).isMuch(Self.room) == isMuch, "\(size) \(files)")
        }
    }

    /// A compaction that was not worth it is tried again once there is a quarter more, of bytes or of files.
    @Test func aQuarterMoreIsMore() {
        let tried = GivenAmount(size: 80, files: 8)
        for (size, files, isMore) in [(80, 8, false), (99, 9, false), (100, 9, true), (99, 10, true)] {
            #expect(GivenAmount(size: size, files: files).isMore(than: tried) == isMore, "\(size) \(files)")
        }
    }

    /// Half of the bytes is worth it. Half of the files is, too, if there are many.
    @Test func halfIsWorthIt() {
        let (few, many) = (GivenAmount(size: 100, files: 8), GivenAmount(size: 100, files: 10))
        for (size, files, isHalfOfFew, isHalfOfMany) in [
            (50, 8, true, true), (51, 4, false, true), (51, 5, false, true), (51, 6, false, false),
        ] {
            let new = GivenAmount(size: size, files: files)
            #expect(new.isHalf(of: few, Self.room) == isHalfOfFew, "\(size) \(files)")
            #expect(new.isHalf(of: many, Self.room) == isHalfOfMany, "\(size) \(files)")
        }
    }

    /// There is nothing that one file could become, however much it counts.
    @Test func aSingleFileIsNotGivenOutAgain() throws {
        let desk = try CircleMachine("desk", room: Room(given: 8 << 20, givenFiles: 1))
        try desk.found()
        _ = try desk.vault.takeIn(heads: [], segments: [], desk.classKeys)
        let isSilent = try desk.vault.giveOut(heads: [], desk.classKeys) == nil
        #expect(isSilent)
    }

    /// A device repeats itself once half of what it has said is past, and not before.
    @Test func halfOfTheChangesMustBePast() throws {
        let desk = try CircleMachine("desk", room: Room(given: 0))
        try desk.found()
        let own = try desk.view().device.id
        for name in ["a", "b", "c"] { try desk.set(name, "", "1") }
        /// What the desk gives out once nothing waits.
        func next() throws -> PreparedRecords? {
            _ = try desk.vault.takeIn(heads: [], segments: [], desk.classKeys)
            let waiting = try #require(try desk.vault.giveOut(heads: [], desk.classKeys))
            try desk.commit(waiting)
            return try desk.vault.giveOut(heads: [], desk.classKeys)
        }
        var counts: [(all: Int, present: Int)] = []
        var shorter = try next()
        while shorter == nil, counts.count < 20 {
            counts.append(try desk.view().state.count(of: own))
            // Long values make a compaction worth it in any case.
            try desk.set("a", "", "\(counts.count):" + String(repeating: "x", count: 60_000))
            shorter = try next()
        }
        let last = try desk.view().state.count(of: own)
        #expect(shorter != nil && last.present * 2 == last.all)
        #expect(counts.count > 1 && counts.allSatisfy { $0.present * 2 > $0.all })
    }
}
