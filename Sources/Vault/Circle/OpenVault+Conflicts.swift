import Circle
import Cryptography
import Item

/// Shows what machines have changed at the same time.
extension OpenVault {
    /// The values of how many parts one call compares. More are compared by the next one.
    static let comparedParts = 2_000

    /// The conflicts of items that are shared here, without values.
    ///
    /// - Parameters:
    ///   - item: nil for all.
    ///   - place: those behind this one.
    ///   - room: about how many bytes of text at most. One conflict always fits.
    /// - Returns: also where to go on; nil at the end.
    /// - Throws: `.notFound` without a circle; `.invalidArgument` for a machine that was removed; `.locked`; `.damaged`,
    ///   `.storage`.
    package func conflicts(
        of item: ItemID? = nil, after place: [UInt8] = [], upTo most: Int = 100, room: Int = 1 << 20,
        _ classKeys: ClassKeys
    ) throws(VaultError) -> (conflicts: [PartConflict], next: [UInt8]?) {
        try read { (snapshot) throws(VaultError) in
            let search = try conflictSearch(of: item, snapshot, classKeys).search
            var left = search.places.drop { !place.lexicographicallyPrecedes($0.bytes) }.prefix(Self.comparedParts)
            let end = left.last?.bytes
            var (conflicts, size): ([PartConflict], Int) = ([], 0)
            while !left.isEmpty {
                let batch = left.prefix(most)
                for conflict in try search.conflicts(of: batch) {
                    size += conflict.revisions.reduce(0) { $0 + $1.size }
                    guard conflicts.count < most, conflicts.isEmpty || size <= room else {
                        return (conflicts, conflicts.last.flatMap { search.place(of: $0)?.bytes })
                    }
                    conflicts.append(conflict)
                }
                left = left.dropFirst(batch.count)
            }
            return (conflicts, end == search.places.last?.bytes ? nil : end)
        }
    }

    /// The value of one revision of a field that is in conflict. The caller asks for what the item requires.
    ///
    /// - Throws: `.outdated` if it is no longer there; `.invalidArgument` if it does not open; otherwise as above.
    package func value(
        of revision: RevisionName, in field: FieldName, of item: ItemID, _ classKeys: ClassKeys
    ) throws(VaultError) -> (item: ItemSummary, value: SecretBytes) {
        try read { (snapshot) throws(VaultError) in
            let (search, view) = try conflictSearch(of: item, snapshot, classKeys)
            let (place, change) = try search.find(revision, of: item, .field(field))
            let name = place.here.summary.metadata.name
            guard
                let opened = try OpenedValue(
                    change, try view.value(of: change), in: view, of: format.vault, as: name)
            else { throw .unreadableRevision }
            return (place.here.summary, opened.plain)
        }
    }

    /// - Parameter items: the circle's, by the view.
    /// - Returns: nil if only an unlocked vault can tell, and for a machine that was removed.
    func conflictCount(
        _ view: CircleView, _ items: [SharedItem], _ shared: SharedItems, _ snapshot: Snapshot
    ) throws(VaultError) -> Int? {
        guard view.role != nil else { return nil }
        do throws(VaultError) {
            let search = try ConflictSearch(view, items, shared, in: snapshot)
            return try knownConflicts.withLock { (known) throws(VaultError) in
                try search.count(lookingAt: Self.comparedParts, &known)
            }
        } catch {
            guard error.code == .locked else { throw error }
            return nil
        }
    }

    private func conflictSearch(
        of item: ItemID?, _ snapshot: Snapshot, _ classKeys: ClassKeys
    ) throws(VaultError) -> (search: ConflictSearch, view: CircleView) {
        let (material, view) = try view(snapshot, classKeys)
        guard view.role != nil else { throw .noMember }
        return (try ConflictSearch(view, material.shared, of: item, in: snapshot), view)
    }
}

extension ConflictSearch {
    /// Where a conflict is.
    fileprivate func place(of conflict: PartConflict) -> Place? {
        places.first { $0.here.summary.id == conflict.item.id && $0.part == conflict.part }
    }

    /// - Throws: `.outdated` if the part has no such revision, or only one.
    func find(
        _ revision: RevisionName, of item: ItemID, _ part: SharedPart
    ) throws(VaultError) -> (place: Place, change: PartChange) {
        guard let place = places.first(where: { $0.here.summary.id == item && $0.part == part }),
            let change = place.revisions.first(where: { $0.name == revision })
        else {
            throw VaultError(
                .outdated, "this is no longer one of several: somebody has decided, or changed it, since",
                advice: "see what is left with: coffer sync conflicts")
        }
        return (place, change)
    }
}

extension VaultError {
    static let unreadableRevision = VaultError(
        .invalidArgument, "this value does not open here", advice: "decide at another machine, or take another value")
}
