import Circle

/// What this vault has taken in, and what it keeps of it.
extension CircleView {
    /// Whether an end is behind all that its device has said, apart from what it has taken in itself.
    func isEndOfAll(_ end: RunEnd, of device: WriterID) -> Bool {
        end.number >= max(lastSaid[device] ?? 0, compacted[device]?.summary.said ?? 0) && isKnown(end, of: device)
    }

    /// The end of a device's stream, if this vault has taken in all up to there.
    /// - Returns: nil if a record is missing, or cannot be read.
    func takenIn(of device: WriterID) -> RunEnd? {
        guard let stream = streams[device], gaps(of: device).isEmpty,
            stream.counted.allSatisfy({ read.contains($0.after) })
        else { return nil }
        return stream.newest?.head.end
    }

    /// How many records the heads of another member announce that are not here. A store that gives its heads and withholds
    /// or damages its files is known by this.
    func missing(of device: WriterID) -> Int {
        let gaps = gaps(of: device)
        guard device != self.device.id, !gaps.isEmpty else { return 0 }
        let numbers = Set((streams[device]?.counted ?? []).map(\.record.header.number)).sorted()
        return gaps.reduce(0) { count, gap in
            // What it no longer gives out is not missed.
            let first = max(gap.numbers.lowerBound, (compacted[device]?.ends[gap.run] ?? 0) + 1)
            guard first <= gap.numbers.upperBound else { return count }
            // A run goes on with the numbers of the one before. If it is not known where, these are no gap.
            let others = Self.count(of: first...gap.numbers.upperBound, in: numbers)
            let missing = Int(clamping: gap.numbers.upperBound - first) - others
            return min(count + max(missing, 0) + 1, Self.mostMissing)
        }
    }

    /// How many of these numbers a list has.
    /// - Parameter numbers: sorted, each once.
    private static func count(of range: ClosedRange<UInt64>, in numbers: [UInt64]) -> Int {
        func place(_ isBefore: (UInt64) -> Bool) -> Int {
            var (low, high) = (0, numbers.count)
            while low < high {
                let middle = low + (high - low) / 2
                if isBefore(numbers[middle]) { low = middle + 1 } else { high = middle }
            }
            return low
        }
        return place { $0 <= range.upperBound } - place { $0 < range.lowerBound }
    }

    /// A head can announce any number. More are not counted.
    private static let mostMissing = 1 << 53

    /// How many records wait: for a key, for others, or for a later version, and those that have not come.
    var waiting: Int {
        let missing = membership.members.reduce(0) { min($0 + self.missing(of: $1.keys.device), Self.mostMissing) }
        return unread + state.waits.count + missing
    }

    /// Which of these segments are not what their devices have written, by their places. A head leads to another record
    /// there, or another one counts already. Of a fork, nobody can tell.
    func unfit(_ segments: [KnownSegment]) -> [Int] {
        var known: [WriterID: [RunID: Set<UInt64>]] = [:]
        return segments.indices.filter { place in
            let segment = segments[place]
            guard let stream = streams[segment.device], !stream.forked.contains(segment.run),
                !segment.records.allSatisfy({ stream.has($0.after) })
            else { return false }
            if known[segment.device] == nil { known[segment.device] = settled(of: segment.device, stream) }
            let numbers = known[segment.device]?[segment.run] ?? []
            return segment.records.contains { !stream.has($0.after) && numbers.contains($0.header.number) }
        }
    }

    /// The numbers of each run of a device for which one record is the right one: those that count, and the ends of gaps.
    private func settled(of device: WriterID, _ stream: DeviceStream) -> [RunID: Set<UInt64>] {
        var numbers: [RunID: Set<UInt64>] = [:]
        for one in stream.counted { numbers[one.record.header.run, default: []].insert(one.record.header.number) }
        for gap in gaps(of: device) { numbers[gap.run, default: []].insert(gap.numbers.upperBound) }
        return numbers
    }

    /// Items in the order in which their values were given out. Who takes in all of them then has the values of one record
    /// in memory, and not those of all.
    func inOrderOfRecords(_ items: [SharedItem]) -> [SharedItem] {
        let recorded = items.indices.map { place in (record: record(of: items[place]), place: place) }
        return recorded.sorted {
            guard let one = $0.record, let other = $1.record else {
                // Those that were not given out yet come last.
                return $0.record == nil ? $1.record == nil && $0.place < $1.place : true
            }
            guard one == other else {
                // Of a fork, two records have one number.
                return (one.header.device, one.header.number, one.after)
                    < (other.header.device, other.header.number, other.after)
            }
            return $0.place < $1.place
        }.map { items[$0.place] }
    }

