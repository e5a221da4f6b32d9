import Authorization
import Circle
import Cryptography
import Item

/// Stores values. This needs public keys only, so nobody is asked and the vault may be locked.
extension OpenVault {
    /// Stores one field of an item. An existing item keeps its id and creation time, and what the draft leaves out of
    /// its label, comment, attributes, expiry and access control. It keeps its other fields, too. An expired item keeps
    /// neither these nor its expiry.
    ///
    /// - Parameter revision: the state that the item must be in; nil for any, also for none.
    /// - Returns: the item, and when the replaced value of the field had been set.
    /// - Throws: `.outdated` if the item is not in that state; `.alreadyExists` or `.notFound`, depending on the mode;
    ///   `.changed` if its access control would not be the one that was judged; `.limitExceeded`, `.invalidArgument`,
    ///   `.damaged`, `.storage`.
    @discardableResult
    public func set(
        _ draft: ItemDraft, mode: ItemDraft.Mode = .replace, ifRevision revision: ItemRevision? = nil
    ) throws(VaultError) -> (item: ItemSummary, replaced: UInt64?) {
        try ItemLimits.check(draft)
        return try write { (change) throws(VaultError) in try set(draft, mode, ifRevision: revision, change) }
    }

    func set(
        _ draft: ItemDraft, _ mode: ItemDraft.Mode, ifRevision revision: ItemRevision?, _ change: Change
    ) throws(VaultError) -> (item: ItemSummary, replaced: UInt64?) {
        let now = now()
        let old = try change.item(draft)
        let live = old.flatMap { $0.summary.metadata.isExpired(at: now) ? nil : $0 }
        try live.check(revision)
        if live != nil, mode == .new { throw VaultError(.alreadyExists, "the item exists already") }
        if live == nil, mode == .existing { throw old.map { .expired($0.summary) } ?? .notFound }
        let access = try draft.access(over: old?.summary.access)
        guard draft.judgedAccess.map({ $0 == access }) ?? true else { throw .changed }
        try checkMayChange(old, becoming: access, change)
        try checkAvailability(access, hasPassword: draft.applicationPassword != nil)
        let present = live?.summary.metadata.field(draft.field)
        let field = ItemField(
            draft.field, draft.fieldKind ?? present?.kind ?? FieldKind(usualFor: draft.field), set: now)
        // What has expired is given to nobody, and another value does not bring the other fields back.
        let fields = try live?.summary.metadata.putting(field).fields ?? [field]
        if let live, fields.count > 1 { try checkKept(live, under: access, draft.applicationPassword, change) }
        let metadata = try draft.metadata(over: old?.summary.metadata, at: now).with(fields)
        let item = try store(
            [FieldValue(draft.field, draft.value)], metadata, access, password: draft.applicationPassword,
            replacing: old, change)
        return (item, present?.set)
    }

    /// Checks that the other fields of an item can stay as they are when one is set. Nobody has read them, so they
    /// cannot be sealed under another access control or password.
    func checkKept(
        _ item: StoredItem, under access: AccessControl, _ password: StretchedPassword?, _ snapshot: Snapshot
    ) throws(VaultError) {
        guard item.record.access == access else {
            throw VaultError(
                .invalidArgument, "the item has other fields, so one cannot be set under another access control",
                advice: "change the access control of all with: coffer edit")
        }
        guard let password else { return }
        guard try passwordSalt(of: item, snapshot) == password.salt else {
            throw VaultError(
                .invalidArgument,
                "the item has other fields, and nothing shows that their application password is this one",
                advice: "set this field by itself, or read the value and set it anew")
        }
    }

    /// The salt that the application password of all fields has; nil without a password.
    private func passwordSalt(of item: StoredItem, _ snapshot: Snapshot) throws(VaultError) -> [UInt8]? {
        try snapshot.values(of: item).first?.field.slots.lazy.map(\.salt).first { !$0.isEmpty }
    }

