import Authorization
import Circle
import Cryptography
import Item

/// Makes a vault's items what the circle's state says. It is the counterpart of ``LocalEdits``, which runs first, so
/// nothing that was changed here is lost. Nothing that others have written is damage of this vault.
struct SharedApplication {
    let vault: OpenVault
    private let classKeys: ClassKeys
    let change: Change
    let view: CircleView
    private let guarded: GuardedReader
    var shared: SharedItems
    /// The fields whose values this vault has and could not say to the circle. They stay as they are.
    private let unsaid: [ItemID: Set<FieldName>]
    var outcome = Outcome()
    let items: [SharedItem]
    /// The revisions that this change has sealed or taken.
    private var revisions: Set<RevisionID> = []
    /// The points of the guarded values that this change has taken.
    private var points: Set<[UInt8]> = []
    /// What of it belongs to the item that is put just now.
    private var lately: (revisions: [RevisionID], points: [[UInt8]]) = ([], [])
    /// The names of items that were set aside.
    var former: [ItemID: ItemName] = [:]

    /// - Parameters:
    ///   - items: the circle's, by the view.
    ///   - unsaid: the fields whose values stay, because they could not be said.
    init(
        _ vault: OpenVault, _ view: CircleView, _ shared: SharedItems, _ items: [SharedItem],
        leaving unsaid: [ItemID: Set<FieldName>], classKeys: ClassKeys, _ change: Change
    ) {
        (self.items, self.unsaid) = (items, unsaid)
        (self.vault, self.view, self.shared, self.classKeys, self.change) = (vault, view, shared, classKeys, change)
        guarded = GuardedReader(vault: vault, view: view, change: change)
    }

    /// - Returns: the shared items from now on, and what was done.
    /// - Throws: `.locked` if a class key is missing that a value needs; `.limitExceeded` if the vault is full;
    ///   `.damaged`, `.storage`.
    mutating func run() throws(VaultError) -> (shared: SharedItems, outcome: Outcome) {
        let names = SharedNames(items)
        let living = Set(items.flatMap(\.ids))
        // Somebody has deleted these for good. A reader cannot say again what it has, so it keeps that while something is missing
        // that may have it.
        let mayDelete = view.role != .reader || !view.lacksOfRemoved
        for id in shared.ids where mayDelete {
            guard let own = SharedItemID(bytes: id.bytes), !living.contains(own) else { continue }
            shared.remove(id)
            if let item = try change.itemIfPresent(id), TravelRule.obstacle(item.record.access) == nil {
                try unlessDamaged(own) { (application) throws(VaultError) in try application.drop(item) }
            }
        }
        var waiting = try apply(view.inOrderOfRecords(items), names, isLast: false)
        waiting.sort { $0.id < $1.id }
        try setNamesAside(of: waiting, names)
        _ = try apply(waiting, names, isLast: true)
        return (shared, outcome)
    }

    /// Some at a time: of the records with their values, only these values stay in memory, and each record is opened once for
    /// all of them.
    ///
    /// - Returns: those whose names others have.
    private mutating func apply(
        _ items: [SharedItem], _ names: SharedNames, isLast: Bool
    ) throws(VaultError) -> [SharedItem] {
        var waiting: [SharedItem] = []
        for start in stride(from: 0, to: items.count, by: Self.together) {
            let some = items[start..<min(start + Self.together, items.count)]
            view.opened.begin(
                with: Set(some.flatMap { item in item.parts.filter(\.isField).compactMap { item.shown($0)?.name } }))
            for item in some {
                try unlessDamaged(item.id) { (application) throws(VaultError) in
                    if try !application.apply(item, names, isLast: isLast) { waiting.append(item) }
                }
            }
        }
        view.opened.end()
        return waiting
    }

    private static let together = 256

