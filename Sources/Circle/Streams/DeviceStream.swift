/// Which of a device's records count: a function of the set of its heads and segments. The order in which they arrive
/// decides nothing (docs/sync-format.md, “When a record counts”).
package struct DeviceStream: Sendable {
    /// A record that counts, with the chain hash after it.
    package struct Counted: Hashable, Sendable {
        package let record: KnownRecord
        package let after: ChainHash

        /// The end of a run that has this record last.
        package var end: RunEnd? { RunEnd(run: record.header.run, number: record.header.number, chain: after) }
    }

    /// Numbers that a head leads past and that are missing.
    package struct Gap: Hashable, Sendable {
        package let run: RunID
        package let numbers: ClosedRange<UInt64>
    }

    /// For each record that counts, by the chain hash after it: the one before, or where the run before was left.
    private var before: [ChainHash: ChainHash] = [:]
    /// Sorted by run and number. Of a forked run, one branch comes after the other, the longest one first.
    package private(set) var counted: [Counted] = []
    /// Sorted by run and first number.
    package private(set) var gaps: [Gap] = []
    /// Runs that have two branches with well-signed heads, sorted. One is enough to suspend the device.
    package private(set) var forked: [RunID] = []
    /// Ends at which a run was left and another one begun, and that the former went past or two begin at. The vault was
    /// rolled back, or copied. Sorted by run and number.
    package private(set) var leftBehind: [RunEnd] = []
    /// The newest head that counts, by number, time and bytes.
    package private(set) var newest: SignedHead?
    /// The heads that stand behind a record that counts, by the chain hash there.
    private var heads: [ChainHash: SignedHead] = [:]

    package var isSuspended: Bool { !forked.isEmpty }

    /// - Parameter keys: the device's.
    /// - Throws: `.hash`.
    package init(
        of keys: MemberKeys, in circle: StatementName, heads: [SignedHead], segments: [KnownSegment]
    ) throws(CircleFormError) {
        let signed = heads.filter { $0.head.circle == circle && $0.isSigned(by: keys) }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        // What has this chain hash after it. A hash belongs to one record and one place, so junk is found by no head.
        var links: StreamWays.Links = [:]
        // Of two files that have a record, the longer one is read for it. So a store that puts parts of a file beside it does
        // not have the whole read again and again.
        for segment in segments.sorted(by: { $0.records.count > $1.records.count })
        where segment.circle == circle && segment.device == keys.device {
            var chain = segment.before
            for record in segment.records {
                if links[record.after] == nil { links[record.after] = (chain, record) }
                chain = record.after
            }
        }
        // One that gives a record's chain hash to another place leads nowhere.
        let good = signed.filter { Self.isFit($0.head.end, links) }
        newest = good.max { one, other in
            (one.head.end.number, one.head.time) < (other.head.end.number, other.head.time)
        }
        let ways = try StreamWays(of: keys.device, in: circle, good.map(\.head), links)
        for run in ways.all.keys.sorted() { take(run, ways.all[run] ?? [], links) }
        findWhatWasLeft(ways)
        for head in good where before[head.head.end.chain] != nil { self.heads[head.head.end.chain] = head }
    }

    /// Whether a record with this chain hash after it has this run and number, as far as it is here.
    private static func isFit(_ end: RunEnd, _ links: StreamWays.Links) -> Bool {
        guard let header = links[end.chain]?.record.header else { return true }
        return header.run == end.run && header.number == end.number
    }

    /// Whether a head stands behind a record that counts, and gives its run and number.
    private func stands(_ head: SignedHead) -> Bool { heads[head.head.end.chain]?.head.end == head.head.end }

    /// The head that the device has signed behind a record that counts; nil if there is none.
    package func head(at chain: ChainHash) -> SignedHead? { heads[chain] }

    /// The last of the heads that stand behind one of these records; nil if none does.
    package func lastHead(within records: Set<ChainHash>) -> SignedHead? {
        heads.filter { records.contains($0.key) }.values.max {
            ($0.head.end.number, $0.head.end.chain) < ($1.head.end.number, $1.head.end.chain)
        }
    }

    /// The chain hashes of the records that lead to one of these ends, those included.
    package func leading(to ends: [RunEnd]) -> Set<ChainHash> {
        var leading: Set<ChainHash> = []
        for end in ends { lead(to: end, &leading) }
        return leading
    }

    /// Adds the records that lead to an end to others, up to one that is among these.
    private func lead(to end: RunEnd, _ led: inout Set<ChainHash>) {
        var next = Optional(end.chain)
        while let chain = next, before[chain] != nil, led.insert(chain).inserted { next = before[chain] }
    }

    /// The chain hashes after the records that count.
    package var chains: Set<ChainHash> { Set(before.keys) }

    /// Whether a record that counts has this chain hash after it.
    package func has(_ chain: ChainHash) -> Bool { before[chain] != nil }

    /// The chain hashes of so many records up to a place, without the one there; nil if one of them is not here.
    package func chains(_ count: Int, before end: ChainHash) -> [ChainHash]? {
        var chains: [ChainHash] = []
        var next = before[end]
        while chains.count < count {
            guard let chain = next, before[chain] != nil else { return nil }
            chains.append(chain)
            next = before[chain]
        }
        return chains
    }

    /// The heads that prove nothing beside the others of their run: the newest one, or a longer one behind a gap, leads to all
    /// that they lead to. Without the others, what was taken in before a gap would no longer count. Of a fork, each head is
    /// proof.
    package func outdated(among heads: [SignedHead]) -> [SignedHead] {
        guard let newest, !forked.contains(newest.head.end.run) else { return [] }
        var outdated: [SignedHead] = []
        for (run, heads) in Dictionary(grouping: heads, by: \.head.end.run) where !forked.contains(run) {
            let isNewest = run == newest.head.end.run
            var led = leading(to: isNewest ? [newest.head.end] : [])
            for head in heads.sorted(by: { $0.head.end.number > $1.head.end.number }) where head != newest {
                // Without the record at its own end, a head leads nowhere.
                if stands(head) ? led.contains(head.head.end.chain) : isNewest {
                    outdated.append(head)
                } else {
                    lead(to: head.head.end, &led)
                }
            }
        }
        return outdated
    }

    /// The new heads that must be kept, so that some records are found again. Of a device that was removed nothing else is
    /// kept, and a head behind a later record would lead nowhere.
    ///
    /// - Parameters:
    ///   - records: the chain hashes after the records that are kept.
    ///   - known: the heads that are here already.
    package func needed(
        of heads: [SignedHead], beside known: [SignedHead], to records: Set<ChainHash>
    ) -> [SignedHead] {
        var led = leading(to: known.filter { records.contains($0.head.end.chain) && stands($0) }.map(\.head.end))
        var needed: [SignedHead] = []
        let within = heads.filter { records.contains($0.head.end.chain) && stands($0) }
        for head in within.sorted(by: { $0.head.end.number > $1.head.end.number })
        where !led.contains(head.head.end.chain) {
            needed.append(head)
            lead(to: head.head.end, &led)
        }
        return needed
    }

    private mutating func take(_ run: RunID, _ ways: [StreamWays.Way], _ links: StreamWays.Links) {
        var taken: Set<ChainHash> = []
        // One list for each way, so that a branch of a fork is read as a whole.
        var walks: [[Counted]] = []
        var known: [UInt64: Set<ChainHash>] = [:]
        var missing: [ClosedRange<UInt64>] = []
        // Where the run begins, its first chain hash says. A head can give another number, or another beginning. It
        // takes nothing from what the others lead to.
        let starts = Dictionary(ways.compactMap(\.start).map { ($0.chain, $0) }) { first, _ in first }
        var lacking: Set<ChainHash> = []
        // Longer ones first: a shorter one that is part of another adds nothing.
        let ordered = ways.sorted {
            ($1.end.number, $0.end.chain) < ($0.end.number, $1.end.chain)
        }
        for way in ordered {
            var (chain, number) = (way.end.chain, way.end.number)
            known[number, default: []].insert(chain)
            if let start = way.start { known[start.number, default: []].insert(start.chain) }
            var walk: [Counted] = []
            let first = (way.start?.number ?? 0) + 1
            while starts[chain] == nil, !taken.contains(chain) {
                guard let link = links[chain], link.record.header.run == run, link.record.header.number == number
                else {
                    if lacking.insert(chain).inserted, number >= first { missing.append(first...number) }
                    break
                }
                taken.insert(chain)
                walk.append(Counted(record: link.record, after: chain))
                before[chain] = starts[link.before]?.predecessor?.chain ?? link.before
                (chain, number) = (link.before, number - 1)
                known[number, default: []].insert(chain)
            }
            walks.append(walk.reversed())
        }
        // A run has one chain hash at each number. All ways that lead there agree on it.
        let isForked =
            known.values.contains { $0.count > 1 } || Set(ways.compactMap { $0.start?.chain }).count > 1
        let records = walks.flatMap(\.self)
        counted += isForked ? records : records.sorted { $0.record.header.number < $1.record.header.number }
        let numbers = Set(records.map(\.record.header.number))
        gaps += Self.gaps(missing, without: numbers).map { Gap(run: run, numbers: $0) }
        if isForked { forked.append(run) }
    }

    /// What is missing below a place at which a walk ended, in order. What counts by another head's walk is not missing.
    private static func gaps(
        _ missing: [ClosedRange<UInt64>], without numbers: Set<UInt64>
    ) -> [ClosedRange<UInt64>] {
        guard let first = missing.map(\.lowerBound).min(), let last = missing.map(\.upperBound).max() else { return [] }
        var gaps: [ClosedRange<UInt64>] = []
        var next = first
        for number in numbers.sorted() where (first...last).contains(number) {
            if number > next { gaps.append(next...number - 1) }
            next = number + 1
        }
        if next <= last { gaps.append(next...last) }
        return gaps
    }

    private mutating func findWhatWasLeft(_ ways: StreamWays) {
        var followers: [RunEnd: Set<RunID>] = [:]
        for way in ways.all.values.joined() {
            if let end = way.start?.predecessor { followers[end, default: []].insert(way.end.run) }
        }
        leftBehind = followers.filter { end, followers in
            followers.count > 1 || ways.all[end.run, default: []].contains { $0.end.number > end.number }
        }.keys.sorted { ($0.run, $0.number, $0.chain) < ($1.run, $1.number, $1.chain) }
    }
}
