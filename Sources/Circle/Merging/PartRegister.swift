import Item

/// The present revisions of one part of one item id: those that no merged change replaces.
struct PartRegister: Sendable {
    /// The largest stamp first; of equal stamps, the larger name.
    private(set) var present: [PartChange] = []

    mutating func insert(_ change: PartChange) {
        let place = present.firstIndex { $0.precedes(change) } ?? present.endIndex
        present.insert(change, at: place)
    }

    mutating func remove(_ name: RevisionName) { present.removeAll { $0.name == name } }
}

extension PartChange {
    /// Whether this one is behind another in the order in which revisions are shown.
    func precedes(_ other: PartChange) -> Bool {
        stamp == other.stamp ? name < other.name : stamp < other.stamp
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

/// A name that an item was given, and the ids that the name stands for.
struct GivenName: Sendable {
    let name: ItemName
    /// The item was made under this name. Otherwise it was renamed to it.
    let isBirth: Bool
    /// Sorted.
    let ids: [SharedItemID]

    /// Whether two names are of one item: both made under the same name, or joined by a name before.
    func isOne(with other: GivenName) -> Bool {
        isBirth && other.isBirth && name == other.name || ids.contains { other.ids.contains($0) }
    }
}
