/// The present revisions of one part of one item id: those that no merged change replaces.
struct PartRegister: Sendable {
    /// The largest stamp first; of equal stamps, the larger name.
    private(set) var present: [PartChange] = []

    mutating func insert(_ change: PartChange) {
        present.insert(change, at: place(of: change.name, stamp: change.stamp))
    }

    /// - Parameter stamp: that of the revision.
    mutating func remove(_ name: RevisionName, stamp: PartStamp) {
        let place = place(of: name, stamp: stamp)
        guard place < present.endIndex, present[place].name == name else { return }
        present.remove(at: place)
    }

    /// The place that a revision has, or would have. One member can write thousands of revisions of a part, so they are
    /// not searched one by one.
    private func place(of name: RevisionName, stamp: PartStamp) -> Int {
        var (low, high) = (present.startIndex, present.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if present[middle].isAhead(of: name, stamp: stamp) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension PartChange {
    /// Whether this one is behind another in the order in which revisions are shown.
    func precedes(_ other: PartChange) -> Bool { other.isAhead(of: name, stamp: stamp) }

    /// Whether this one is shown before the revision that has this name and stamp.
    fileprivate func isAhead(of other: RevisionName, stamp former: PartStamp) -> Bool {
        stamp == former ? name > other : stamp > former
    }
}

/// What is kept of a change that was merged, also after it was replaced.
struct MergedChange: Sendable {
    let item: SharedItemID
    let part: SharedPart
    let stamp: PartStamp
    /// Of a name.
    let given: GivenName?
    /// A change that broke a rule. Everybody knows it, and it has no effect.
    let isVoid: Bool
}
