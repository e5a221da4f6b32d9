import Circle
import Cryptography
import Testing

/// A store cannot change which records count (attackers 10 and 11 of docs/threat-model.md).
struct StreamTests {
    private let device: StreamFixture

    init() throws { device = try StreamFixture() }

    private func segment(_ before: RunEnd, _ records: some Sequence<CircleRecord>) throws -> RecordSegment {
        try RecordSegment(before: before.chain, records: Array(records))
    }

    @Test func whatAHeadLeadsToCountsInEveryOrder() throws {
        let (records, ends) = try device.written(1, count: 5)
        let segments = [
            try segment(ends[0], records[..<2]), try segment(ends[2], records[2...]), try segment(ends[0], records),
        ]
        for order in everyOrder(segments) {
            for count in 1...3 {
                let stream = try device.judged(
                    [device.head(ends[5]), device.head(ends[2])], Array(order.prefix(count)))
                guard order.prefix(count).flatMap(\.records).count >= 5 else { continue }
                #expect(stream.numbers == [1, 2, 3, 4, 5])
                #expect(stream.gaps.isEmpty && stream.forked.isEmpty && stream.leftBehind.isEmpty)
            }
        }
    }

    @Test func nothingCountsWithoutAHead() throws {
        let (records, ends) = try device.written(1, count: 3)
        let all = try segment(ends[0], records)
        #expect(try device.judged([], [all]).counted.isEmpty)
        #expect(try device.judged([device.head(ends[2])], [all]).numbers == [1, 2])
    }

    /// The store writes a record, puts one of another place in, or makes a chain of its own.
    @Test func whatTheStoreMakesDoesNotCount() throws {
        let (records, ends) = try device.written(1, count: 3)
        let head = try device.head(ends[3])
        let (junk, _) = try device.written(1, count: 3, text: 1)
        var forged = [try segment(ends[0], junk)]
        forged.append(try segment(ends[1], [records[0], records[1], records[2]]))
        let stream = try device.judged([head], forged)
        #expect(stream.counted.isEmpty && stream.gaps.map(\.numbers) == [1...3])
        let whole = try segment(ends[0], records)
        let known = try KnownSegment(decoding: whole.bytes).records
        for order in everyOrder(forged + [whole]) {
            let stream = try device.judged([head], order)
            #expect(stream.counted.map(\.record) == known && !stream.isSuspended)
        }
    }

    /// A store puts parts of a file beside it. The file is read as a whole, not once for each of its records.
    @Test func ofTwoFilesTheLongerOneIsRead() throws {
        let (records, ends) = try device.written(1, count: 6)
        let parts = try stride(from: 0, to: 6, by: 2).map { try segment(ends[$0], [records[$0]]) }
        let whole = try segment(ends[0], records)
        let digest = try KnownSegment(decoding: whole.bytes).digest
        for order in everyOrder(parts + [whole]) {
            let stream = try device.judged([device.head(ends[6])], order)
            #expect(stream.counted.map(\.record.file) == [FileDigest](repeating: digest, count: 6))
        }
    }

    /// A member forks its run, so that two files have records of the same numbers. Each is read as a whole.
    @Test func theBranchesOfAForkAreReadOneAfterTheOther() throws {
        let (records, ends) = try device.written(1, count: 5)
        let (others, otherEnds) = try device.written(1, count: 5, text: 1)
        let stream = try device.judged(
            [device.head(ends[5]), device.head(otherEnds[5])],
            [segment(ends[0], records), segment(otherEnds[0], others)])
        #expect(stream.isSuspended && stream.counted.count == 10)
        let files = stream.counted.map(\.record.file)
        #expect(zip(files, files.dropFirst()).filter { $0.0 != $0.1 }.count == 1)
        #expect(stream.numbers == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
    }

