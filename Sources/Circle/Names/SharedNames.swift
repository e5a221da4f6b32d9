import Authorization
import Item

/// The names that a state shows. Nobody writes them down: everybody derives them from the items.
package struct SharedNames: Sendable {
    /// How a look-up by a name ends.
    package enum Found: Hashable, Sendable {
        case nothing
        case item(SharedItemID)
        /// Several items have the name. A reference must name one by its suffix.
        case ambiguous([SharedItemID])
    }

    /// A live item of each name.
    private var ids: [ItemName: SharedItemID] = [:]
    /// All live items of a name that several have. The first one is shown without a suffix.
    private var holders: [ItemName: [SharedItem]] = [:]

    package init(_ items: [SharedItem]) {
        // Few names are of several items, and there are lists for these alone.
        for item in items where !item.isInBin {
            if ids.updateValue(item.id, forKey: item.name) != nil { holders[item.name] = [] }
        }
        guard !holders.isEmpty else { return }
        for item in items where !item.isInBin { holders[item.name]?.append(item) }
        holders = holders.mapValues { $0.sorted(by: Self.comesFirst) }
    }

    package func find(_ name: ItemName) -> Found {
        if let items = holders[name] { return .ambiguous(items.map(\.id)) }
        return ids[name].map { .item($0) } ?? .nothing
    }

    /// What is shown behind the name of an item that ran into a taken name: eight or more digits of its id.
    /// - Returns: nil for the item that keeps the plain name.
    package func suffix(of item: SharedItem) -> String? {
        // An item in the bin holds no name, and has a suffix where another one holds it.
        let ids = holders[item.name]?.map(\.id) ?? self.ids[item.name].map { [$0] } ?? []
        guard let first = ids.first, first != item.id else { return nil }
        let digits = Hex.encode(item.id.bytes)
        let short = String(digits.prefix(8))
        let isTaken = ids.contains { $0 != item.id && Hex.encode($0.bytes).hasPrefix(short) }
        return isTaken ? digits : short
    }

    /// The item that was made under the name, then the one that is harder to read, then the former one.
    private static func comesFirst(_ one: SharedItem, _ other: SharedItem) -> Bool {
        guard one.isBornUnderItsName == other.isBornUnderItsName else { return one.isBornUnderItsName }
        let (hard, otherHard) = (hardness(of: one), hardness(of: other))
        guard hard == otherHard else { return otherHard.lexicographicallyPrecedes(hard) }
        if let stamp = one.shown(.name)?.stamp, let otherStamp = other.shown(.name)?.stamp, stamp != otherStamp {
            return stamp < otherStamp
        }
        return one.id < other.id
    }

    /// Grows, in the order of its numbers, with what the floor asks for.
    private static func hardness(of item: SharedItem) -> [Int] {
        guard let combined = CombinedAccess(meeting: item.floor) else { return [] }
        return [
            3 - combined.accessibility.looseness, combined.isThisDeviceOnly ? 1 : 0,
            combined.ways.map(\.count).min() ?? 0,
        ]
    }
}
