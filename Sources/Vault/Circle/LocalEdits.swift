import Authorization
import Circle
import Cryptography
import Item

/// Finds what was changed in this vault since the circle's state was last taken in, and says it as changes of parts. The
/// items and the state were equal then, so each difference is this vault's own change.
struct LocalEdits {
    private let vault: OpenVault
    private let classKeys: ClassKeys
    private let change: Change
    /// What values are sealed to until they are given out.
    private let generation: KeyGeneration
    private var view: CircleView
    /// The items that the circle had before.
    private let sharedBefore: [SharedItem]
    private var shared: SharedItems
    private let now: PartWriter
    /// The stamps of the item that is looked at: when its parts were changed here.
    private var stamps: ItemStamps?
    /// What the item that is looked at had when this device took it out of the circle, if it comes back now.
    private var left: ItemLeaving?
    /// The items that are not shared, and why.
    private(set) var obstacles: [ItemID: TravelRule.Obstacle] = [:]
    /// The values whose slots for other machines the circle has from now on.
    private(set) var said: Set<RevisionID> = []
    /// The slots of values that the circle has already.
    private(set) var released: [ReleasedSlots] = []
    /// The fields whose values are not the circle's and could not be said. They are said once they can be.
    private(set) var unsaid: [ItemID: Set<FieldName>] = [:]

    /// - Returns: nil if this device can open no generation, so that it has nothing to say things with.
    init?(
        _ vault: OpenVault, _ view: CircleView, _ shared: SharedItems, classKeys: ClassKeys, _ change: Change
    ) {
        guard let generation = view.usable else { return nil }
        self.generation = generation
        (self.vault, self.view, self.shared, self.classKeys, self.change) = (vault, view, shared, classKeys, change)
        sharedBefore = view.state.items
        now = PartWriter(amid: sharedBefore, writer: view.device.id, now: vault.now(), isLimited: false)
    }

    /// Says a change with the time at which it was made. What a machine had before it entered a circle is not newer for
    /// that.
    private func writer(_ part: SharedPart) -> PartWriter {
        stamps.map { now.at($0.stamp(of: ItemPart(part)).clock) } ?? now
    }

    /// - Returns: the view and the shared items with this vault's changes in them.
    /// - Throws: `.locked` if a class key is missing that a changed value needs; `.damaged`, `.storage`.
    mutating func find() throws(VaultError) -> (view: CircleView, shared: SharedItems) {
        let (items, time) = (try change.allIDs(), vault.now())
        let names = SharedNames(sharedBefore)
        var known: [SharedItemID: SharedItem] = [:]
        for item in sharedBefore { for id in item.ids { known[id] = item } }
        // One after the other, because all of them together are large.
        for id in items {
            // In a full vault, sealing another item anew may have dropped it from the bin.
            guard let item = try change.itemIfPresent(id), let id = SharedItemID(bytes: id.bytes) else { continue }
            left = nil
            do throws(VaultError) {
                stamps = try change.stamps(of: item.summary.id, in: change.fields(of: item))
                try look(at: item, known[id], id, names, time)
            } catch {
                // Damage of one item keeps no other one from being shared.
                guard error.damagedItem != nil else { throw error }
                obstacles[item.summary.id] = .unreadable
                // One that comes back has not come yet. Else it would replace later what nobody has seen here.
                if let left { shared.leave(item.summary.id, at: left.time) }
                // Nor does another machine's older value take the place of one that an earlier file may still have.
                unsaid[item.summary.id] = Set(item.summary.metadata.fields.map(\.name))
            }
        }
        stamps = nil
        let present = Set(items)
        shared.keepLeft(of: present)
        for id in shared.ids where !present.contains(id) {
            shared.remove(id)
            guard let id = SharedItemID(bytes: id.bytes), let item = known[id], !item.isInBin else { continue }
            for deletion in try merging({ () throws(MergingError) in try now.delete(item) }) { try add(deletion) }
        }
        return (view, shared)
    }