    @Test func aHeadIsItsDevicesAndItsCircles() throws {
        let (records, ends) = try device.written(1, count: 2)
        let all = try segment(ends[0], records)
        let known = try KnownSegment(decoding: all.bytes)
        let thief = try P256.PrivateKey.generate()
        #expect(try device.judged([device.head(ends[2], by: thief)], [all]).counted.isEmpty)
        // The membership key signs statements only.
        #expect(try device.judged([device.head(ends[2], by: device.membership)], [all]).counted.isEmpty)
        let head = try device.head(ends[2])
        let other = try StreamFixture(2)
        #expect(try DeviceStream(of: other.keys, in: device.circle, heads: [head], segments: [known]).counted.isEmpty)
        #expect(try DeviceStream(of: device.keys, in: other.circle, heads: [head], segments: [known]).newest == nil)
    }

    /// T1: the same head with s and n − s, and signed again after a crash.
    @Test func anotherSignatureIsNoFork() throws {
        let (records, ends) = try device.written(1, count: 2)
        let all = try segment(ends[0], records)
        let head = try device.head(ends[2])
        let raised = SignedHead(head.head, signature: SignedStatement.other(head.signature))
        #expect(SignedStatement.lower(raised.signature) == head.signature)
        #expect(try device.judged([raised], [all]).newest == nil)
        for order in everyOrder([head, raised, try device.head(ends[2], time: 6), try device.head(ends[1])]) {
            let stream = try device.judged(order, [all])
            #expect(stream.numbers == [1, 2] && !stream.isSuspended)
            #expect(stream.newest?.head.time == 6)
        }
    }

    @Test func aGapIsNamedAndHoldsUpNothingBehindIt() throws {
        let (records, ends) = try device.written(1, count: 6)
        let heads = [try device.head(ends[6])]
        let parts = [try segment(ends[0], records[..<2]), try segment(ends[4], records[4...])]
        let stream = try device.judged(heads, parts)
        // What is before the gap has no head yet that leads to it.
        #expect(stream.numbers == [5, 6] && stream.gaps.map(\.numbers) == [1...4] && !stream.isSuspended)
        let both = try device.judged(heads + [device.head(ends[2])], parts)
        #expect(both.numbers == [1, 2, 5, 6] && both.gaps.map(\.numbers) == [3...4])
        let whole = try device.judged(heads, parts + [segment(ends[2], records[2..<4])])
        #expect(whole.numbers == [1, 2, 3, 4, 5, 6] && whole.gaps.isEmpty)
    }

    @Test func aHeadAheadOfItsRecordsIsNormal() throws {
        let (_, ends) = try device.written(1, count: 4)
        let stream = try device.judged([device.head(ends[4])], [])
        #expect(stream.gaps.map(\.numbers) == [1...4] && !stream.isSuspended && stream.leftBehind.isEmpty)
    }

    @Test func twoHeadsOfOneNumberAreAFork() throws {
        let (records, ends) = try device.written(1, count: 3)
        var chain = ends[2].chain
        let (others, otherEnds) = try device.continued(
            StreamFixture.run(1), number: 2, &chain, count: 1, text: 7)
        let heads = [try device.head(ends[3]), try device.head(otherEnds[1])]
        let segments = [try segment(ends[0], records), try segment(ends[2], others)]
        for heads in everyOrder(heads) {
            for segments in everyOrder(segments) {
                let stream = try device.judged(heads, segments)
                #expect(try stream.forked == [StreamFixture.run(1)])
                #expect(stream.numbers == [1, 2, 3, 3])
            }
            // The heads alone prove it.
            #expect(try device.judged(heads, []).isSuspended)
        }
    }

    @Test func aLongerHeadThatPassesAShorterOneByIsAFork() throws {
        let (_, ends) = try device.written(1, count: 2)
        let (others, otherEnds) = try device.written(1, count: 4, text: 7)
        let heads = [try device.head(ends[2]), try device.head(otherEnds[4])]
        // Until the records are here, nobody knows.
        #expect(try !device.judged(heads, []).isSuspended)
        #expect(try !device.judged(heads, [segment(otherEnds[3], others[3...])]).isSuspended)
        let stream = try device.judged(heads, [segment(otherEnds[0], others)])
        #expect(stream.isSuspended && stream.numbers == [1, 2, 3, 4])
    }