    /// - Parameter isLast: whether the item has to do with the name that it has, if another one has its own.
    /// - Returns: false if another item has the name here.
    private mutating func apply(
        _ item: SharedItem, _ names: SharedNames, isLast: Bool
    ) throws(VaultError) -> Bool {
        var here: [StoredItem] = []
        for id in item.ids.compactMap({ ItemID(bytes: $0.bytes) }) {
            if let stored = try change.itemIfPresent(id) { here.append(stored) }
        }
        // Another machine's item may have the id of one that stays here. The one that is here is not touched.
        guard here.allSatisfy({ TravelRule.obstacle($0.record.access) == nil && shared.contains($0.summary.id) }) else {
            return true
        }
        for other in here.dropFirst() {
            shared.remove(other.summary.id)
            try drop(other)
        }
        if item.isInBin {
            if let first = here.first { try bin(first) }
            return true
        }
        if here.isEmpty, item.isExpired(at: vault.now()) { return true }
        // The kind of an item never changes, even if a member names another one later.
        if let first = here.first, first.summary.metadata.kind != item.name.itemClass {
            return try stay(item, names, over: first, [:])
        }
        guard SettingRule.hasOneKind(item) else {
            outcome.obstacles[item.id] = .unreadable
            return true
        }
        var withheld: SharedItems.Withheld = [:]
        guard let access = try access(of: item, over: here.first, &withheld) else { return true }
        guard let name = try name(of: item, names, over: here.first, isLast: isLast, &withheld) else {
            if isLast { outcome.obstacles[item.id] = .nameTaken }
            return false
        }
        guard try put(item, as: name, access, over: here.first, names, withheld) else {
            return try here.first.map { (old) throws(VaultError) in
                try stay(item, names, over: old, withheld)
            } ?? true
        }
        return true
    }

    /// Takes in what it can of an item whose name or access control cannot change here without its person.
    private mutating func stay(
        _ item: SharedItem, _ names: SharedNames, over old: StoredItem, _ before: SharedItems.Withheld
    ) throws(VaultError) -> Bool {
        var (name, withheld) = try unchanged(old, before, against: item, names)
        let access = old.record.access
        if item.access != access { withheld[.access] = try SharedItems.digest(access.encoded) }
        _ = try put(item, as: name, access, over: old, names, withheld)
        outcome.obstacles[item.id] = .undecided
        return true
    }

    /// The access control that the item has here from now on.
    ///
    /// - Returns: nil for a new item that does not travel yet.
    private mutating func access(
        of item: SharedItem, over old: StoredItem?, _ withheld: inout SharedItems.Withheld
    ) throws(VaultError) -> AccessControl? {
        // A setting asks nobody, even if a member requires something of it.
        if item.name.itemClass == .setting {
            if item.access != .setting { withheld[.access] = try SharedItems.digest(AccessControl.setting.encoded) }
            return .setting
        }
        if let access = item.access, TravelRule.obstacle(access) == nil, canRequire(access) { return access }
        outcome.obstacles[item.id] = .gated
        guard let old else { return nil }
        withheld[.access] = try SharedItems.digest(old.record.access.encoded)
        return old.record.access
    }

    private func canRequire(_ access: AccessControl) -> Bool {
        do throws(VaultError) {
            try vault.checkAvailability(access, hasPassword: false)
            return true
        } catch { return false }
    }

