import Authorization
import Circle
import Cryptography
import Item

/// What a person has decided about a conflict.
package struct Resolution: Sendable {
    package let item: ItemID
    package let part: SharedPart
    /// The revision that everybody shows from then on.
    package let taken: RevisionName
    /// Whether each of the others becomes a field of its own.
    package let keepsOthers: Bool

    package init(item: ItemID, part: SharedPart, taken: RevisionName, keepsOthers: Bool) {
        (self.item, self.part, self.taken, self.keepsOthers) = (item, part, taken, keepsOthers)
    }
}

/// Ends conflicts.
extension OpenVault {
    /// Replaces all present revisions of a part by one of them, here and for all machines. What the item requires stays as
    /// it is, and so does what the value was first sealed under.
    ///
    /// - Returns: the item from now on, and the fields that the others are in.
    /// - Throws: `.outdated` if the revision is no longer there; `.invalidArgument` if a value does not open here, and for
    ///   a machine that may not write; `.alreadyExists` if another item has the name; `.limitExceeded` if the item has no
    ///   room for the others; `.notFound` without a circle; `.locked`; `.damaged`, `.storage`. Then nothing is changed.
    package func resolve(
        _ resolution: Resolution, _ classKeys: ClassKeys
    ) throws(VaultError) -> (item: ItemSummary, fields: [FieldName]) {
        try write { (change) throws(VaultError) in
            let (material, before) = try view(change, classKeys)
            guard let role = before.role, role.mayWrite,
                var edits = LocalEdits(self, before, material.shared, classKeys: classKeys, change)
            else { throw .noMember }
            // What was changed here comes first: it may have ended the conflict.
            let (view, shared) = try edits.find()
            try keepSlots(edits, material, change)
            let search = try ConflictSearch(view, shared, of: resolution.item, in: change)
            let (place, taken) = try search.find(resolution.taken, of: resolution.item, resolution.part)
            var decision = try ConflictDecision(self, view, place)
            if resolution.keepsOthers { try decision.keep(others: search.others(than: taken, in: place)) }
            try decision.take(taken, change)
            var application = SharedApplication(
                self, decision.view, shared, decision.view.state.items,
                leaving: edits.unsaid, classKeys: classKeys, change)
            let after = try application.run().shared
            try store(decision.view, beyond: material.pending.count, after, change)
            return (try Self.item(place.item, change).summary, decision.fields)
        }
    }

    /// What is here of a shared item. If two were one item, it can have the other one's id from now on.
    private static func item(_ item: SharedItem, _ change: Change) throws(VaultError) -> StoredItem {
        for id in item.ids.compactMap({ ItemID(bytes: $0.bytes) }) {
            if let found = try change.itemIfPresent(id) { return found }
        }
        throw .changed
    }
}

extension ConflictSearch {
    /// The revisions of a part that have another content than one of them, each content once.
    fileprivate func others(than taken: PartChange, in place: Place) throws(VaultError) -> [PartChange] {
        guard let conflict = try conflicts(of: [place]).first else { return [] }
        let content = conflict.revisions.first { $0.name == taken.name }.map { $0.same ?? $0.name }
        let names = conflict.revisions.filter { $0.same == nil && $0.name != content }.map(\.name)
        return place.revisions.filter { names.contains($0.name) }
    }
}
