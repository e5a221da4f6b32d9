import Authorization
import Circle

/// What a device's newest whole compaction stands for (docs/sync-format.md, “Compaction”).
struct CompactedStream: Sendable {
    /// A summary, and where it stands.
    typealias Found = (summary: StreamSummary, at: DeviceStream.Counted)

    let summary: StreamSummary
    /// The chain hash after the summary.
    let after: ChainHash
    /// Those after the records that stand for the former ones, and after the summary.
    let group: Set<ChainHash>
    /// For each run, up to which number its records may be gone.
    let ends: [RunID: UInt64]
    /// Those after former records that are still here.
    let former: Set<ChainHash>
    /// Whether the records that stand for these have all that others rest on.
    var isFaithful = true

    /// - Parameter read: those after the records that this vault could read.
    /// - Returns: those that are whole, the newest first. A member that writes many has only its last ones looked at.
    static func whole(_ found: [Found], in stream: DeviceStream, read: Set<ChainHash>) -> [CompactedStream] {
        found.sorted {
            ($1.at.record.header.number, $1.at.after) < ($0.at.record.header.number, $0.at.after)
        }.prefix(most).compactMap { one in
            guard let chains = stream.chains(Int(one.summary.count), before: one.at.after),
                chains.allSatisfy(read.contains)
            else { return nil }
            return CompactedStream(one, chains, in: stream)
        }
    }

    private static let most = 4

    private init(_ found: Found, _ chains: [ChainHash], in stream: DeviceStream) {
        let header = found.at.record.header
        var ends = Dictionary(found.summary.runs.map { ($0.run, $0.number) }) { first, _ in first }
        ends[header.run] = header.number - 1 - UInt64(found.summary.count)
        (summary, after, self.ends) = (found.summary, found.at.after, ends)
        let group = Set(chains + [after])
        self.group = group
        // Of a fork, each branch stays.
        former = Set(
            stream.counted.filter { one in
                let header = one.record.header
                return ends[header.run].map { header.number <= $0 } ?? false && !group.contains(one.after)
                    && !stream.forked.contains(header.run)
            }.map(\.after))
    }

    /// Whether a record of this run and number may be gone.
    func covers(_ run: RunID, _ number: UInt64) -> Bool { ends[run].map { number <= $0 } ?? false }
}

/// What members no longer give out. The records that stand for it say all that it has led to.
extension CircleView {
    /// The numbers that are missing of a device, without those that it no longer gives out.
    func gaps(of device: WriterID) -> [DeviceStream.Gap] {
        let gaps = streams[device]?.gaps ?? []
        guard let compacted = compacted[device] else { return gaps }
        return gaps.filter { !compacted.covers($0.run, $0.numbers.upperBound) }
    }

    /// Whether an end of a device's stream is here, or was before its compaction.
    func isKnown(_ end: RunEnd, of device: WriterID) -> Bool {
        if compacted[device]?.covers(end.run, end.number) ?? false { return true }
        return streams[device]?.has(end.chain) ?? false
    }

    /// Whether a device has repeated all that others rest on, as far as its former records are here. Otherwise a broker that
    /// was taken over could make the others forget members, or wait for ever for what it gave out before.
    func isFaithful(_ compacted: CompactedStream, of device: WriterID) throws(VaultError) -> Bool {
        guard !compacted.former.isEmpty else { return true }
        let (past, own) = (
            try pastNames(of: device, in: compacted), changes.filter { $0.record.header.device == device }
        )
        let repeated = Set(own.filter { compacted.group.contains($0.record.after) }.map(\.change.name))
        let hasChanges = own.allSatisfy { change, record in
            !compacted.former.contains(record.after) || repeated.contains(change.name)
                || change.mayEnd && past.contains(change.name.number)
        }
        let names = Set(compacted.group.compactMap { told[$0] })
        let hasStatements = compacted.former.allSatisfy { told[$0].map(names.contains) ?? true }
        let seen = vouched.all(by: device, of: membership.others)
        let said = seen.filter { compacted.group.contains($0.named.after) }
        let hasEnds = seen.allSatisfy { one in
            !compacted.former.contains(one.named.after)
                || said.contains { $0.device == one.device && $0.named.end.number >= one.named.end.number }
        }
        var hasNames = true
        try forEachPast(of: device, where: compacted.former.contains) { former in
            hasNames = hasNames && past.isSuperset(of: former.names)
        }
        return hasChanges && hasStatements && hasEnds && hasNames
    }