    private mutating func look(
        at item: StoredItem, _ known: SharedItem?, _ id: SharedItemID, _ names: SharedNames, _ time: UInt64
    ) throws(VaultError) {
        let metadata = item.summary.metadata
        if let obstacle = TravelRule.obstacle(item.record.access) {
            if metadata.deleted == nil { obstacles[item.summary.id] = obstacle }
            guard let known, shared.contains(item.summary.id), !known.isInBin else { return }
            // What they cannot ask for stays with the others as it was.
            guard obstacle != .gated else { return }
            // What now belongs to this machine alone leaves them.
            shared.leave(item.summary.id, at: mover.now)
            return try bin(known)
        }
        guard let known else {
            guard metadata.deleted == nil, !metadata.isExpired(at: time) else { return }
            return try create(item, id)
        }
        if !shared.contains(item.summary.id) {
            // Another machine's item has this one's id, and is not this one's. But a vault that has come back to its circle
            // has the item under the same name.
            let own = view.device.id
            let leaving =
                ItemLeaving(of: known, by: own)
                ?? shared.left[item.summary.id].map { ItemLeaving(at: $0, by: own) }
            guard metadata.deleted == nil else { return }
            // What this device had taken out of the circle is its own to bring back, under any name.
            guard leaving != nil || metadata.name == known.localName(names) else {
                obstacles[item.summary.id] = .nameTaken
                return
            }
            shared.put(item.summary.id)
            // Else, what it has is older than what the circle has, and no edit: it takes in the circle's.
            guard leaving != nil else { return }
            left = leaving
        }
        if metadata.deleted != nil {
            if !known.isInBin { try bin(known) }
            return
        }
        if known.isInBin {
            for one in try merging({ () throws(MergingError) in try writer(.bin).restore(known) }) { try add(one) }
        }
        try compare(item, known, names)
    }

    /// An item that leaves the circle does so when its access control is changed.
    private var mover: PartWriter {
        stamps.map { now.at(max($0.stamp(of: .bin).clock, $0.stamp(of: .access).clock)) } ?? now
    }

    private mutating func bin(_ item: SharedItem) throws(VaultError) {
        let days = BinSetting(change.next).days
        let mover = mover
        for one in try merging({ () throws(MergingError) in try mover.bin(item, days: max(days, 1)) }) {
            try add(one)
        }
    }

    private mutating func create(_ item: StoredItem, _ id: SharedItemID) throws(VaultError) {
        let item = try sealedAnewIfOld(item)
        let metadata = item.summary.metadata
        var fields: [(FieldName, SealedField)] = []
        var values: [FieldName: CarriedValue] = [:]
        for value in try change.values(of: item) {
            guard let carried = try carried(value) else { return }
            fields.append((value.fieldName, carried.field))
            values[value.fieldName] = carried.value
        }
        let (stamps, now) = (stamps, now)
        let changes = try merging { () throws(MergingError) in
            try writer(.name).create(id, metadata.name, item.record.access, fields) { part in
                stamps?.stamp(of: ItemPart(part)).clock ?? now.now
            }
        }
        for one in changes {
            if case .field(let name) = one.part { try add(one, values[name]) } else { try add(one) }
        }
        said.formUnion(try change.values(of: item).map(\.field.revision))
        shared.put(item.summary.id)
        guard let new = view.state.item(id) else { return }
        try compareTexts(metadata, new, of: item.summary.id)
    }

    private mutating func compare(
        _ stored: StoredItem, _ known: SharedItem, _ names: SharedNames
    ) throws(VaultError) {
        let item = try sealedAnewIfOld(stored)
        let metadata = item.summary.metadata
        let id = item.summary.id
        if metadata.name != known.localName(names), metadata.name != known.uncutName(names),
            left == nil || metadata.name != known.name, !isAsItLeft(.name),
            try !shared.isWithheld(.name, of: id, present: metadata.name.bytes)
        {
            try add(try merging { () throws(MergingError) in try writer(.name).rename(known, to: metadata.name) })
        }
        try compareAccess(item, known)
        try compareTexts(metadata, known, of: id)
        var present: Set<FieldName> = []
        for value in try change.values(of: item) {
            present.insert(value.fieldName)
            let part = SharedPart.field(value.fieldName)
            guard try !known.hasValue(value) else {
                try release(value, known.shown(part))
                continue
            }
            guard try !shared.isWithheld(part, of: id, present: value.field.revision.bytes) else { continue }
            guard let carried = try carried(value) else {
                unsaid[id, default: []].insert(value.fieldName)
                continue
            }
            try add(edit(part, of: known, to: .value(carried.field)), carried.value)
            said.insert(value.field.revision)
        }
        for case .field(let name) in known.parts where !present.contains(name) {
            guard try !shared.isWithheld(.field(name), of: id, present: []) else { continue }
            try add(edit(.field(name), of: known, to: nil))
        }
    }