    /// A device that says that its run begins elsewhere than it does.
    @Test func aRunThatDoesNotBeginWhereItsHeadSaysIsAFork() throws {
        let (_, ends) = try device.written(1, count: 2)
        let (second, laterEnds) = try device.written(2, after: ends[2], count: 2)
        let records = try segment(laterEnds[0], second)
        let lie = try device.head(laterEnds[2], after: RunEnd(run: ends[2].run, number: 2, chain: ends[1].chain))
        #expect(try device.judged([lie], [records]).isSuspended)
        #expect(try !device.judged([device.head(laterEnds[2], after: ends[2])], [records]).isSuspended)
    }

    @Test func aRunGoesOnWhereTheFormerEnded() throws {
        let (first, ends) = try device.written(1, count: 2)
        let (second, laterEnds) = try device.written(2, after: ends[2], count: 2)
        let heads = [try device.head(ends[2]), try device.head(laterEnds[2], after: ends[2])]
        let stream = try device.judged(heads, [segment(ends[0], first), segment(laterEnds[0], second)])
        #expect(stream.numbers == [1, 2, 3, 4] && stream.leftBehind.isEmpty && !stream.isSuspended)
        #expect(stream.newest?.head.end == laterEnds[2])
    }

    /// The store has the newest head alone, and the head of the run before is in a record that nobody can read yet.
    @Test func theNewestHeadLeadsThroughAllRuns() throws {
        let (first, ends) = try device.written(1, count: 3)
        let (second, laterEnds) = try device.written(2, after: ends[3], count: 2)
        let (third, lastEnds) = try device.written(3, after: laterEnds[2], count: 2)
        let head = try device.head(lastEnds[2], after: laterEnds[2])
        let segments = [
            try segment(ends[0], first[..<1]), try segment(ends[1], first[1...]), try segment(laterEnds[0], second),
            try segment(lastEnds[0], third),
        ]
        let known = try segments.flatMap { try KnownSegment(decoding: $0.bytes).records }
        for order in everyOrder(segments) {
            let stream = try device.judged([head], order)
            #expect(Set(stream.counted.map(\.record)) == Set(known))
            #expect(stream.gaps.isEmpty && !stream.isSuspended && stream.leftBehind.isEmpty)
            #expect(stream.leading(to: [lastEnds[2]]).count == 7, "each record leads to the one before, in all runs")
            // With the heads of the former runs it is the same.
            let heads = [head, try device.head(laterEnds[2], after: ends[3]), try device.head(ends[3])]
            #expect(try device.judged(heads, order).counted == stream.counted)
        }
        let holes = try device.judged([head], [segments[0], segments[2], segments[3]])
        #expect(Set(holes.numbers) == [4, 5, 6, 7], "where the second run begins, its former run is missing")
        let others = try device.judged([head], [segments[1], segments[2], segments[3]])
        #expect(Set(others.numbers) == [2, 3, 4, 5, 6, 7])
        #expect(others.gaps.map(\.numbers) == [1...1])
        #expect(try device.judged([head], [segments[0], segments[1], segments[3]]).gaps.map(\.numbers) == [1...5])
    }

    /// The store makes a run that would be before this one, and a run of the device that ends elsewhere.
    @Test func aRunBeginsBehindNoOtherThanItsOwn() throws {
        let (first, ends) = try device.written(1, count: 3)
        let (second, laterEnds) = try device.written(2, after: ends[3], count: 1)
        let (third, lastEnds) = try device.written(3, after: laterEnds[1], count: 1)
        let (junk, junkEnds) = try device.written(4, count: 3, text: 7)
        let head = try device.head(lastEnds[1], after: laterEnds[1])
        let stream = try device.judged(
            [head],
            [
                segment(junkEnds[0], junk), segment(ends[0], first[..<2]), segment(laterEnds[0], second),
                segment(lastEnds[0], third),
            ])
        #expect(stream.numbers == [4, 5] && !stream.isSuspended)
    }

