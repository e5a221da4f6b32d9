import Authorization
import Circle
import Cryptography
import Item

/// Finds what machines have changed at the same time, among the items that are shared here.
struct ConflictSearch {
    /// A part that has several present revisions. They may have the same content.
    struct Place {
        let item: SharedItem
        let here: StoredItem
        let part: SharedPart

        /// Those that all members keep, the shown one first.
        var revisions: ArraySlice<PartChange> { item.revisions(of: part).prefix(SharedItem.mostLosers + 1) }
        var names: [RevisionName] { revisions.map(\.name) }
        /// Its place in the order of all.
        var bytes: [UInt8] { item.id.bytes + part.bytes }
    }

    private let view: CircleView
    private let vault: VaultID
    /// All of them, sorted by their bytes.
    let places: [Place]

    /// The same for who has no items of the view yet.
    init(
        _ view: CircleView, _ shared: SharedItems, of id: ItemID? = nil, in snapshot: Snapshot
    ) throws(VaultError) {
        try self.init(view, view.state.items, shared, of: id, in: snapshot)
    }

    /// - Parameters:
    ///   - items: the circle's, by the view.
    ///   - id: looks at this item alone; nil for all.
    init(
        _ view: CircleView, _ items: [SharedItem], _ shared: SharedItems, of id: ItemID? = nil, in snapshot: Snapshot
    ) throws(VaultError) {
        (self.view, vault) = (view, snapshot.format.vault)
        // Most of the time nobody has changed anything at the same time.
        let names = SharedNames(items.contains { !$0.contested.isEmpty } ? items : [])
        var places: [Place] = []
        // Of a setting, the last writer's value counts, and nobody is told of the others.
        for item in items where !item.isInBin && item.name.itemClass != .setting {
            let parts = item.contested
            guard !parts.isEmpty, let here = try Self.here(item, shared, snapshot), id == nil || here.summary.id == id
            else { continue }
            for part in parts.filter({ Self.mayDiffer($0, of: item) })
            where try Self.isAsShared(part, of: item, here, names, shared, snapshot) {
                places.append(Place(item: item, here: here, part: part))
            }
        }
        self.places = places
    }

    /// The item as it is here.
    ///
    /// - Returns: nil if it is not shared here, or asks for a person by now. Such a value is not compared, not shown and
    ///   not sealed anew.
    private static func here(
        _ item: SharedItem, _ shared: SharedItems, _ snapshot: Snapshot
    ) throws(VaultError) -> StoredItem? {
        guard let access = item.access, access.requirements.isEmpty, TravelRule.obstacle(access) == nil,
            let id = item.ids.lazy.compactMap({ ItemID(bytes: $0.bytes) }).first(where: shared.contains),
            let here = try snapshot.itemIfPresent(id), here.record.access.requirements.isEmpty,
            TravelRule.obstacle(here.record.access) == nil,
            here.summary.metadata.deleted == nil
        else { return nil }
        return here
    }

    /// Only values must be opened to be compared.
    private static func mayDiffer(_ part: SharedPart, of item: SharedItem) -> Bool {
        part.isField || !item.conflict(in: part).isEmpty
    }

    /// Whether the part is here what the circle has. A change that was not given out yet ends a conflict, too.
    private static func isAsShared(
        _ part: SharedPart, of item: SharedItem, _ here: StoredItem, _ names: SharedNames, _ shared: SharedItems,
        _ snapshot: Snapshot
    ) throws(VaultError) -> Bool {
        let (id, metadata) = (here.summary.id, here.summary.metadata)
        switch part {
        case .name:
            if metadata.name == item.localName(names) { return true }
            return try shared.isWithheld(.name, of: id, present: metadata.name.bytes)
        case .field(let name):
            let value = try snapshot.values(of: here).first { $0.fieldName == name }
            if let value, try item.hasValue(value) { return true }
            return try shared.isWithheld(part, of: id, present: value?.field.revision.bytes ?? [])
        default:
            let content = metadata.content(of: part)
            guard item.shown(part)?.content != content else { return true }
            guard content == nil else { return false }
            return try shared.isWithheld(part, of: id, present: [])
        }
    }

    /// The conflicts of some places. Values are opened for a moment, to compare them.
    ///
    /// - Throws: `.locked` if a class key is missing that a value needs.
    func conflicts(of places: some Collection<Place>) throws(VaultError) -> [PartConflict] {
        let values = try view.values(of: places.flatMap(\.revisions))
        var conflicts: [PartConflict] = []
        for place in places {
            if let conflict = try conflict(of: place, values) { conflicts.append(conflict) }
        }
        return conflicts
    }

    /// How many there are. The values of so many places at most are compared. Those beyond count, so that nobody hides a
    /// conflict behind values that are the same.
    ///
    /// - Parameter known: what was compared before, and from now on.
    func count(lookingAt most: Int, _ known: inout KnownConflicts) throws(VaultError) -> Int {
        let fresh = places.filter { known.isConflict($0.names) == nil }.prefix(most)
        let open = Set(try conflicts(of: fresh).map { [$0.item.id.bytes, $0.part.bytes] })
        for place in fresh {
            known.put(place.names, isConflict: open.contains([place.here.summary.id.bytes, place.part.bytes]))
        }
        return places.count { known.isConflict($0.names) ?? true }
    }

    /// - Returns: nil if all have the same content.
    private func conflict(
        of place: Place, _ values: [RevisionName: CircleView.GivenValue]
    ) throws(VaultError) -> PartConflict? {
        var opened: [RevisionName: OpenedValue] = [:]
        if place.part.isField {
            for revision in place.revisions {
                opened[revision.name] = try OpenedValue(
                    revision, values[revision.name], in: view, of: vault, as: place.here.summary.metadata.name)
            }
        }
        func areEqual(_ one: PartChange, _ other: PartChange) -> Bool {
            if one.content == other.content { return true }
            guard let first = opened[one.name], let second = opened[other.name] else { return false }
            return first.isSame(as: second)
        }
        guard !place.item.conflict(in: place.part, areEqual: areEqual).isEmpty else { return nil }
        var distinct: [PartChange] = []
        let revisions = place.revisions.compactMap { revision -> PartConflict.Revision? in
            guard let content = revision.content else { return nil }
            let same = distinct.first { areEqual($0, revision) }
            if same == nil { distinct.append(revision) }
            return PartConflict.Revision(
                name: revision.name, writer: revision.stamp.writer,
                machine: view.profiles[revision.stamp.writer]?.name, clock: revision.stamp.clock, content: content,
                isReadable: !place.part.isField || opened[revision.name] != nil, same: same?.name)
        }
        return PartConflict(
            item: place.here.summary, part: place.part, revisions: revisions,
            beyond: place.item.countBeyondLosers(of: place.part))
    }
}
