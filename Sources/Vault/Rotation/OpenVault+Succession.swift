import Authorization
import Cryptography
import Platform

/// Renews all keys of a vault at once: a new file with other keys replaces the vault's file (docs/rotation.md).
extension OpenVault {
    /// Writes a successor's file without items, and notes which vault it succeeds. Replaces what an earlier renewal has
    /// left.
    ///
    /// - Parameters:
    ///   - keys: made for `record`.
    ///   - record: the record that the registry will have.
    /// - Throws: `.changed` if the renewal was begun for another record; `.invalidArgument` if keys and record do not
    ///   belong together; `.storage`.
    public func begin(_ succession: Succession, keys: NewVaultKeys) throws(VaultError) {
        guard succession.former == record else {
            throw VaultError(.changed, "the vault is not the one that is to be renewed")
        }
        try VaultFile.removeSuccessor(of: record.owner, in: directory)
        let successor = try cryptography { () throws(CryptographyError) in
            try VaultKeys(deviceRoot: keys.deviceRoot, vault: succession.record.vault)
        }
        try note(succession, successor)
        try VaultFile.createSuccessor(directory: directory, keys: keys, record: succession.record)
    }

    /// Notes how far a renewal has come. Both vaults vouch for the note.
    public func note(_ succession: Succession, with successor: OpenVault) throws(VaultError) {
        try note(succession, successor.keys)
    }

    private func note(_ succession: Succession, _ successor: VaultKeys) throws(VaultError) {
        try succession.write(
            VaultFile.successionPath(of: record.owner, in: directory), former: keys.integrity,
            successor: successor.integrity)
    }

    /// The renewal that this vault has begun; nil if there is none, or if somebody else wrote the note.
    public var succession: Succession? {
        get throws(VaultError) {
            let path = VaultFile.successionPath(of: record.owner, in: directory)
            let found = try Succession.read(path, by: .former, key: keys.integrity)
            guard let found, found.former == record, found.record.owner == record.owner else { return nil }
            return found
        }
    }

    /// The renewal that produced this vault, until nothing of the former vault is left.
    ///
    /// - Returns: nil if there is none, or if somebody else wrote the note.
    public var origin: Succession? {
        get throws(VaultError) {
            let path = VaultFile.successionPath(of: record.owner, in: directory)
            let found = try Succession.read(path, by: .successor, key: keys.integrity)
            guard let found, found.record.vault == record.vault, found.record.owner == record.owner,
                found.former.owner == record.owner
            else { return nil }
            return found
        }
    }

    /// Opens a successor, to put items into it. Unseals the device root on the calling thread.
    ///
    /// - Throws: `.damaged` if it does not match the record; otherwise as opening a vault does.
    public convenience init(
        successorIn directory: String, record: RegistryRecord, sealer: any Sealer,
        now: @escaping @Sendable () -> UInt64 = SystemClock.now
    ) throws(VaultError) {
        try self.init(
            directory: directory, record: record, sealer: sealer, now: now, logLimit: AccessLogLimits.size,
            isSuccessor: true)
    }

    /// The items that a successor lacks or has in an earlier state, sorted by name. Expired items are not carried over.
    ///
    /// - Parameter successor: nil if there is none yet.
    public func missing(in successor: OpenVault?) throws(VaultError) -> [ItemSummary] {
        let there = try successor?.everything() ?? []
        let theirs = Dictionary(there.map { ($0.id, $0) }) { first, _ in first }
        return try living().filter { item in !(theirs[item.id]?.isSame(as: item) ?? false) }.sorted {
            ($0.metadata.service, $0.metadata.account) < ($1.metadata.service, $1.metadata.account)
        }
    }

    /// Puts items into a successor unchanged, each with a fresh key. It takes all of them or none.
    ///
    /// - Throws: `.fingersChanged`; `.invalidArgument` for an item that the successor has no key for; `.storage`.
    public func takeUp(
        _ items: [(item: ItemSummary, value: SecretBytes, applicationPassword: StretchedPassword?)]
    ) throws(VaultError) {
        for entry in items {
            try checkAvailability(entry.item.access, hasPassword: entry.applicationPassword != nil)
        }
        try write { (change) throws(VaultError) in
            for (item, value, password) in items {
                let metadata = item.metadata
                try checkFingers(metadata)
                try store(
                    value, metadata, item.access, password: password, replacing: change.itemIfPresent(item.id),
                    for: .key, as: (item.id, item.version), change)
            }
        }
    }

    /// Updates an item's metadata if nothing else has changed since the item was carried over.
    ///
    /// - Returns: false if its value has changed too.
    public func followMetadata(of item: ItemSummary) throws(VaultError) -> Bool {
        guard let old = try read({ (snapshot) throws(VaultError) in try snapshot.itemIfPresent(item.id) }),
            old.summary.version == item.version, old.summary.access == item.access,
            old.summary.metadata.biometrySet == item.metadata.biometrySet
        else { return false }
        try write { (change) throws(VaultError) in
            _ = try replace(change.present(old.summary), metadata: item.metadata, change)
        }
        return true
    }

    /// Removes items that the former vault no longer has, and carries its access log over. This is the last step before
    /// the registry is told.
    ///
    /// - Parameter event: the log's record of the renewal.
    public func complete(from former: OpenVault, recording event: AccessRecord) throws(VaultError) {
        let living = Set(try former.living().map(\.id))
        let gone = try everything().filter { !living.contains($0.id) }
        let setting = try former.history
        let isOtherSetting = try history != setting
        if !gone.isEmpty || isOtherSetting {
            try write { (change) throws(VaultError) in
                for item in gone { try change.remove(change.present(item)) }
                change.put(setting)
            }
        }
        let (records, problem) = try former.allRecords()
        try log.begin(with: records)
        if let problem { try note(AccessRecord(.broken, detail: problem), .synced) }
        try note(event, .anchored)
        _ = try verify()
    }

    /// The item with this id; nil if there is none.
    public func item(_ id: ItemID) throws(VaultError) -> ItemSummary? {
        try read { (snapshot) throws(VaultError) in try snapshot.itemIfPresent(id)?.summary }
    }

    /// Takes the first step of a run that fills a successor. Calls the sealer on the calling thread.
    public func beginFilling(with sealer: any Sealer) throws(VaultError) {
        try follow(sealer)
        try begin()
        try follow(sealer)
    }

    /// Advances the epoch once more, so that every copy of the incomplete successor is an older one. Calls the sealer
    /// on the calling thread.
    public func endFilling(with sealer: any Sealer) throws(VaultError) {
        guard isCounted else { return }
        try follow(sealer)
        try write { (change) throws(VaultError) in try change.moveEpoch() }
        try follow(sealer)
    }

    private func follow(_ sealer: any Sealer) throws(VaultError) {
        do throws(SealerError) { try count(with: sealer) } catch { throw VaultError(error, of: record) }
    }

    /// Closes the file. The vault cannot be used after this.
    public func close() throws(VaultError) {
        forget()
        try database.close()
    }

    private func everything() throws(VaultError) -> [ItemSummary] {
        try readFile { (snapshot) throws(VaultError) in try snapshot.allItems().map(\.summary) }
    }

    private func living() throws(VaultError) -> [ItemSummary] {
        let now = now()
        return try everything().filter { !$0.metadata.isExpired(at: now) }
    }

    private func allRecords() throws(VaultError) -> ([AccessRecord], problem: String?) {
        var records: [AccessRecord] = []
        while true {
            let page = try logPage(after: records.last?.sequence ?? 0)
            records += page.records
            guard page.hasMore else { return (records, page.problem) }
        }
    }
}
