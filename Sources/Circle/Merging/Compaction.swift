import Item

/// Which of a writer's changes can end, so that the store need not keep them for ever (docs/sync-merging.md, “Compaction”).
/// It is a function of the writer's changes and of the state that they led to.
///
/// Names, access controls and the bin stay, and so do values that ask somebody. What was replaced stays replaced: if a
/// change that ends had replaced another writer's, and that one is still given out, a change of this writer names it.
package struct Compaction: Sendable {
    /// The changes that are no longer given out.
    package let past: Set<RevisionName>
    /// What is given out in their place. These changes show nothing.
    package let covers: [PartChange]

    /// - Parameters:
    ///   - own: all changes of the writer that it gives out, in the order in which it made them.
    ///   - state: what all changes that were given out have led to.
    ///   - isNeeded: whether a change must stay for another reason.
    /// - Throws: `.cryptography`.
    package init(
        of own: [PartChange], in state: SharedState, by writer: WriterID, now: UInt64,
        keeping isNeeded: (PartChange) -> Bool = { _ in false }
    ) throws(MergingError) {
        let (present, inDoubt, isGuarded) = (state.present, state.inDoubt, state.everGuarded)
        var past: Set<RevisionName> = []
        for change in own where change.stamp.writer == writer && change.mayEnd {
            guard state.isGood(change.name), !present.contains(change.name), !inDoubt.contains(change.name),
                !change.part.isField || !isGuarded(change.item), !isNeeded(change)
            else { continue }
            // A removal is there for what it removes.
            guard change.content != nil || change.replaced.allSatisfy({ past.contains($0) || !state.has($0) }) else {
                continue
            }
            past.insert(change.name)
        }
        var covered = Set(own.filter { !past.contains($0.name) && state.isGood($0.name) }.flatMap(\.replaced))
        var covers: [PartChange] = []
        for change in own where past.contains(change.name) {
            let open = change.replaced.filter { name in
                state.isGood(name) && !past.contains(name) && covered.insert(name).inserted
            }
            guard !open.isEmpty else { continue }
            covers.append(
                try PartChange(
                    item: change.item, part: change.part,
                    stamp: PartStamp(at: now, replacing: open.compactMap(state.stamp), writer: writer),
                    replacing: open, content: nil))
        }
        (self.past, self.covers) = (past, covers)
    }
}

extension PartChange {
    /// Whether its writer may leave it out one day. Names, access controls and the bin say what an item is and what it asks
    /// for. Of a value that asks somebody, nobody can tell later what it was.
    package var mayEnd: Bool {
        if case .value(let value)? = content, !value.access.requirements.isEmpty { return false }
        return part.mayEnd
    }
}

extension SharedPart {
    fileprivate var mayEnd: Bool {
        switch self {
        case .label, .comment, .expiry, .attribute, .field: true
        case .name, .access, .bin: false
        }
    }
}

extension SharedState {
    /// How many changes of a writer were merged that may end one day, and how many of these are present.
    package func count(of writer: WriterID) -> (all: Int, present: Int) {
        (mergedCount(of: writer) { $0.mayEnd }, presentCount(of: writer) { $0.mayEnd })
    }
}
