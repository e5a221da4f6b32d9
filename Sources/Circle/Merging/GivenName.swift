import Item

/// A name that an item was given, and the ids that the name stands for.
struct GivenName: Sendable {
    let name: ItemName
    /// The item was made under this name. Otherwise it was renamed to it.
    let isBirth: Bool
    /// The numbers of the ids (``NamedIDs``), sorted.
    let ids: [UInt32]
}

/// The ids that names stand for. Each has a short number here, because one name can join many. Numbers are given out as
/// names arrive. They tell ids apart, and decide nothing.
struct NamedIDs: Sendable {
    private var numbers: [SharedItemID: UInt32] = [:]
    private var ids: [SharedItemID] = []
    /// How many ids all lists of names have together. A list that several names share counts once.
    private(set) var listedCount = 0

    func id(of number: UInt32) -> SharedItemID { ids[Int(number)] }

    /// Makes the name of an item.
    ///
    /// - Parameter replaced: the names that it replaces. None: the item is made under it.
    /// - Returns: nil for another kind, for names of items that are not one, and for more ids than a name may join.
    mutating func give(_ name: ItemName, to item: SharedItemID, replacing replaced: [GivenName]) -> GivenName? {
        let number = number(for: item)
        guard !replaced.isEmpty else {
            listedCount += 1
            return GivenName(name: name, isBirth: true, ids: [number])
        }
        guard replaced.allSatisfy({ $0.name.itemClass == name.itemClass }) else { return nil }
        var joined = JoinedIDs()
        for former in replaced {
            joined.insert(former)
            guard joined.count <= CircleLimits.itemIDs else { return nil }
        }
        guard joined.contains(number) else { return nil }
        guard joined.isOne else { return nil }
        // A name that joins nothing new has the list of the name that it replaces.
        if let same = replaced.first(where: { $0.ids.count == joined.count }) {
            return GivenName(name: name, isBirth: false, ids: same.ids)
        }
        listedCount += joined.count
        return GivenName(name: name, isBirth: false, ids: joined.sorted)
    }

    private mutating func number(for id: SharedItemID) -> UInt32 {
        if let number = numbers[id] { return number }
        let number = UInt32(clamping: ids.count)
        numbers[id] = number
        ids.append(id)
        return number
    }
}

/// The ids of names that one name replaces, and which of them are one item: those that a name has joined before, and
/// those that were made under one name.
private struct JoinedIDs {
    /// Of each id, the one that stands for all that are one item with it.
    private var groups: [UInt32: UInt32] = [:]
    /// Of each name under which ids were made, one of them.
    private var births: [ItemName: UInt32] = [:]

    var count: Int { groups.count }
    var sorted: [UInt32] { groups.keys.sorted() }
    var isOne: Bool { Set(groups.values).count == 1 }

    func contains(_ id: UInt32) -> Bool { groups[id] != nil }

    mutating func insert(_ name: GivenName) {
        guard let first = name.ids.first else { return }
        for id in name.ids {
            if groups[id] == nil {
                groups[id] = groups[first] ?? first
            } else {
                join(id, first)
            }
        }
        guard name.isBirth, let other = births.updateValue(first, forKey: name.name) else { return }
        join(first, other)
    }

    private mutating func join(_ one: UInt32, _ other: UInt32) {
        guard let group = groups[one], let former = groups[other], group != former else { return }
        groups = groups.mapValues { $0 == former ? group : $0 }
    }
}
