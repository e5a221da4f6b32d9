import Cryptography

/// Edits items' metadata and deletes items. No value is read, so nobody is asked.
extension OpenVault {
    /// - Throws: `.changed` if the item has another version by now; `.limitExceeded`, `.invalidArgument`, `.damaged`,
    ///   `.storage`.
    @discardableResult
    public func edit(_ item: ItemSummary, changes: MetadataChanges) throws(VaultError) -> ItemSummary {
        try write { (change) throws(VaultError) in
            let old = try change.present(item)
            return try replace(old, metadata: changed(old.summary.metadata, by: changes), change)
        }
    }

    /// Checks that an item may get a name, without renaming it.
    ///
    /// - Throws: `.alreadyExists` if another item has it; `.limitExceeded`, `.invalidArgument`, `.damaged`, `.storage`.
    public func checkName(_ service: String, _ account: String, for item: ItemSummary) throws(VaultError) {
        try Limits.check(service: service, account: account)
        let other = try read { (snapshot) throws(VaultError) in try snapshot.item(service: service, account: account) }
        guard other == nil || other?.summary.id == item.id else { throw Self.nameIsTaken }
    }

    private static var nameIsTaken: VaultError { VaultError(.alreadyExists, "an item of that name exists already") }

    /// Gives an item another name.
    ///
    /// - Throws: `.alreadyExists` if another item has the name; otherwise as `edit`.
    @discardableResult
    public func rename(_ item: ItemSummary, service: String, account: String) throws(VaultError) -> ItemSummary {
        try Limits.check(service: service, account: account)
        return try write { (change) throws(VaultError) in
            let old = try change.present(item)
            if let other = try change.item(service: service, account: account) {
                guard other.summary.id == item.id else { throw Self.nameIsTaken }
                return old.summary
            }
            let before = old.summary.metadata
            let metadata = Metadata(
                service: service, account: account, label: before.label, comment: before.comment,
                attributes: before.attributes,
                created: before.created, modified: now(), valueSet: before.valueSet, expires: before.expires,
                biometrySet: before.biometrySet)
            return try replace(old, metadata: metadata, change)
        }
    }

    /// - Throws: `.changed` if the item has another version by now; `.damaged`, `.storage`.
    public func delete(_ item: ItemSummary) throws(VaultError) {
        try write { (change) throws(VaultError) in try change.remove(change.present(item)) }
    }

    func replace(_ old: StoredItem, metadata: Metadata, _ change: Change) throws(VaultError) -> ItemSummary {
        let sealed = try old.context(format).seal(metadata: metadata, key: keys.metadata)
        let summary = ItemSummary(
            id: old.summary.id, version: old.record.version, metadata: metadata, access: old.record.access)
        try change.put(old.record.replacing(sealedMetadata: sealed), of: summary, replacing: old)
        return summary
    }
}