    /// - Returns: false if a guarded value would stay under another name or access control. Nobody has opened it, so it
    ///   cannot be sealed anew. Nothing is done then.
    private mutating func put(
        _ item: SharedItem, as name: ItemName, _ access: AccessControl, over old: StoredItem?,
        _ names: SharedNames, _ without: SharedItems.Withheld, isFull: Bool = false
    ) throws(VaultError) -> Bool {
        guard let id = old?.summary.id ?? ItemID(bytes: item.id.bytes) else { return true }
        lately = ([], [])
        var withheld = without
        let before = try old.map { (item) throws(VaultError) in try change.values(of: item) } ?? []
        var fields: [ItemField] = []
        var records: [FieldName: FieldRecord] = [:]
        var fresh: [(sealed: [UInt8], record: FieldRecord)] = []
        let first = old?.record.version ?? 0
        // What could not be said stays, also in a field that the circle does not have.
        let staying = unsaid[id] ?? []
        let unknown = before.map(\.fieldName).filter { staying.contains($0) && item.shown(.field($0)) == nil }
        // What is here already keeps its room, in any order of the names.
        var left = ItemLimits.fields - unknown.count - before.count { item.shown(.field($0.fieldName)) != nil }
        for part in item.parts + unknown.map(SharedPart.field) {
            guard case .field(let field) = part else { continue }
            let revision = item.shown(part)
            if let revision, !SettingRule.permits(revision, field, of: name.itemClass) {
                withheld[part] = try SharedItems.digest(
                    before.first { $0.fieldName == field }?.field.revision.bytes ?? [])
                outcome.obstacles[item.id] = .unreadable
                if let kept = before.first(where: { $0.fieldName == field }),
                    let described = kept.item.metadata.field(field)
                {
                    fields.append(described)
                    records[field] = kept.field
                }
                continue
            }
            let present = before.first { $0.fieldName == field }
            let version = first + UInt64(fresh.count) + 1
            if let revision, !staying.contains(field),
                try present.map({ (value) throws(VaultError) in try !item.hasValue(value) }) ?? true
            {
                if !isFull, present != nil || left > 0,
                    let taken = try take(revision, field, of: id, name, access, version: version)
                {
                    fields.append(taken.field)
                    records[field] = taken.record
                    fresh.append((taken.sealed, taken.record))
                    if present == nil { left -= 1 }
                    continue
                }
                // What is there already stays until a value comes that opens.
                withheld[part] = try SharedItems.digest(present?.field.revision.bytes ?? [])
                outcome.obstacles[item.id] = try isFull ? .noRoom : obstacle(revision, under: access)
            }
            guard let present, let described = present.item.metadata.field(field) else { continue }
            guard present.field.access.requirements.isEmpty || present.field.access == access && present.name == name
            else {
                takeNothing()
                return false
            }
            fields.append(described)
            records[field] = present.field
            if present.field.access != access {
                let again = try anew(present, revision, name, access, version: version)
                records[field] = again.record
                fresh.append(again)
            }
        }
        guard !fields.isEmpty else { return true }
        let metadata: Metadata
        if isFull, let old {
            // It may have been set aside for an exchange of names.
            let present = old.summary.metadata
            metadata = try present.renamed(name.service, name.account, at: present.modified)
                .kept(against: item, fields.inOrder, &withheld)
        } else {
            metadata = try item.metadata(
                as: name, fields.inOrder, over: old?.summary.metadata, at: vault.now(), &withheld)
        }
        let values = fresh.reduce(0) { $0 + $1.sealed.count }
        let hasRoom = isFull ? true : try change.makeRoom(for: metadata, values: values, over: old)
        guard hasRoom else {
            takeNothing()
            outcome.obstacles[item.id] = .noRoom
            guard let old else { return true }
            // It stays as it is, but for what the others have removed, and for what they require.
            let (name, kept) = try unchanged(old, without, against: item, names)
            return try put(item, as: name, access, over: old, names, kept, isFull: true)
        }
        shared.put(id, withheld: withheld)
        let gone = before.filter { records[$0.fieldName] != $0.field }
        let isOther = !fresh.isEmpty || !gone.isEmpty
        guard isOther || old.map({ !$0.summary.metadata.isSame(as: metadata) }) ?? true else { return true }
        try store(
            id, metadata, access, records, fresh, version: first + (isOther ? UInt64(max(1, fresh.count)) : 0),
            over: old, gone)
        if old == nil { outcome.added += 1 } else { outcome.updated += 1 }
        return true
    }

    /// The item that is put just now stays as it was.
    private mutating func takeNothing() {
        revisions.subtract(lately.revisions)
        points.subtract(lately.points)
    }

    /// A value that is here, sealed anew for another access control. All machines give it the same revision.
    private mutating func anew(
        _ value: ItemValue, _ shown: PartChange?, _ name: ItemName, _ access: AccessControl, version: UInt64
    ) throws(VaultError) -> (sealed: [UInt8], record: FieldRecord) {
        var revision = value.field.revision.bytes
        // It may have been sealed anew before.
        if case .value(let content)? = shown?.content,
            try value.field.revision == RevisionID(sealing: content.revision, under: value.field.access)
        {
            revision = content.revision
        }
        var id = try RevisionID(sealing: revision, under: access)
        // Somebody has put another value into its place. That must not keep this one from being guarded.
        if try !isFree(id, of: value.item.id) {
            id = try cryptography { () throws(CryptographyError) in try RevisionID.random() }
        }
        let plain = try vault.open(
            value, change.sealedValue(of: value), classKeys: { classKeys }, agreements: [:], applicationPassword: nil)
        return try seal(plain, of: value.item.id, value.fieldName, access, id, name, version: version)
    }

    /// Whether a value can lie under this revision. A former value of the item that has it makes room, because it is the
    /// present one again. Nobody else's has.
    private mutating func isFree(_ revision: RevisionID, of item: ItemID) throws(VaultError) -> Bool {
        guard revisions.insert(revision).inserted else { return false }
        lately.revisions.append(revision)
        guard try change.rows.sealedValue(revision.bytes) != nil else { return true }
        let former = try change.former(of: item)
        let left = former.filter { $0.value.field.revision != revision }
        guard left.count < former.count else { return false }
        try change.put(former: left, of: item, replacing: former)
        return try change.rows.sealedValue(revision.bytes) == nil
    }