    /// What storing one field of an item takes if the item's other fields have an application password: it must be the
    /// same, and one of them tells.
    ///
    /// - Returns: another field, and the salt; nil if the field may come with any password.
    package func passwordCheck(
        service: String, account: String, kind: ItemKind, beside field: FieldName
    ) throws(VaultError) -> (field: FieldName, salt: [UInt8])? {
        try read { (snapshot) throws(VaultError) in
            guard let item = try snapshot.item(service: service, account: account, kind: kind),
                !item.summary.metadata.isExpired(at: now()),
                let other = item.summary.metadata.fields.first(where: { $0.name != field }),
                let salt = try passwordSalt(of: item, snapshot)
            else { return nil }
            return (other.name, salt)
        }
    }

    /// The access control that an item will have once the draft is stored.
    ///
    /// - Throws: `.invalidArgument` if that contradicts itself; `.damaged`, `.storage`.
    public func access(after draft: ItemDraft) throws(VaultError) -> AccessControl {
        try read { (snapshot) throws(VaultError) in
            try draft.access(over: snapshot.item(draft)?.summary.access)
        }
    }

    /// Seals values that were read under another access control, and may change the item's metadata.
    ///
    /// - Parameters:
    ///   - item: as it was when the values were read.
    ///   - values: of all its fields.
    /// - Throws: `.changed` if the item has another version by now; otherwise as `set`.
    @discardableResult
    package func reseal(
        _ item: ItemSummary, _ values: [FieldValue], access: AccessControl,
        applicationPassword: StretchedPassword? = nil, changes: MetadataChanges = MetadataChanges()
    ) throws(VaultError) -> ItemSummary {
        try checkAvailability(access, hasPassword: applicationPassword != nil)
        return try write { (change) throws(VaultError) in
            let old = try change.present(item)
            try checkMayChange(old, becoming: access, change)
            let metadata = try changed(old.summary.metadata, by: changes)
            return try store(
                values, metadata, access, password: applicationPassword, replacing: old, for: .access, change)
        }
    }

    /// Seals values and metadata under fresh keys, and makes a slot for each way of reading. Every item is stored this
    /// way.
    ///
    /// - Parameters:
    ///   - values: of the fields that are sealed anew. All others must be the old item's, and keep their bytes.
    ///   - metadata: has all fields of the item from now on.
    ///   - replacement: decides what stays of the values before.
    ///   - chosen: the machines that guarded values are sealed for, too; nil for all that share the vault's items.
    ///   - identity: the id and version that the item had in another vault, and the revisions of values that stay the
    ///     same. nil continues the old item, or starts a new one.
    @discardableResult
    func store(
        _ values: [FieldValue], _ metadata: Metadata, _ access: AccessControl, password: StretchedPassword?,
        replacing old: StoredItem?, for replacement: Replacement = .value,
        offering chosen: GuardReceivers? = nil,
        as identity: (id: ItemID, version: UInt64, revisions: [FieldName: RevisionID])? = nil, _ change: Change
    ) throws(VaultError) -> ItemSummary {
        let fresh = try cryptography { () throws(CryptographyError) in try ItemID.random() }
        let id = identity?.id ?? old?.summary.id ?? fresh
        let names = Set(values.map(\.name))
        let metadata = try bound(metadata, names, access)
        try checkSignatures(of: metadata, access)
        let before = try old.map { (item) throws(VaultError) in try change.values(of: item) } ?? []
        // Each value has a version of its own, so that a former one can be named by it. A field that is removed takes
        // one, too.
        let first = identity.map { $0.version - min($0.version, UInt64(values.count)) } ?? old?.record.version ?? 0
        let version = identity?.version ?? first + max(1, UInt64(values.count))
        var records: [FieldName: FieldRecord] = [:]
        var sealedValues: [(sealed: [UInt8], field: FieldRecord)] = []
        var receivers = chosen
        if receivers == nil { receivers = try change.receivers(for: access) }
        var offered: [RevisionID: [ValueSlot]] = [:]
        for (place, value) in values.enumerated() {
            let (record, sealed, slots) = try cryptography { () throws(CryptographyError) in
                try seal(
                    value, of: id, metadata.name, access, version: first + UInt64(place) + 1,
                    identity?.revisions[value.name], password: password, receivers)
            }
            offered[record.revision] = slots
            records[value.name] = record
            sealedValues.append((sealed, record))
        }
        for value in before where records[value.fieldName] == nil && metadata.field(value.fieldName) != nil {
            guard value.field.access == access else { throw VaultError(.invalidArgument, "a field was not read") }
            records[value.fieldName] = value.field
        }
        let stamps = try stamps(of: id, replacing: old, by: metadata, access, names, for: replacement, change)
        let fields = try ItemFields(
            sealedStamps: change.context(of: id).seal(stamps, key: keys.metadata),
            fields: metadata.fields.map { (field) throws(VaultError) in
                guard let record = records[field.name] else {
                    throw VaultError(.invalidArgument, "a field has no value")
                }
                return [record]
            })
        guard
            try change.takeSettingRoom(
                for: metadata, values: sealedValues.reduce(0) { $0 + $1.sealed.count }, over: old)
        else { throw SettingRule.noRoom }
        if let old {
            let gone = before.filter { names.contains($0.fieldName) || metadata.field($0.fieldName) == nil }
            try keepFormer(of: old, gone, for: replacement, under: access, change)
        }
        let summary = try change.put(fields, metadata, access, version: version, of: id, replacing: old)
        for (sealed, field) in sealedValues { try change.put(sealedValue: sealed, field, of: id) }
        // A value makes room when it is put. A field that is only removed leaves a former value, too.
        if sealedValues.isEmpty { try change.makeRoom() }
        try change.offer(offered)
        if let old, old.record.access != access { try change.moveEpoch(.forFreeStep) }
        return summary
    }

