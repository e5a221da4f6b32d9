import Item

/// An item as a state of the circle has it: one id, or several that are one item.
package struct SharedItem: Sendable {
    /// How many conflict losers all members keep of each part.
    package static let mostLosers = 8

    /// The ids that are this item, sorted. The smallest is its own.
    package let ids: [SharedItemID]
    /// The present revisions of each part. The first one is shown.
    private let present: [SharedPart: [PartChange]]
    /// Those of each id's access controls.
    private let accessOfEach: [SharedItemID: [PartChange]]
    /// Those of each id's place in the bin.
    private let binOfEach: [SharedItemID: [PartChange]]
    package let name: ItemName
    /// Somebody has put it into the bin, knowing of all its values.
    package let isInBin: Bool

    /// - Returns: nil for ids that have no name, or no value in any field.
    init?(ids: [SharedItemID], _ registers: [SharedItemID: [SharedPart: PartRegister]]) {
        var present: [SharedPart: [PartChange]] = [:]
        for id in ids {
            for (part, register) in registers[id] ?? [:] where !register.present.isEmpty {
                present[part, default: []] += register.present
            }
        }
        self.init(
            ids, present, access: registers.presentOfEach(ids, .access), bin: registers.presentOfEach(ids, .bin))
    }

    private init?(
        _ ids: [SharedItemID], _ present: [SharedPart: [PartChange]], access: [SharedItemID: [PartChange]],
        bin: [SharedItemID: [PartChange]]
    ) {
        let sorted = present.mapValues { $0.sorted { $1.precedes($0) } }
        guard case .name(let name)? = sorted[.name]?.first?.content, sorted.keys.contains(where: \.isField) else {
            return nil
        }
        self.ids = ids
        self.present = sorted
        self.name = name
        accessOfEach = access
        binOfEach = bin
        isInBin = Self.isInBin(sorted, bin)
    }

    /// A move to the bin counts for its own id alone. So a name that joins ids does not undo the restoring of one.
    private static func isInBin(_ present: [SharedPart: [PartChange]], _ bin: [SharedItemID: [PartChange]]) -> Bool {
        // Each list of deleted values is read once, and not for each value.
        let deleted = bin.mapValues { Set($0.flatMap(\.binned)) }
        return present.allSatisfy { part, revisions in
            !part.isField || revisions.allSatisfy { deleted[$0.item]?.contains($0.name) == true }
        }
    }

    package var id: SharedItemID { ids[0] }

    /// The parts that have something, in the order of their bytes.
    package var parts: [SharedPart] {
        present.keys.sorted { $0.precedes($1) }
    }

    /// The parts that have several revisions, in the order of their bytes. Access controls combine, and a place in the bin
    /// is no value: neither is a conflict.
    package var contested: [SharedPart] {
        present.filter { $0.value.count > 1 && $0.key != .access && $0.key != .bin }.keys
            .sorted { $0.precedes($1) }
    }

    /// All present revisions of a part; the shown one first.
    package func revisions(of part: SharedPart) -> [PartChange] { present[part] ?? [] }

    /// The one that everybody shows.
    package func shown(_ part: SharedPart) -> PartChange? { present[part]?.first }

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
        for id in ids {
            for case .access(let access)? in (accessOfEach[id] ?? []).map(\.content) where !floor.contains(access) {
                floor.append(access)
            }
        }
        return floor.sorted { $0.encoded.lexicographicallyPrecedes($1.encoded) }
    }

    /// It was made under the name that is shown. Otherwise somebody has renamed it.
    package var isBornUnderItsName: Bool { shown(.name)?.replaced.isEmpty == true }

    /// The present access controls of one of the ids.
    func accessRevisions(of id: SharedItemID) -> [PartChange] { accessOfEach[id] ?? [] }

    /// The present places in the bin of one of the ids.
    func binRevisions(of id: SharedItemID) -> [PartChange] { binOfEach[id] ?? [] }

    /// Several as one item, because they have one name.
    ///
    /// - Returns: nil for none.
    init?(joining items: [SharedItem]) {
        var present: [SharedPart: [PartChange]] = [:]
        var (access, bin): ([SharedItemID: [PartChange]], [SharedItemID: [PartChange]]) = ([:], [:])
        for item in items {
            for (part, revisions) in item.present { present[part, default: []] += revisions }
            access.merge(item.accessOfEach) { one, _ in one }
            bin.merge(item.binOfEach) { one, _ in one }
        }
        self.init(items.flatMap(\.ids).sorted(), present, access: access, bin: bin)
    }
}

extension [SharedItemID: [SharedPart: PartRegister]] {
    fileprivate func presentOfEach(_ ids: [SharedItemID], _ part: SharedPart) -> [SharedItemID: [PartChange]] {
        var each: [SharedItemID: [PartChange]] = [:]
        for id in ids { each[id] = self[id]?[part]?.present }
        return each
    }
}

extension PartChange {
    /// The values that a move to the bin names.
    fileprivate var binned: [RevisionName] {
        if case .bin(let record)? = content { record.values } else { [] }
    }
}
