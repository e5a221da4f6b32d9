import Authorization
import Cryptography

/// Storing values. Needs public halves only: nobody has to be asked, nothing has to be unlocked.
extension OpenVault {
    /// Stores an item. One that is there keeps its id and creation, and the label, comment, attributes and expiry that the draft leaves out; its access control is
    /// always the draft's. One that expired keeps the same, but not the expiry.
    ///
    /// - Returns: the item, and when the value that it replaced had been set.
    /// - Throws: `.alreadyExists`, `.notFound` as the mode demands; `.limitExceeded`, `.invalidArgument`; `.damaged`, `.storage`.
    @discardableResult
    public func set(
        _ draft: ItemDraft, mode: ItemDraft.Mode = .replace
    ) throws(VaultError) -> (item: ItemSummary, replaced: UInt64?) {
        try Limits.check(draft)
        try checkAvailability(draft.access, hasPassword: draft.applicationPassword != nil)
        let now = now()
        return try write { (change) throws(VaultError) in
            let old = try change.item(service: draft.service, account: draft.account)
            let live = old.flatMap { $0.summary.metadata.isExpired(at: now) ? nil : $0 }
            if live != nil, mode == .new { throw VaultError(.alreadyExists, "there is such an item already") }
            if live == nil, mode == .existing { throw old.map { .expired($0.summary) } ?? .notFound }
            let metadata = Metadata(
                service: draft.service, account: draft.account,
                label: Self.text(draft.label, else: old?.summary.metadata.label),
                comment: Self.text(draft.comment, else: old?.summary.metadata.comment),
                attributes: draft.attributes ?? old?.summary.metadata.attributes ?? [:],
                created: old?.summary.metadata.created ?? now, modified: now,
                valueSet: now,
                expires: Self.time(draft.expires, else: live?.summary.metadata.expires))
            let item = try store(
                draft.value, metadata, draft.access, password: draft.applicationPassword, replacing: old, change)
            return (item, live?.summary.metadata.valueSet)
        }
    }

    /// The access control that the item of this name has, expired or not; nil where the vault proves that there is none.
    ///
    /// - Throws: `.damaged`, `.storage`.
    public func access(service: String, account: String) throws(VaultError) -> AccessControl? {
        try read { (snapshot) throws(VaultError) in
            try snapshot.item(service: service, account: account)?.summary.access
        }
    }

    private static func time(_ new: UInt64?, else old: UInt64?) -> UInt64? {
        guard let new else { return old }
        return new == 0 ? nil : new
    }

    private static func text(_ new: String?, else old: String?) -> String? {
        guard let new else { return old }
        return new.isEmpty ? nil : new
    }

    /// Puts an item under another access control, with the value that was read under the present one, and changes its metadata on the way.
    ///
    /// - Parameter item: as it was when the value was read.
    /// - Throws: `.changed` where it is another version by now, otherwise as `set`.
    @discardableResult
    public func reseal(
        _ item: ItemSummary, value: SecretBytes, access: AccessControl, applicationPassword: StretchedPassword? = nil,
        changes: MetadataChanges = MetadataChanges()
    ) throws(VaultError) -> ItemSummary {
        try checkAvailability(access, hasPassword: applicationPassword != nil)
        return try write { (change) throws(VaultError) in
            let old = try change.present(item)
            let metadata = try changed(old.summary.metadata, by: changes)
            return try store(value, metadata, access, password: applicationPassword, replacing: old, change)
        }
    }

    /// One code path for all items: a fresh key, sealed value and metadata, a slot for each way of reading.
    ///
    /// - Parameter identity: of an item that another vault had; nil for the next version of the old one, or the first of a new one.
    @discardableResult
    func store(
        _ value: SecretBytes, _ metadata: Metadata, _ access: AccessControl, password: StretchedPassword?,
        replacing old: StoredItem?, as identity: (id: ItemID, version: UInt64)? = nil, _ change: Change
    ) throws(VaultError) -> ItemSummary {
        let fresh = try cryptography { () throws(CryptographyError) in try ItemID.random() }
        let id = identity?.id ?? old?.summary.id ?? fresh
        var metadata = metadata
        metadata.biometrySet =
            access.constraints.contains(.biometryCurrentSet) ? record.biometrySet.map(Hex.encode) : nil
        let version = identity?.version ?? (old?.record.version ?? 0) + 1
        let context = ItemContext(format: format, item: id, version: version, access: access)
        let sealedMetadata = try context.seal(metadata: metadata, key: keys.metadata)
        let (sealedValue, digest, slots) = try cryptography { () throws(CryptographyError) in
            let itemKey = try SecretBytes.random(count: AESGCM.keyCount)
            let sealed = try context.seal(value: value, key: itemKey)
            var slots: [Slot] = []
            for shape in Slot.shapes(for: access) {
                let recipients = SlotRecipients(
                    classKey: keybag.publicKey(of: shape.keyClass) ?? [],
                    constraintKeys: shape.constraints.roles.map { constraintPoints[$0] ?? [] })
                slots.append(try Slot.wrap(itemKey, shape, for: recipients, password: password, context))
            }
            return (sealed, try SHA256.digest(sealed), slots)
        }
        let stored = ItemRecord(
            version: version, access: access, sealedMetadata: sealedMetadata, valueDigest: digest, slots: slots)
        let summary = ItemSummary(id: id, version: version, metadata: metadata, access: access)
        try change.put(stored, of: summary, replacing: old)
        try change.put(sealedValue: sealedValue, of: id)
        if let old, old.record.access != access { try change.moveEpoch() }
        return summary
    }

    /// No item is made that could never be read.
    func checkAvailability(_ access: AccessControl, hasPassword: Bool) throws(VaultError) {
        guard access.accessibility != .passcodeSet || keybag.isBound else {
            throw VaultError(
                .invalidArgument,
                "“passcode-set” needs a vault that is bound to the login password; this one is not: coffer unlock --bind"
            )
        }
        for constraint in access.constraints.members {
            if let role = constraint.role, constraintPoints[role] == nil {
                throw VaultError(
                    .invalidArgument, "“\(constraint)” is not available in this vault: it has no key for it")
            }
        }
        let needsPassword = access.constraints.contains(.applicationPassword)
        guard needsPassword == hasPassword else {
            throw VaultError(
                .invalidArgument,
                needsPassword
                    ? "“app-password” needs a password to store the item under"
                    : "an application password was given, but not asked for by “app-password”")
        }
    }

    func changed(_ metadata: Metadata, by changes: MetadataChanges) throws(VaultError) -> Metadata {
        var metadata = metadata
        try changes.apply(to: &metadata)
        metadata.modified = now()
        try Limits.check(metadata)
        return metadata
    }
}

extension Change {
    /// The item that a caller looked at before, if it is still the same version under the same name.
    func present(_ summary: ItemSummary) throws(VaultError) -> StoredItem {
        guard let item = try itemIfPresent(summary.id), item.summary.version == summary.version else {
            throw VaultError(.changed, "the item was changed or deleted meanwhile: look again")
        }
        return item
    }
}