    private mutating func compareAccess(_ item: StoredItem, _ known: SharedItem) throws(VaultError) {
        let access = item.record.access
        guard known.access != access,
            try !shared.isWithheld(.access, of: item.summary.id, present: access.encoded)
        else { return }
        guard left == nil else { return try add(edit(.access, of: known, to: .access(access))) }
        for one in try merging({ () throws(MergingError) in try writer(.access).guardItem(known, by: access) }) {
            try add(one)
        }
    }

    private mutating func compareTexts(
        _ metadata: Metadata, _ known: SharedItem, of id: ItemID
    ) throws(VaultError) {
        let attributes = metadata.attributes.keys.sorted().map { SharedPart.attribute(Array($0.utf8)) }
        for part in [.label, .comment, .expiry] + attributes {
            try compare(part, metadata.content(of: part), known, of: id)
        }
        for case .attribute(let bytes) in known.parts {
            // Names that Unicode calls equivalent are one name here, and two there.
            guard metadata.content(of: .attribute(bytes)) == nil else { continue }
            try compare(.attribute(bytes), nil, known, of: id)
        }
    }

    private mutating func compare(
        _ part: SharedPart, _ content: PartContent?, _ known: SharedItem, of id: ItemID
    ) throws(VaultError) {
        guard known.shown(part)?.content != content else { return }
        if try shared.isWithheld(part, of: id, present: content?.bytes ?? []) { return }
        guard !isAsItLeft(part) else { return }
        try add(edit(part, of: known, to: content))
    }

    /// Whether a part of an item that comes back was not changed while the item was away. It is as old as that.
    private func isAsItLeft(_ part: SharedPart) -> Bool {
        guard let left, let stamps else { return false }
        return stamps.stamp(of: ItemPart(part)).clock <= left.time
    }

    /// This vault's change of a part. Of an item that comes back, it replaces what that had when it left, and nothing else.
    ///
    /// - Parameter content: nil removes it.
    /// - Returns: nil if there is nothing to remove.
    private func edit(
        _ part: SharedPart, of known: SharedItem, to content: PartContent?
    ) throws(VaultError) -> PartChange? {
        let editor = content == nil ? now : writer(part)
        return try merging { () throws(MergingError) -> PartChange? in
            if let left { return try left.change(part, of: known, to: content, by: editor) }
            guard let content else { return try editor.remove(part, of: known) }
            return try editor.set(part, of: known, to: content)
        }
    }

    /// Gives a value that the circle has the slots that were made for it since.
    private mutating func release(_ value: ItemValue, _ shown: PartChange?) throws(VaultError) {
        guard !value.field.access.requirements.isEmpty, let shown else { return }
        let slots = try change.offered(value.field.revision)
        guard !slots.isEmpty else { return }
        do throws(CircleFormError) { released.append(try ReleasedSlots(of: shown.name, slots)) } catch {
            throw .impossible(error)
        }
        said.insert(value.field.revision)
    }

    /// A value of format 1 or 2 is bound to this vault, so it is sealed anew before it travels. One that needs a person is
    /// sealed anew when it is released.
    private mutating func sealedAnewIfOld(_ item: StoredItem) throws(VaultError) -> StoredItem {
        let values = try change.values(of: item)
        guard item.record.access.requirements.isEmpty, values.contains(where: { $0.field.format == 1 }) else {
            return item
        }
        var opened: [FieldValue] = []
        for value in values {
            let plain = try vault.open(
                value, change.sealedValue(of: value), classKeys: { classKeys }, agreements: [:],
                applicationPassword: nil)
            opened.append(FieldValue(value.fieldName, plain))
        }
        _ = try vault.store(
            opened, item.summary.metadata, item.record.access, password: nil, replacing: item, for: .access, change)
        return try change.item(item.summary.id)
    }

