import Item

/// An item as a state of the circle has it: one id, or several that are one item.
package struct SharedItem: Sendable {
    /// How many conflict losers all members keep of each part.
    package static let mostLosers = 8

    /// The ids that are this item, sorted. The smallest is its own.
    package let ids: [SharedItemID]
    /// The present revisions of all parts, in the order of a register. Of each part, the first one is shown.
    private let present: [PartChange]
    package let name: ItemName
    /// Somebody has put it into the bin, knowing of all its values.
    package let isInBin: Bool

    /// - Returns: nil for ids that have no name, or no value in any field.
    init?(ids: [SharedItemID], _ registers: [SharedItemID: ItemRegister]) {
        guard ids.count == 1 else {
            self.init(ids, ids.flatMap { registers[$0]?.present ?? [] }.inOrder())
            return
        }
        self.init(ids, registers[ids[0]]?.present ?? [])
    }

    /// Several as one item, because they have one name.
    ///
    /// - Returns: nil for none.
    init?(joining items: [SharedItem]) {
        self.init(items.flatMap(\.ids).sorted(), items.flatMap(\.present).inOrder())
    }

    private init?(_ ids: [SharedItemID], _ present: [PartChange]) {
        guard case .name(let name)? = present.revisions(of: .name).first?.content,
            present.contains(where: \.part.isField)
        else { return nil }
        (self.ids, self.present, self.name) = (ids, present, name)
        isInBin = Self.isInBin(present)
    }

    /// A move to the bin counts for its own id alone. So a name that joins ids does not undo the restoring of one.
    private static func isInBin(_ present: [PartChange]) -> Bool {
        // Each list of deleted values is read once, and not for each value.
        var deleted: [SharedItemID: Set<RevisionName>] = [:]
        for change in present.revisions(of: .bin) { deleted[change.item, default: []].formUnion(change.binned) }
        return present.allSatisfy { !$0.part.isField || deleted[$0.item]?.contains($0.name) == true }
    }

    package var id: SharedItemID { ids[0] }

    /// The parts that have something, in the order of their bytes.
    package var parts: [SharedPart] {
        var parts: [SharedPart] = []
        for change in present where change.part != parts.last { parts.append(change.part) }
        return parts
    }

    /// The parts that have several revisions, in the order of their bytes. Access controls combine, and a place in the bin
    /// is no value: neither is a conflict.
    package var contested: [SharedPart] {
        var parts: [SharedPart] = []
        for (one, next) in zip(present, present.dropFirst())
        where one.part == next.part && one.part != parts.last && one.part != .access && one.part != .bin {
            parts.append(one.part)
        }
        return parts
    }

    /// All present revisions of a part; the shown one first.
    package func revisions(of part: SharedPart) -> [PartChange] { Array(present.revisions(of: part)) }

    /// The one that everybody shows.
    package func shown(_ part: SharedPart) -> PartChange? { present.revisions(of: part).first }

    /// What lost against the shown revision: eight at most, each content once.
    ///
    /// - Parameter areEqual: whether two revisions have the same value. Only the broker that can open both knows it.
    package func conflict(
        in part: SharedPart, areEqual: (PartChange, PartChange) -> Bool = { $0.content == $1.content }
    ) -> [PartChange] {
        var others: [PartChange] = []
        // Access controls combine, and a place in the bin is no value: neither is a conflict.
        guard part != .access, part != .bin, let shown = shown(part) else { return [] }
        for revision in revisions(of: part).dropFirst().prefix(Self.mostLosers)
        where !areEqual(shown, revision) && !others.contains(where: { areEqual($0, revision) }) {
            others.append(revision)
        }
        return others
    }

    /// How many revisions of a part are beyond the losers that all keep. They are ordinary former values.
    package func countBeyondLosers(of part: SharedPart) -> Int {
        max(revisions(of: part).count - 1 - Self.mostLosers, 0)
    }

    /// The access controls that all must be met, each once. None of them was loosened by somebody who knew of it.
    package var floor: [AccessControl] {
        var floor: [AccessControl] = []
        for case .access(let access)? in present.revisions(of: .access).map(\.content) where !floor.contains(access) {
            floor.append(access)
        }
        return floor.sorted { $0.encoded.lexicographicallyPrecedes($1.encoded) }
    }

    /// It was made under the name that is shown. Otherwise somebody has renamed it.
    package var isBornUnderItsName: Bool { shown(.name)?.replaced.isEmpty == true }

    /// The present revisions of a part that each of the ids has for itself.
    func revisionsOfEach(_ part: SharedPart) -> [SharedItemID: [PartChange]] {
        Dictionary(grouping: present.revisions(of: part), by: \.item)
    }
}

extension PartChange {
    /// The values that a move to the bin names.
    fileprivate var binned: [RevisionName] {
        if case .bin(let record)? = content { record.values } else { [] }
    }
}
