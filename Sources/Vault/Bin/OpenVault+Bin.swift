import Item

/// What deleting an item has done.
public struct Deletion: Sendable {
    /// The item as it was.
    public let item: ItemSummary
    /// Until when the bin keeps it, in milliseconds since 1970-01-01 UTC; nil if it is gone for good.
    public let until: UInt64?

    public init(item: ItemSummary, until: UInt64?) {
        self.item = item
        self.until = until
    }
}

/// The bin: items that were deleted and can be had back for some days. Nobody is asked, and the vault may be locked.
/// No value is read or sealed, so everything that guarded an item guards it still.
extension OpenVault {
    /// For how long the vault keeps what was deleted.
    public var bin: BinSetting {
        get throws(VaultError) { try read { (snapshot) throws(VaultError) in BinSetting(snapshot.header) } }
    }

    /// Puts the item of this name into the bin, expired or not. It is gone from then on, and its name is free. If the
    /// vault has no bin, or if the item is a file's key, it is deleted for good.
    ///
    /// - Parameters:
    ///   - revision: the state that the item must be in; nil for any.
    ///   - protection: for an item that is deleted for good, when an older copy of the file can no longer undo this.
    /// - Throws: as ``delete(service:account:kind:ifRevision:protection:)``.
    @discardableResult
    public func putAside(
        service: String, account: String, kind: ItemKind = .genericPassword, ifRevision revision: ItemRevision? = nil,
        protection: DeletionProtection = .soon
    ) throws(VaultError) -> Deletion {
        try write(protection: protection) { (change) throws(VaultError) in
            let old = try change.item(service: service, account: account, kind: kind)
            try old.check(revision)
            guard let old else { throw .notFound }
            return try putAside(old, change)
        }
    }

    func putAside(_ item: StoredItem, _ change: Change) throws(VaultError) -> Deletion {
        try checkMayChange(item, change)
        let setting = BinSetting(change.next)
        guard setting.days > 0, item.summary.metadata.kind.goesIntoBin else {
            try change.remove(item)
            return Deletion(item: item.summary, until: nil)
        }
        let now = now()
        var metadata = item.summary.metadata
        metadata.deleted = now
        _ = try replace(item, metadata: metadata, change)
        return Deletion(item: item.summary, until: setting.end(ofDeleted: now))
    }

    /// The items of the bin that can be had back, sorted by name, and those of one name by the time of their deletion,
    /// the latest first.
    ///
    /// - Parameters:
    ///   - service: nil for items of all services.
    ///   - kind: nil for items of all kinds. The bin has no settings.
    /// - Throws: `.damaged`, `.storage`.
    public func deletedItems(service: String? = nil, kind: ItemKind? = nil) throws(VaultError) -> [ItemSummary] {
        let now = now()
        let binned = try read { (snapshot) throws(VaultError) in
            let setting = BinSetting(snapshot.header)
            return try snapshot.bin().filter { setting.keeps($0.deleted, at: now) }
        }
        return binned.sorted { BinnedItem.isBefore($1, $0) }.map(\.item.summary)
            .filter { item in service.map { item.metadata.service.isSameText(as: $0) } ?? true }
            .sortedByName(of: kind)
    }

    /// Takes the item of this name that was deleted last out of the bin. It is again as it was.
    ///
    /// - Throws: `.notFound` if the bin has none; `.alreadyExists` if another item has its name; `.damaged`, `.storage`.
    @discardableResult
    public func putBack(
        service: String, account: String, kind: ItemKind = .genericPassword
    ) throws(VaultError) -> ItemSummary {
        try write { (change) throws(VaultError) in
            let found = try binned(service, account, kind, change).max(by: BinnedItem.isBefore)
            guard let old = found?.item else { throw .notFound }
            guard try change.item(service: service, account: account, kind: kind) == nil else {
                throw VaultError(
                    .alreadyExists, "another item has the name of the deleted one by now",
                    advice: "give that item another name first, with: coffer rename")
            }
            try checkMayChange(old, change)
            var metadata = old.summary.metadata
            metadata.deleted = nil
            return try replace(old, metadata: metadata, change)
        }
    }

    /// Deletes all items of this name that are in the bin, for good.
    ///
    /// - Returns: the items, that which was deleted last first.
    /// - Throws: `.notFound` if the bin has none; `.damaged`, `.storage`.
    @discardableResult
    public func deleteFromBin(
        service: String, account: String, kind: ItemKind = .genericPassword, protection: DeletionProtection = .soon
    ) throws(VaultError) -> [ItemSummary] {
        try write(protection: protection) { (change) throws(VaultError) in
            let found = try binned(service, account, kind, change).sorted { BinnedItem.isBefore($1, $0) }
            guard !found.isEmpty else { throw .notFound }
            for binned in found { try change.remove(binned.item) }
            return found.map(\.item.summary)
        }
    }

    /// The items of this name that the bin still has.
    private func binned(
        _ service: String, _ account: String, _ kind: ItemKind, _ snapshot: Snapshot
    ) throws(VaultError) -> [BinnedItem] {
        let (setting, now) = (BinSetting(snapshot.header), now())
        return try snapshot.bin().filter { binned in
            let metadata = binned.item.summary.metadata
            return metadata.kind == kind && metadata.service.isSameText(as: service)
                && metadata.account.isSameText(as: account) && setting.keeps(binned.deleted, at: now)
        }
    }

    /// Deletes the items that the bin has kept long enough. Nobody has promised that they are gone by now, so an older
    /// copy of the file may undo this for some minutes: it gives none of them back either.
    ///
    /// - Parameter limit: the most items that are deleted now, those that were deleted first.
    /// - Returns: the items as they were.
    /// - Throws: `.damaged`, `.storage`.
    public func sweepBin(limit: Int) throws(VaultError) -> [ItemSummary] {
        let now = now()
        // The clock may have leapt since the caller has looked at it.
        guard mayDrop(at: now) else { return [] }
        let isDue = try read { (snapshot) throws(VaultError) -> Bool in
            let setting = BinSetting(snapshot.header)
            // The header tells whether looking is worth it.
            guard !setting.keeps(snapshot.header.oldestDeletion, at: now) else { return false }
            for binned in try snapshot.bin() where !setting.keeps(binned.deleted, at: now) {
                // Otherwise the file would be written each time, for nothing.
                if try snapshot.canDrop(binned.item) { return true }
            }
            return false
        }
        // Without anything to delete, the file is not written.
        guard isDue else { return [] }
        return try write(protection: .later) { (change) throws(VaultError) in
            let setting = BinSetting(change.header)
            return try change.keepBin(limit: limit) { setting.keeps($0.deleted, at: now) }.map(\.item.summary)
        }
    }

    /// Changes for how long the bin keeps items. Those whose time has passed then are deleted at once.
    ///
    /// - Returns: whether an item was deleted that could be had back until now.
    func put(_ setting: BinSetting, _ change: Change) throws(VaultError) -> Bool {
        let (former, now) = (BinSetting(change.next), now())
        change.next.binDays = setting.days
        let dropped = try change.keepBin { setting.keeps($0.deleted, at: now) && former.keeps($0.deleted, at: now) }
        return dropped.contains { former.keeps($0.deleted, at: now) }
    }
}
