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
        return streams.filter { $0.key != device.id }.compactMapValues { stream in
            stream.counted.max { $0.record.header.number < $1.record.header.number }?.end
        }
    }

    /// The ends of removed devices' streams that this vault has merged and no member has named yet. It names them once,
    /// so that the others merge as much.
    var unnamed: [SeenEnd] {
        membership.others.compactMap { device in
            guard device != self.device.id, let stream = streams[device],
                let last = stream.counted.max(by: { $0.record.header.number < $1.record.header.number }),
                !whatCounts(of: device).contains(last.after), let end = last.end
            else { return nil }
            return SeenEnd(device, end)
        }
    }
}
