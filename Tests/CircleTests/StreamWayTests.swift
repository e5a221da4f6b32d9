import Circle
import Cryptography
import Testing

/// From which heads the records of a removed device are found again (attackers 10 and 11).
struct StreamWayTests {
    private let device: StreamFixture
    private let ends: [RunEnd]
    private let segments: [RecordSegment]
    /// The records up to the fifth of ten.
    private let kept: Set<ChainHash>

    init() throws {
        device = try StreamFixture()
        let (records, ends) = try device.written(1, count: 10)
        self.ends = ends
        segments = [try RecordSegment(before: ends[0].chain, records: records)]
        kept = Set(ends[1...5].map(\.chain))
    }

    private func needed(_ places: [Int], beside known: [Int] = []) throws -> [Int] {
        let (heads, known) = try (places.map { try device.head(ends[$0]) }, known.map { try device.head(ends[$0]) })
        let stream = try device.judged(heads + known, segments)
        let needed = stream.needed(of: heads, beside: known, to: kept)
        return needed.compactMap { head in places.first { ends[$0] == head.head.end } }
    }

    @Test func theLastHeadWithinIsEnough() throws {
        #expect(try needed([2, 5, 3, 10]) == [5])
        #expect(try needed([2, 3], beside: [5]) == [])
        #expect(try needed([2, 4], beside: [3]) == [4])
    }

    /// It would lead nowhere, because the records before it are not kept. Nor does it stand for others.
    @Test func noHeadBehindThemIsNeeded() throws {
        #expect(try needed([6, 10]) == [])
        #expect(try needed([4], beside: [10]) == [4])
    }

    /// Of a fork, each branch has a head of its own.
    @Test func eachBranchIsFound() throws {
        let (records, others) = try device.written(1, count: 2, text: 1)
        let branch = try RecordSegment(before: others[0].chain, records: records)
        let heads = try [device.head(ends[4]), device.head(others[2])]
        let stream = try device.judged(heads, segments + [branch])
        let found = stream.needed(of: heads, beside: [], to: kept.union(others[1...].map(\.chain)))
        #expect(Set(found) == Set(heads))
    }

    @Test func headsAreFoundByTheirPlaces() throws {
        let heads = try [2, 5, 10].map { try device.head(ends[$0]) }
        let stream = try device.judged(heads, segments)
        #expect(stream.head(at: ends[5].chain) == heads[1] && stream.head(at: ends[4].chain) == nil)
        #expect(stream.lastHead(within: kept) == heads[1])
        #expect(stream.lastHead(within: [ends[1].chain]) == nil)
        // One behind a record that is missing proves nothing.
        #expect(try device.judged(heads, []).head(at: ends[5].chain) == nil)
    }

    /// It signs heads that say something else of what it has written: another number, another beginning, or a run that
    /// begins at a place that is none. What it has said counts all the same.
    @Test func aHeadThatLiesTakesNothingAway() throws {
        let (later, laterEnds) = try device.written(2, after: ends[10], count: 3)
        let all = segments + [try RecordSegment(before: laterEnds[0].chain, records: later)]
        let end = laterEnds[3]
        let head = try device.head(end, after: ends[10])
        let place = try #require(RunEnd(run: end.run, number: 99, chain: end.chain))
        let (_, others) = try device.written(3, after: place, count: 1)
        let lies = [
            try device.head(place, after: ends[10], time: 9), try device.head(end, after: ends[4], time: 9),
            try device.head(end, time: 9), try device.head(others[1], after: place, time: 9),
        ]
        for (number, lie) in lies.enumerated() {
            for heads in everyOrder([head, lie]) {
                let stream = try device.judged(heads, all)
                #expect(stream.counted.count == 13 && stream.leading(to: [end]).count == 13, "\(number)")
            }
        }
        let stream = try device.judged([head, lies[0]], all)
        #expect(stream.newest == head && stream.head(at: end.chain) == head)
        #expect(stream.needed(of: [lies[0], head], beside: [], to: stream.chains) == [head])
        #expect(stream.needed(of: [head], beside: [lies[0]], to: stream.chains) == [head])
    }
}
