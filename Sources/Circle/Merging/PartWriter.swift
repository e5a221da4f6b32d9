import Item

/// Makes the changes of one device, from the state that it has. A change replaces all that its writer had of a part, so
/// everything that it does not name stays.
package struct PartWriter: Sendable {
    package let writer: WriterID
    /// The device's clock, in milliseconds since 1970-01-01 UTC.
    package private(set) var now: UInt64
    /// How many items the circle has, without those that this writer makes.
    private let itemCount: Int
    /// Whether what is more than an item or a circle may have is refused.
    private let isLimited: Bool

    /// - Parameter isLimited: false to say what was stored already. Then it is too late to refuse it.
    package init(_ state: SharedState, writer: WriterID, now: UInt64, isLimited: Bool = true) {
        self.init(amid: state.items, writer: writer, now: now, isLimited: isLimited)
    }

    /// - Parameter items: those of the state that its device has.
    package init(amid items: [SharedItem], writer: WriterID, now: UInt64, isLimited: Bool = true) {
        itemCount = items.count
        self.writer = writer
        self.now = now
        self.isLimited = isLimited
    }

    /// The same at another time: when its device made a change that it says only now.
    package func at(_ time: UInt64) -> PartWriter {
        var writer = self
        writer.now = min(time, PartStamp.last)
        return writer
    }

    /// A new item.
    /// - Parameter times: when each of its values was set; nil for the writer's own time.
    /// - Throws: `.manyItems`, if the circle has as many as it may have.
    package func create(
        _ id: SharedItemID, _ name: ItemName, _ access: AccessControl, _ fields: [(FieldName, SealedField)],
        times: ((SharedPart) -> UInt64)? = nil
    ) throws(MergingError) -> [PartChange] {
        guard !isLimited || itemCount < ItemLimits.items else { throw .manyItems }
        guard !isLimited || fields.count <= ItemLimits.fields else { throw .manyFields }
        var changes = [
            try change(id, .name, replacing: [], .name(name)), try change(id, .access, replacing: [], .access(access)),
        ]
        for (field, value) in fields {
            let writer = times.map { at($0(.field(field))) } ?? self
            changes.append(try writer.change(id, .field(field), replacing: [], .value(value)))
        }
        return changes
    }

    /// Another value of a field, an attribute, a text or an expiry.
    /// - Throws: `.manyFields`, `.manyAttributes`, if the item has as many already, or more after a merge.
    package func set(
        _ part: SharedPart, of item: SharedItem, to content: PartContent
    ) throws(MergingError) -> PartChange {
        guard part != .access, part != .bin, part != .name else { throw .impossible }
        // What is there already can be written, also if a merge has made too many.
        let isNew = isLimited && item.shown(part) == nil
        switch part {
        case .field where isNew:
            guard item.parts.count(where: \.isField) < ItemLimits.fields else { throw .manyFields }
        case .attribute where isNew:
            guard item.parts.count(where: \.isAttribute) < ItemLimits.attributes else { throw .manyAttributes }
        default: break
        }
        return try change(item.id, part, replacing: item.revisions(of: part), content)
    }

    /// Removes what the writer sees of a part. A value that somebody else sets at the same time stays.
    package func remove(_ part: SharedPart, of item: SharedItem) throws(MergingError) -> PartChange {
        try change(item.id, part, replacing: item.revisions(of: part), nil)
    }

    /// Another service and account. If the item has more names, or ids, than one name may replace, it replaces as many
    /// as everybody allows.
    package func rename(_ item: SharedItem, to name: ItemName) throws(MergingError) -> PartChange {
        guard name.itemClass == item.name.itemClass else { throw .impossible }
        let names = item.revisions(of: .name)
        guard names.count > PartChange.mostReplaced || item.ids.count > CircleLimits.itemIDs, let shown = names.first
        else { return try change(item.id, .name, replacing: names, .name(name)) }
        // A name may always replace one other. Names under which ids were made stand for one id each, so a name may
        // replace as many of them as it may join ids. The stamp is above all, so that this name is shown.
        let births = shown.isBirth ? names.filter { $0.isBirth && $0.content == shown.content && $0 != shown } : []
        let replaced = [shown] + Array(births.sorted { $0.item < $1.item }.prefix(CircleLimits.itemIDs - 1))
        return try PartChange(
            item: replaced.contains(where: { $0.item == item.id }) ? item.id : shown.item, part: .name,
            stamp: PartStamp(at: now, replacing: names.map(\.stamp), writer: writer),
            replacing: replaced.map(\.name), content: .name(name))
    }

    /// Another access control, instead of all that the writer sees. The broker has taken their proofs.
    package func guardItem(_ item: SharedItem, by access: AccessControl) throws(MergingError) -> [PartChange] {
        var changes: [PartChange] = []
        let present = item.revisionsOfEach(.access)
        for id in item.ids {
            changes.append(try change(id, .access, replacing: present[id] ?? [], .access(access)))
        }
        return changes
    }

    /// Into the bin, with the values that the writer sees.
    package func bin(_ item: SharedItem, days: UInt16) throws(MergingError) -> [PartChange] {
        let values = item.parts.filter(\.isField).flatMap { item.revisions(of: $0).map(\.name) }
            .prefix(PartChange.mostReplaced)
        let (record, present) = (BinRecord(days: days, values: Array(values)), item.revisionsOfEach(.bin))
        var changes: [PartChange] = []
        for id in item.ids {
            changes.append(try change(id, .bin, replacing: present[id] ?? [], .bin(record)))
        }
        return changes
    }

    /// Out of the bin.
    package func restore(_ item: SharedItem) throws(MergingError) -> [PartChange] {
        var changes: [PartChange] = []
        let present = item.revisionsOfEach(.bin)
        for id in item.ids {
            if let revisions = present[id] { changes.append(try change(id, .bin, replacing: revisions, nil)) }
        }
        return changes
    }

    /// Deletes for good: all revisions that the writer sees, but the names and the access controls.
    package func delete(_ item: SharedItem) throws(MergingError) -> [PartChange] {
        var changes: [PartChange] = []
        for part in item.parts where part != .name && part != .access && part != .bin {
            changes.append(try remove(part, of: item))
        }
        return changes + (try restore(item))
    }

    private func change(
        _ item: SharedItemID, _ part: SharedPart, replacing all: [PartChange], _ content: PartContent?
    ) throws(MergingError) -> PartChange {
        let replaced = all.prefix(PartChange.mostReplaced)
        return try PartChange(
            item: item, part: part, stamp: PartStamp(at: now, replacing: replaced.map(\.stamp), writer: writer),
            replacing: replaced.map(\.name), content: content)
    }
}

extension PartChange {
    /// It is a name under which an item was made.
    var isBirth: Bool { part == .name && replaced.isEmpty }
}

extension SharedPart {
    fileprivate var isAttribute: Bool {
        if case .attribute = self { true } else { false }
    }
}