    @Test func aRolledBackDeviceIsNamedAndAllOfItCounts() throws {
        let (first, ends) = try device.written(1, count: 4)
        let (second, laterEnds) = try device.written(2, after: ends[2], count: 2)
        let (third, lastEnds) = try device.written(3, after: ends[2], count: 1)
        let heads = [try device.head(ends[4]), try device.head(laterEnds[2], after: ends[2])]
        let segments = [try segment(ends[0], first), try segment(laterEnds[0], second)]
        for heads in everyOrder(heads) {
            let stream = try device.judged(heads, segments)
            #expect(stream.leftBehind == [ends[2]] && !stream.isSuspended)
            #expect(stream.numbers == [1, 2, 3, 4, 3, 4])
        }
        let copied = try device.judged(
            [heads[1], device.head(lastEnds[1], after: ends[2])], segments + [segment(lastEnds[0], third)])
        #expect(copied.leftBehind == [ends[2]] && !copied.isSuspended)
    }

    // Before records are given out

    private func own(_ ends: [RunEnd], formerRuns: Set<RunID> = []) throws -> OwnStream {
        let chains = Dictionary(uniqueKeysWithValues: ends.map { ($0.number, $0.chain) })
        return OwnStream(end: try #require(ends.last), chains: chains, formerRuns: formerRuns)
    }

    private func step(_ own: OwnStream, _ heads: SignedHead...) -> OwnStream.Step {
        own.step(shown: heads, circle: device.circle, keys: device.keys)
    }

    @Test func aDeviceThatHasAllGoesOn() throws {
        let (_, ends) = try device.written(1, count: 4)
        #expect(step(try own(ends)) == .goOn)
        #expect(step(try own(ends), try device.head(ends[4]), try device.head(ends[1])) == .goOn)
    }

    /// T10: a copy of the file from before.
    @Test func aRolledBackDeviceBeginsARun() throws {
        let (_, ends) = try device.written(1, count: 4)
        let old = try own(Array(ends[...2]))
        #expect(step(old, try device.head(ends[3]), try device.head(ends[4])) == .beginRun(after: ends[4]))
        let (_, laterEnds) = try device.written(2, after: ends[4], count: 1)
        let later = try device.head(laterEnds[1], after: ends[4])
        #expect(step(old, later) == .beginRun(after: laterEnds[1]))
        #expect(step(try own(ends, formerRuns: [StreamFixture.run(2)]), later) == .goOn)
    }

    @Test func aDeviceWithACopyAsks() throws {
        let (_, ends) = try device.written(1, count: 3)
        let (_, others) = try device.written(1, count: 3, text: 7)
        #expect(step(try own(ends), try device.head(others[2])) == .ask)
        #expect(step(try own(ends), try device.head(others[2]), try device.head(ends[3])) == .ask)
    }

    @Test func aForgedHeadMakesADeviceDoNothing() throws {
        let (_, ends) = try device.written(1, count: 4)
        let (_, others) = try device.written(1, count: 4, text: 7)
        let thief = try P256.PrivateKey.generate()
        let old = try own(Array(ends[...2]))
        #expect(step(old, try device.head(ends[4], by: thief), try device.head(others[2], by: thief)) == .goOn)
    }

    @Test func aLongStreamIsJudgedInOneWalk() throws {
        let (records, ends) = try device.written(1, count: 3000)
        let segments = try stride(from: 0, to: 3000, by: 100).map {
            try segment(ends[$0], records[$0..<$0 + 100])
        }
        let heads = try stride(from: 100, through: 3000, by: 300).map { try device.head(ends[$0]) }
        let stream = try device.judged(heads + [device.head(ends[3000])], segments.reversed())
        #expect(stream.counted.count == 3000 && stream.gaps.isEmpty)
    }
}