    /// Whether this vault need not keep what a device no longer gives out: it has taken in all that took its place.
    func isOutdated(_ device: WriterID) -> Bool {
        guard let compacted = compacted[device], compacted.isFaithful else { return false }
        return compacted.summary.seen.allSatisfy { isKnown($0.end, of: $0.device) }
    }

    /// The chain hashes after records that a device no longer gives out, and that this vault need not keep.
    func outdated(of device: WriterID) -> Set<ChainHash> {
        isOutdated(device) ? compacted[device]?.former ?? [] : []
    }

    /// What a device has said to give out no longer, record by record.
    ///
    /// - Parameter isMeant: whether the record with this chain hash after it is.
    /// - Throws: `.storage` for a record that was read before and does not open now. Without it, a value that somebody could
    ///   read would look as if nobody had.
    private func forEachPast(
        of device: WriterID, where isMeant: (ChainHash) -> Bool, _ body: (PastChanges) -> Void
    ) throws(VaultError) {
        for one in pasts[device] ?? [] where isMeant(one.after) {
            guard case .past(let past)? = try open(one.record)?.body else {
                throw VaultError(.storage, "a record of the circle was read before and does not open now")
            }
            body(past)
        }
    }

    /// The numbers of the names of changes that their writers no longer give out, as far as one of these changes names
    /// them. There can be a million others, which nothing asks for.
    ///
    /// - Parameter hasEffect: whether what a device says at a place has an effect.
    func pastNames(
        of changes: [PartChange], where hasEffect: (WriterID, ChainHash) -> Bool
    ) throws(VaultError) -> Set<UInt64> {
        let named = Set(changes.lazy.flatMap(\.named).map(\.number))
        var names: Set<UInt64> = []
        for device in pasts.keys.sorted() {
            try forEachPast(of: device, where: { hasEffect(device, $0) }) { past in
                names.formUnion(past.names.lazy.filter(named.contains))
            }
        }
        return names
    }

    /// Those of one device's changes that are here although its compaction lists them. It lists many, and few are here.
    func pastHere(of device: WriterID) throws(VaultError) -> Set<UInt64> {
        guard let compacted = compacted[device] else { return [] }
        let here = Set(
            changes.lazy.filter { $0.record.header.device == device && $0.change.mayEnd }.map(\.change.name.number))
        var past: Set<UInt64> = []
        try forEachPast(of: device, where: compacted.group.contains) { one in
            past.formUnion(one.names.lazy.filter(here.contains))
        }
        return past
    }

    private func pastNames(of device: WriterID, in compacted: CompactedStream) throws(VaultError) -> Set<UInt64> {
        var names: Set<UInt64> = []
        try forEachPast(of: device, where: compacted.group.contains) { names.formUnion($0.names) }
        return names
    }

    /// The digests of values that are no longer given out, by the generations under which they were.
    ///
    /// - Parameter isMeant: whether those that a device has given out under a generation are.
    func pastValues(
        where isMeant: (WriterID, StatementName) -> Bool
    ) throws(VaultError) -> [StatementName: Set<UInt64>] {
        var values: [StatementName: Set<UInt64>] = [:]
        for device in pasts.keys.sorted() {
            try forEachPast(of: device, where: { isOfGroup($0, device) }) { past in
                for part in past.values where isMeant(device, part.generation) {
                    values[part.generation, default: []].formUnion(part.digests)
                }
            }
        }
        return values
    }

    /// What this device itself has said to give out no longer.
    func ownPast() throws(VaultError) -> [PastChanges] {
        var own: [PastChanges] = []
        try forEachPast(of: device.id, where: { isOfGroup($0, device.id) }) { own.append($0) }
        return own
    }

    private func isOfGroup(_ after: ChainHash, _ device: WriterID) -> Bool {
        compacted[device]?.group.contains(after) ?? false
    }
}
