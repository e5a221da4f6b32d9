import Authorization
import Cryptography
import Item

/// Stores values. This needs public keys only, so nobody is asked and the vault may be locked.
extension OpenVault {
    /// Stores an item. An existing item keeps its id and creation time, and what the draft leaves out of its label,
    /// comment, attributes, expiry and access control. An expired item keeps the same, except its expiry.
    ///
    /// - Parameter revision: the state that the item must be in; nil for any, also for none.
    /// - Returns: the item, and when the replaced value had been set.
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
        try checkAvailability(access, hasPassword: draft.applicationPassword != nil)
        let metadata = draft.metadata(over: old?.summary.metadata, at: now)
        let item = try store(
            draft.value, metadata, access, password: draft.applicationPassword, replacing: old, change)
        return (item, live?.summary.metadata.valueSet)
    }

    /// The access control that an item will have once the draft is stored.
    ///
    /// - Throws: `.invalidArgument` if that contradicts itself; `.damaged`, `.storage`.
    public func access(after draft: ItemDraft) throws(VaultError) -> AccessControl {
        try read { (snapshot) throws(VaultError) in
            try draft.access(over: snapshot.item(draft)?.summary.access)
        }
    }

    /// Seals a value that was read under another access control, and may change the item's metadata.
    ///
    /// - Parameter item: as it was when the value was read.
    /// - Throws: `.changed` if the item has another version by now; otherwise as `set`.
    @discardableResult
    public func reseal(
        _ item: ItemSummary, value: SecretBytes, access: AccessControl, applicationPassword: StretchedPassword? = nil,
        changes: MetadataChanges = MetadataChanges()
    ) throws(VaultError) -> ItemSummary {
        try checkAvailability(access, hasPassword: applicationPassword != nil)
        return try write { (change) throws(VaultError) in
            let old = try change.present(item)
            let metadata = try changed(old.summary.metadata, by: changes)
            return try store(
                value, metadata, access, password: applicationPassword, replacing: old, for: .access, change)
        }
    }

    /// Seals value and metadata under a fresh key, and makes a slot for each way of reading. Every item is stored this
    /// way.
    ///
    /// - Parameters:
    ///   - replacement: decides what stays of the values before.
    ///   - identity: the id and version that the item had in another vault. nil continues the old item, or starts a new
    ///     one.
    @discardableResult
    func store(
        _ value: SecretBytes, _ metadata: Metadata, _ access: AccessControl, password: StretchedPassword?,
        replacing old: StoredItem?, for replacement: Replacement = .value,
        as identity: (id: ItemID, version: UInt64)? = nil, _ change: Change
    ) throws(VaultError) -> ItemSummary {
        let fresh = try cryptography { () throws(CryptographyError) in try ItemID.random() }
        let id = identity?.id ?? old?.summary.id ?? fresh
        var metadata = metadata
        metadata.biometrySet =
            access.requirements.contains(.biometryCurrentSet) ? record.biometrySet.map(Hex.encode) : nil
        let version = identity?.version ?? (old?.record.version ?? 0) + 1
        let name = metadata.name
        let (field, sealedValue) = try cryptography { () throws(CryptographyError) in
            try seal(value, of: id, name, access, version: version, password: password)
        }
        let stamps = try stamps(of: id, replacing: old, by: metadata, access, for: replacement, change)
        let fields = ItemFields(
            sealedStamps: try change.context(of: id).seal(stamps, key: keys.metadata), fields: [[field]])
        if let old { try keepFormer(of: old, for: replacement, under: access, change) }
        let summary = try change.put(fields, metadata, access, version: version, of: id, replacing: old)
        try change.put(sealedValue: sealedValue, field, of: id)
        if let old, old.record.access != access { try change.moveEpoch(.forFreeStep) }
        return summary
    }

    /// Seals a value under a fresh key, with a slot for each way of reading.
    private func seal(
        _ value: SecretBytes, of item: ItemID, _ name: ItemName, _ access: AccessControl, version: UInt64,
        password: StretchedPassword?
    ) throws(CryptographyError) -> (FieldRecord, sealedValue: [UInt8]) {
        let revision = try RevisionID.random()
        let context = FieldContext(
            vault: format.vault, item: item, field: .secret, access: access, seal: .third(revision), name: name)
        let itemKey = try SecretBytes.random(count: AESGCM.keyCount)
        let sealed = try context.seal(value, key: itemKey)
        var slots: [Slot] = []
        for shape in Slot.shapes(for: access) {
            let recipients = SlotRecipients(
                classKey: keybag.publicKey(of: shape.keyClass) ?? [],
                constraintKeys: shape.requirements.roles.map { constraintPoints[$0] ?? [] })
            slots.append(try Slot.wrap(itemKey, shape, for: recipients, password: password, context))
        }
        let record = FieldRecord(
            version: version, revision: revision, valueKey: revision.bytes, format: 3, item: item, access: access,
            valueDigest: try SHA256.digest(sealed), commitment: try context.commitment(to: itemKey), slots: slots)
        return (record, sealed)
    }

    /// The stamps of an item's parts once it is stored.
    private func stamps(
        of item: ItemID, replacing old: StoredItem?, by metadata: Metadata, _ access: AccessControl,
        for replacement: Replacement, _ change: Change
    ) throws(VaultError) -> ItemStamps {
        let (now, vault) = (now(), format.vault)
        guard let old else { return ItemStamps(base: Stamp(clock: metadata.modified, origin: vault)) }
        var stamps = try change.stamps(of: item, in: change.fields(of: old))
        stamps.note(from: old.summary.metadata, to: metadata, at: now, in: vault)
        if old.record.access != access { stamps.note(.access, at: now, in: vault) }
        if replacement.hasOtherValue { stamps.note(.field(.secret), at: now, in: vault) }
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
    /// The item that a caller looked at before. The item must still have the same version.
    func present(_ summary: ItemSummary) throws(VaultError) -> StoredItem {
        guard let item = try itemIfPresent(summary.id), item.summary.version == summary.version else {
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