    /// Binds the fields that are sealed anew to the enrolled fingers, or to none.
    private func bound(
        _ metadata: Metadata, _ names: Set<FieldName>, _ access: AccessControl
    ) throws(VaultError) -> Metadata {
        let set = access.requirements.contains(.biometryCurrentSet) ? record.biometrySet.map(Hex.encode) : nil
        return try metadata.with(
            metadata.fields.map {
                names.contains($0.name) ? ItemField($0.name, $0.kind, set: $0.set, biometrySet: set) : $0
            })
    }

    /// A person is asked once for all fields of an item, and each takes its own signatures.
    private func checkSignatures(of metadata: Metadata, _ access: AccessControl) throws(VaultError) {
        let most = access.ways.map { $0.roles.count }.max() ?? 0
        guard metadata.fields.count * most <= VaultLimits.signatures else {
            throw VaultError(
                .limitExceeded,
                "an item that requires this has \(VaultLimits.signatures / max(1, most)) fields at most",
                advice: "make a second item for the others")
        }
    }

    /// Seals a value under a fresh key, with a slot for each way of reading.
    ///
    /// - Parameters:
    ///   - kept: the value's revision in another vault; nil for a new value.
    ///   - receivers: other machines that get slots, too.
    private func seal(
        _ value: FieldValue, of item: ItemID, _ name: ItemName, _ access: AccessControl, version: UInt64,
        _ kept: RevisionID?, password: StretchedPassword?, _ receivers: GuardReceivers?
    ) throws(CryptographyError) -> (FieldRecord, sealedValue: [UInt8], offered: [ValueSlot]) {
        let fresh = try RevisionID.random()
        let revision = kept ?? fresh
        let context = FieldContext(
            vault: format.vault, item: item, field: value.name, access: access, seal: .third(revision), name: name)
        let itemKey = try SecretBytes.random(count: AESGCM.keyCount)
        let sealed = try context.seal(value.value, key: itemKey)
        let slots = try wrap(itemKey, access, password: password, context)
        let record = FieldRecord(
            version: version, revision: revision, valueKey: revision.bytes, format: 3, item: item, access: access,
            valueDigest: try SHA256.digest(sealed), commitment: try context.commitment(to: itemKey), slots: slots)
        return (record, sealed, try receivers?.slots(itemKey, context) ?? [])
    }

