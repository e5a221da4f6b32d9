/// The present revisions of all parts of one item id: those that no merged change replaces. A large circle has thousands of
/// these, so it is one list.
struct ItemRegister: Sendable {
    /// By part. Of one part, the largest stamp comes first; of equal stamps, the larger name.
    private(set) var present: [PartChange] = []

    mutating func insert(_ change: PartChange) {
        present.insert(change, at: place(of: change.name, change.part, stamp: change.stamp))
    }

    /// - Parameter stamp: that of the revision.
    mutating func remove(_ name: RevisionName, of part: SharedPart, stamp: PartStamp) {
        let place = place(of: name, part, stamp: stamp)
        guard place < present.endIndex, present[place].name == name else { return }
        present.remove(at: place)
    }

    /// The place that a revision has, or would have. One member can write thousands of revisions of a part, so they are
    /// not searched one by one.
    private func place(of name: RevisionName, _ part: SharedPart, stamp: PartStamp) -> Int {
        present.place { change in
            change.part == part ? change.isAhead(of: name, stamp: stamp) : change.part.precedes(part)
        }
    }
}

extension [PartChange] {
    /// The revisions of one part. The list is in the order of a register.
    func revisions(of part: SharedPart) -> ArraySlice<PartChange> {
        let first = place { $0.part.precedes(part) }
        return self[first..<place { $0.part == part || $0.part.precedes(part) }]
    }

    /// The order of a register, for revisions of several.
    func inOrder() -> [PartChange] {
        sorted { $0.part == $1.part ? $1.precedes($0) : $0.part.precedes($1.part) }
    }

    /// The first place that is not ahead.
    fileprivate func place(_ isAhead: (PartChange) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isAhead(self[middle]) { low = middle + 1 } else { high = middle }
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