    private func seal(
        _ plain: SecretBytes, of item: ItemID, _ field: FieldName, _ access: AccessControl, _ revision: RevisionID,
        _ name: ItemName, version: UInt64
    ) throws(VaultError) -> (sealed: [UInt8], record: FieldRecord) {
        let context = FieldContext(
            vault: vault.format.vault, item: item, field: field, access: access, seal: .third(revision), name: name)
        let fresh = try FreshValue(plain, context)
        return (fresh.sealed, try record(of: fresh.sealed, fresh.key, fresh.commitment, context, revision, version))
    }

    private func store(
        _ id: ItemID, _ metadata: Metadata, _ access: AccessControl, _ records: [FieldName: FieldRecord],
        _ fresh: [(sealed: [UInt8], record: FieldRecord)], version: UInt64, over old: StoredItem?, _ gone: [ItemValue]
    ) throws(VaultError) {
        let names = Set(metadata.fields.map(\.name).filter { name in fresh.contains { records[name] == $0.record } })
        let stamps = try vault.stamps(
            of: id, replacing: old, by: metadata, access, names, for: .value, change)
        let content = ItemFields(
            sealedStamps: try change.context(of: id).seal(stamps, key: change.keys.metadata),
            fields: try metadata.fields.map { (field) throws(VaultError) in
                guard let record = records[field.name] else { throw .damaged("a field has no value") }
                return [record]
            })
        if let old { try vault.keepFormer(of: old, gone, for: .value, under: access, change) }
        _ = try change.put(content, metadata, access, version: version, of: id, replacing: old)
        for (sealed, record) in fresh { try change.put(sealedValue: sealed, record, of: id) }
        // A value makes room when it is put. A field that is only removed leaves a former value, too.
        if fresh.isEmpty, !gone.isEmpty { try change.makeRoom() }
    }

    /// A value that another machine has sealed, with slots for this vault.
    ///
    /// - Returns: nil for a value that does not open, or whose key is not the one that it commits to.
    private mutating func take(
        _ revision: PartChange, _ field: FieldName, of item: ItemID, _ name: ItemName, _ access: AccessControl,
        version: UInt64
    ) throws(VaultError) -> (field: ItemField, record: FieldRecord, sealed: [UInt8])? {
        if case .value(let content)? = revision.content, !content.access.requirements.isEmpty {
            guard
                let (value, record) = try guarded.record(
                    of: revision, field, of: item, name, access, version: version),
                points.isDisjoint(with: record.points), try isFree(record.revision, of: item)
            else { return nil }
            points.formUnion(record.points)
            lately.points += record.points
            return (ItemField(field, value.kind, set: revision.stamp.clock), record, value.sealed)
        }
        guard case .value(let content)? = revision.content,
            let opened = try OpenedValue(
                revision, view.value(of: revision), in: view, of: vault.format.vault, as: name)
        else { return nil }
        let described = ItemField(field, opened.carried.kind, set: revision.stamp.clock)
        let own =
            content.access == access ? opened.revision : try RevisionID(sealing: content.revision, under: access)
        guard try isFree(own, of: item) else { return nil }
        guard content.access != access else {
            let (sealed, key) = (opened.carried.sealed, opened.key)
            let record = try record(
                of: sealed, key, opened.carried.commitment, opened.context, opened.revision, version)
            return (described, record, sealed)
        }
        let again = try seal(opened.plain, of: item, field, access, own, name, version: version)
        return (described, again.record, again.sealed)
    }

    private func record(
        of sealed: [UInt8], _ key: SecretBytes, _ commitment: [UInt8], _ context: FieldContext, _ id: RevisionID,
        _ version: UInt64
    ) throws(VaultError) -> FieldRecord {
        try cryptography { () throws(CryptographyError) in
            FieldRecord(
                version: version, revision: id, valueKey: id.bytes, format: 3, item: context.item,
                access: context.access, valueDigest: try SHA256.digest(sealed), commitment: commitment,
                slots: try vault.wrap(key, context.access, password: nil, context))
        }
    }

    mutating func bin(_ item: StoredItem) throws(VaultError) {
        guard item.summary.metadata.deleted == nil else { return }
        guard BinSetting(change.next).days > 0, item.summary.metadata.kind.goesIntoBin else {
            // It stays among the shared items: somebody may restore it.
            return try drop(item)
        }
        outcome.deleted += 1
        var metadata = item.summary.metadata
        metadata.deleted = vault.now()
        _ = try vault.replace(item, metadata: metadata, change)
    }

    /// An older copy of the file may bring it back until the epoch advances. What is taken in takes no step of its own.
    private mutating func drop(_ item: StoredItem) throws(VaultError) {
        try change.drop(item)
        outcome.deleted += 1
    }
}