    /// A slot for each way of reading, with an item key that somebody has already.
    func wrap(
        _ itemKey: SecretBytes, _ access: AccessControl, password: StretchedPassword?, _ context: FieldContext
    ) throws(CryptographyError) -> [Slot] {
        var slots: [Slot] = []
        for shape in Slot.shapes(for: access) {
            let recipients = SlotRecipients(
                classKey: keybag.publicKey(of: shape.keyClass) ?? [],
                constraintKeys: shape.requirements.roles.map { constraintPoints[$0] ?? [] })
            slots.append(try Slot.wrap(itemKey, shape, for: recipients, password: password, context))
        }
        return slots
    }

    /// The stamps of an item's parts once it is stored.
    func stamps(
        of item: ItemID, replacing old: StoredItem?, by metadata: Metadata, _ access: AccessControl,
        _ names: Set<FieldName>, for replacement: Replacement, _ change: Change
    ) throws(VaultError) -> ItemStamps {
        let (now, vault) = (now(), format.vault)
        guard let old else { return ItemStamps(base: Stamp(clock: metadata.modified, origin: vault)) }
        var stamps = try change.stamps(of: item, in: change.fields(of: old))
        stamps.note(from: old.summary.metadata, to: metadata, at: now, in: vault)
        if old.record.access != access { stamps.note(.access, at: now, in: vault) }
        if replacement.hasOtherValue {
            for name in names { stamps.note(.field(name), at: now, in: vault) }
        }
        return stamps
    }

    /// Refuses items that nobody could ever read, and access controls that contradict themselves.
    func checkAvailability(_ access: AccessControl, hasPassword: Bool) throws(VaultError) {
        do throws(AccessControlError) { try access.check() } catch { throw VaultError(error) }
        guard access.accessibility != .passcodeSet || keybag.isBound else {
            throw VaultError(
                .invalidArgument,
                "“passcode-set” is not available in this vault, because the vault has no key for it"
            )
        }
        for requirement in access.requirements.inOrder {
            if let role = requirement.role, constraintPoints[role] == nil {
                throw VaultError(
                    .invalidArgument,
                    "“\(requirement.rawValue)” is not available in this vault, because the vault has no key for it")
            }
        }
        let needsPassword = access.requirements.contains(.applicationPassword)
        guard needsPassword == hasPassword else {
            throw VaultError(
                .invalidArgument,
                needsPassword
                    ? "“app-password” needs an application password for the item"
                    : "an application password was given, but “app-password” is not required")
        }
    }

    func changed(_ metadata: Metadata, by changes: MetadataChanges) throws(VaultError) -> Metadata {
        var metadata = metadata
        try changes.apply(to: &metadata)
        metadata.modified = now()
        try ItemLimits.check(metadata)
        return metadata
    }
}

extension StoredItem? {
    /// - Parameter revision: the state that the item must be in; nil for any, also for none.
    /// - Throws: `.outdated` if it is not in that state, or not there at all.
    func check(_ revision: ItemRevision?) throws(VaultError) {
        guard let revision, self?.summary.revision != revision else { return }
        throw VaultError(
            .outdated, "the item is not as it was when it was looked at: it was changed or deleted since",
            advice: "look at it again")
    }
}

extension Change {
    /// The item that a caller looked at before. The item must still have the same version, and be in the bin or not.
    func present(_ summary: ItemSummary) throws(VaultError) -> StoredItem {
        guard let item = try itemIfPresent(summary.id), item.summary.isStill(summary) else {
            throw .changed
        }
        return item
    }
}

extension VaultError {
    static var changed: VaultError {
        VaultError(.changed, "the item was changed or deleted meanwhile", advice: "try again")
    }
}