    /// The record with the value of an item's first field; nil if it was not given out yet.
    func record(of item: SharedItem) -> KnownRecord? {
        item.parts.first(where: \.isField).flatMap(item.shown).flatMap { places[$0.name] }
    }

    /// The records of a device that the vault keeps: all that count and that the device still gives out, and of a removed
    /// device those that have an effect.
    func whatIsKept(of device: WriterID) -> Set<KnownRecord> {
        let outdated = outdated(of: device)
        let counted = (streams[device]?.counted ?? []).filter { !outdated.contains($0.after) }
        guard membership.others.contains(device) else { return Set(counted.map(\.record)) }
        let kept = whatCounts(of: device)
        return Set(counted.filter { kept.contains($0.after) }.map(\.record))
    }

    /// What the vault has of each other device's stream. Of a removed one it keeps what it had merged, and nothing else. It
    /// will name that, so nothing of it goes until it has. One that may only read names nothing.
    var mergedEnds: [WriterID: RunEnd] {
        guard role?.mayWrite == true else { return [:] }
        let others = streams.keys.filter { $0 != device.id }
        return Dictionary(others.compactMap { id in lastMerged(of: id)?.end.map { (id, $0) } }) { first, _ in first }
    }

    /// The last record of a device that this vault has merged. Of a removed one that is what its own heads lead to, and
    /// those that writers pass on. A reader could pass on one behind what a file has besides.
    private func lastMerged(of device: WriterID) -> DeviceStream.Counted? {
        guard let stream = streams[device] else { return nil }
        func last(_ counted: [DeviceStream.Counted]) -> DeviceStream.Counted? {
            counted.max { $0.record.header.number < $1.record.header.number }
        }
        guard membership.others.contains(device) else { return last(stream.counted) }
        let led = stream.leading(to: (ownEnds[device] ?? []) + headsPassedByMembers(of: device).map(\.head.end))
        return last(stream.counted.filter { led.contains($0.after) })
    }

    /// The ends of removed devices' streams that this vault has merged and no member has named yet. It names them once,
    /// so that the others merge as much.
    var unnamed: [SeenEnd] {
        membership.others.compactMap { device in
            guard device != self.device.id, let last = lastMerged(of: device),
                !whatCounts(of: device).contains(last.after), let end = last.end
            else { return nil }
            return SeenEnd(device, end)
        }
    }

    /// How records name ends of removed devices: with the heads that these have signed there. So everybody finds what
    /// counts, also if these devices say more later, or if a store hides something of them.
    func naming(_ ends: [SeenEnd]) -> [RecordBody] {
        guard !ends.isEmpty else { return [] }
        return [.seen(ends)]
            + ends.compactMap { end in streams[end.device]?.head(at: end.end.chain).map(RecordBody.head) }
    }

    /// The heads of a device that members pass on. What these members say is kept.
    func headsPassedByMembers(of device: WriterID) -> [SignedHead] {
        let members = Set(membership.members.filter(\.role.mayWrite).map(\.keys.device))
        return (passed[device] ?? [:]).filter { !members.isDisjoint(with: $0.value) }.map(\.key)
    }

    /// The head by which others find what a device has said: its newest one, and of a removed device the last one that
    /// counts.
    func headToShow(of device: WriterID) -> SignedHead? {
        guard let stream = streams[device] else { return nil }
        guard membership.others.contains(device) else { return stream.newest }
        return stream.lastHead(within: whatCounts(of: device)) ?? stream.newest
    }

    /// Whether something that counts of a removed device is not here. What seems to be deleted can be in it.
    var lacksOfRemoved: Bool {
        let writers = membership.members.filter(\.role.mayWrite).map(\.keys.device)
        return membership.others.contains { device in
            guard !readers.contains(device) else { return false }
            return writers.flatMap { vouched.ends(by: $0, of: device) }.contains { end in
                !(streams[device]?.has(end.chain) ?? false)
                    && !(compacted[device]?.covers(end.run, end.number) ?? false)
            }
        }
    }
}
