import Authorization

/// Ends a compaction: the records right before it stand for all that their device gave out before these
/// (docs/sync-format.md, “Compaction”).
package struct StreamSummary: Hashable, Sendable {
    /// A former run, and the number of its last record.
    package struct Run: Hashable, Sendable {
        package let run: RunID
        package let number: UInt64

        package init(_ run: RunID, _ number: UInt64) { (self.run, self.number) = (run, number) }
    }

    /// How many records before this one stand for the others.
    package let count: UInt32
    /// The number of the last record before these that told something new. Who has taken it in lacks nothing.
    package let said: UInt64
    /// Sorted by their ids.
    package let runs: [Run]
    /// The ends of other devices that this one has taken in, sorted.
    package let seen: [SeenEnd]

    /// - Throws: `.length`, `.order`, `.range`.
    package init(count: UInt32, said: UInt64, runs: [Run], seen: [SeenEnd]) throws(CircleFormError) {
        guard runs.count <= CircleLimits.runs else { throw .length }
        guard zip(runs, runs.dropFirst()).allSatisfy({ $0.run < $1.run }) else { throw .order }
        guard said <= CircleLimits.number, runs.allSatisfy({ $0.number <= CircleLimits.number }) else { throw .range }
        try SeenEnd.check(seen)
        (self.count, self.said, self.runs, self.seen) = (count, said, runs, seen)
    }

    package var bytes: [UInt8] {
        BigEndian.bytes(count) + BigEndian.bytes(said)
            + [UInt8](list: runs) { $0.run.bytes + BigEndian.bytes($0.number) } + [UInt8](list: seen, \.bytes)
    }

    /// - Parameter header: of the record that has it. It cannot stand for itself, nor for more than was before it.
    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8], in header: CircleRecord.Header) throws(CircleFormError) {
        var rest = bytes[...]
        let (count, said) = (try rest.integer(UInt32.self), try rest.integer(UInt64.self))
        guard count < header.number, said < header.number - UInt64(count) else { throw .range }
        let runs = try rest.elements(upTo: CircleLimits.runs) { (rest) throws(CircleFormError) in
            guard let run = RunID(bytes: try rest.take(RunID.count)) else { throw .length }
            return Run(run, try rest.integer(UInt64.self))
        }
        let seen = try SeenEnd.list(from: &rest)
        try rest.end()
        guard seen.allSatisfy({ $0.device != header.device }) else { throw .place }
        try self.init(count: count, said: said, runs: runs, seen: seen)
    }
}
