/// A device's own stream, before it gives out records (docs/sync-format.md, “Before a device gives out records”).
package struct OwnStream: Sendable {
    package enum Step: Equatable, Sendable {
        /// What the store has, this device has.
        case goOn
        /// The store has what this device wrote and lost: its vault was rolled back. It takes this in, and begins a run
        /// behind it.
        case beginRun(after: RunEnd)
        /// Another copy of this vault writes. Nothing is given out until a person agrees to a new run.
        case ask
    }

    /// The newest end that this device has.
    package let end: RunEnd
    /// The chain hashes of this run that it has, by number, that of `end` included.
    package let chains: [UInt64: ChainHash]
    /// Its former runs.
    package let formerRuns: Set<RunID>
    /// Up to which numbers it no longer gives out what it wrote in a run.
    package let ended: [RunID: UInt64]

    package init(
        end: RunEnd, chains: [UInt64: ChainHash], formerRuns: Set<RunID>, ended: [RunID: UInt64] = [:]
    ) {
        (self.end, self.chains, self.formerRuns, self.ended) = (end, chains, formerRuns, ended)
    }

    /// - Parameters:
    ///   - heads: those that the store has of this device. The store's word counts only if the device signed them.
    ///   - keys: the device's own.
    package func step(
        shown heads: [SignedHead], circle: StatementName, keys: MemberKeys
    ) -> Step {
        let good = heads.filter { $0.head.circle == circle && $0.isSigned(by: keys) }.map(\.head.end)
        let isForked = good.contains { shown in
            shown.run == end.run && shown.number <= end.number && chains[shown.number].map { $0 != shown.chain } == true
        }
        if isForked { return .ask }
        let beyond = good.filter { shown in
            guard shown.run != end.run else { return shown.number > end.number }
            // An old head that the store brings back.
            return !formerRuns.contains(shown.run) && shown.number > ended[shown.run] ?? 0
        }
        let last = beyond.max { ($0.number, $0.run, $0.chain) < ($1.number, $1.run, $1.chain) }
        return last.map { .beginRun(after: $0) } ?? .goOn
    }
}