    /// A value as a record carries it.
    ///
    /// - Returns: nil for one that is too long, and for one that a person has to release first.
    private mutating func carried(
        _ value: ItemValue
    ) throws(VaultError) -> (field: SealedField, value: CarriedValue)? {
        let sealed = try change.sealedValue(of: value)
        let record = value.field
        let slots = try slots(of: value)
        guard !slots.isEmpty else {
            // Alone, there is nobody to release it to.
            if view.membership.members.count > 1 { obstacles[value.item.id] = .toRelease }
            return nil
        }
        guard sealed.count + ReleasedSlots.bytes(of: slots).count <= TravelRule.longestValue,
            let kind = value.item.metadata.field(value.fieldName)?.kind,
            let item = SharedItemID(bytes: record.item.bytes),
            let field = SealedField(
                revision: record.revision.bytes, digest: record.valueDigest, access: record.access)
        else {
            obstacles[value.item.id] = .tooLong
            return nil
        }
        do throws(CircleFormError) {
            return (
                field,
                try CarriedValue(
                    kind: kind, item: item, commitment: record.commitment, slots: slots, sealed: sealed)
            )
        } catch { throw .impossible(error) }
    }

    /// - Returns: none for a guarded value that has none for others yet.
    private func slots(of value: ItemValue) throws(VaultError) -> [ValueSlot] {
        let revision = value.field.revision
        guard value.field.access.requirements.isEmpty else { return try change.offered(revision) }
        return [
            try MembersSlot(
                circle: view.device.circle, generation: generation.name, value: value.context(in: vault.format.vault),
                revision: revision
            ).wrap(vault.itemKey(of: value, classKeys: classKeys), generation)
        ]
    }

    private mutating func add(_ change: PartChange?, _ value: CarriedValue? = nil) throws(VaultError) {
        guard let change else { return }
        do throws(CircleFormError) {
            view.add(PendingChange(generation: generation.name, try CarriedChange(change, value)))
        } catch { throw .impossible(error) }
    }
}

/// Translates an error of the rules. None of them is expected: a vault holds no more than a circle.
func merging<Value>(_ body: () throws(MergingError) -> Value) throws(VaultError) -> Value {
    do throws(MergingError) { return try body() } catch {
        switch error {
        case .cryptography(let error): throw VaultError(error)
        case .manyItems, .manyFields, .manyAttributes:
            throw VaultError(.limitExceeded, "the circle has as many items as it may have", cause: error)
        case .impossible, .replacesTooMany:
            throw VaultError(.storage, "a change could not be said to the circle", cause: error)
        }
    }
}

extension SharedItem {
    /// What the item requires here: all that must be met; nil if no one access control says it.
    var access: AccessControl? { CombinedAccess(meeting: floor)?.expressed }

    func isExpired(at now: UInt64) -> Bool {
        guard case .expiry(let time)? = shown(.expiry)?.content else { return false }
        return time <= now
    }

    /// Whether a local value is the one that everybody shows, also if it was sealed anew for the item's access control.
    func hasValue(_ value: ItemValue) throws(VaultError) -> Bool {
        guard case .value(let field)? = shown(.field(value.fieldName))?.content else { return false }
        if value.field.revision.bytes == field.revision { return true }
        return try value.field.revision == RevisionID(sealing: field.revision, under: value.field.access)
    }
}

extension RevisionID {
    /// The revision of a value that a reader seals anew under another access control. All readers make the same.
    init(sealing revision: [UInt8], under access: AccessControl) throws(VaultError) {
        let digest = try cryptography { () throws(CryptographyError) in
            try SHA256.digest(
                LengthPrefixed.encode(Array("org.coffer.circle.revision".utf8), revision, access.encoded))
        }
        guard let id = RevisionID(bytes: Array(digest.prefix(RevisionID.count))) else {
            throw .damaged("a revision has no id")
        }
        self = id
    }
}
