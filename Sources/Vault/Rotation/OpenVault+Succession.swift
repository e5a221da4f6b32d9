import Authorization
import Cryptography
import Platform

/// All keys of a vault renewed at once: another file with other keys takes its place (docs/rotation.md).
extension OpenVault {
    /// Writes the file of a successor, without items, and notes whose it is. What an earlier renewal has left is replaced.
    ///
    /// - Parameters:
    ///   - keys: made for `record`.
    ///   - record: what the registry is to say.
    /// - Throws: `.invalidArgument` where keys and record do not belong together; `.storage`.
    public func begin(_ succession: Succession, keys: NewVaultKeys) throws(VaultError) {
        guard succession.former == record else {
            throw VaultError(.changed, "the vault is another one than its keys are renewed for")
        }
        try VaultFile.removeSuccessor(of: record.owner, in: directory)
        let successor = try cryptography { () throws(CryptographyError) in
            try VaultKeys(deviceRoot: keys.deviceRoot, vault: succession.record.vault)
        }
        try note(succession, successor)
        try VaultFile.createSuccessor(directory: directory, keys: keys, record: succession.record)
    }

    /// Notes how far a renewal is. Both vaults vouch for it.
    public func note(_ succession: Succession, with successor: OpenVault) throws(VaultError) {
        try note(succession, successor.keys)
    }

    private func note(_ succession: Succession, _ successor: VaultKeys) throws(VaultError) {
        try succession.write(
            VaultFile.successionPath(of: record.owner, in: directory), former: keys.integrity,
            successor: successor.integrity)
    }

    /// The renewal that this vault has begun; nil where there is none, and for what somebody else has noted.
    public var succession: Succession? {
        get throws(VaultError) {
            let path = VaultFile.successionPath(of: record.owner, in: directory)
            let found = try Succession.read(path, by: .former, key: keys.integrity)
            guard let found, found.former == record, found.record.owner == record.owner else { return nil }
            return found
        }
    }

    /// The renewal that this vault has come out of, until nothing of the vault before is left; nil where there is none, and for what somebody else has
    /// noted.
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

    /// Opens a successor, to put items into it. The device root is unsealed on the calling thread.
    ///
    /// - Throws: `.damaged` where it is not what the record says, otherwise as the vault's own opening.
    public convenience init(
        successorIn directory: String, record: RegistryRecord, sealer: any Sealer,
        now: @escaping @Sendable () -> UInt64 = SystemClock.now
    ) throws(VaultError) {
        try self.init(
            directory: directory, record: record, sealer: sealer, now: now, logLimit: AccessLog.limit,
            isSuccessor: true)
    }

    /// The items that a successor lacks, or has as they were before, by their names. Expired ones are not carried over.
    ///
    /// - Parameter successor: nil where there is none yet.
    public func missing(in successor: OpenVault?) throws(VaultError) -> [ItemSummary] {
        let there = try successor?.everything() ?? []
        let theirs = Dictionary(there.map { ($0.id, $0) }) { first, _ in first }
        return try living().filter { theirs[$0.id] != $0 }.sorted {
            ($0.metadata.service, $0.metadata.account) < ($1.metadata.service, $1.metadata.account)
        }
    }

    /// Puts items into a successor as they are, each with a fresh key: all of them, or none.
    ///
    /// - Throws: `.fingersChanged`, `.invalidArgument` for what the successor has no key for; `.storage`.
    public func takeUp(
        _ items: [(item: ItemSummary, value: SecretBytes, applicationPassword: StretchedPassword?)]
    ) throws(VaultError) {
        for entry in items {
            try checkAvailability(entry.item.access, hasPassword: entry.applicationPassword != nil)
        }
        try write { (change) throws(VaultError) in
            for (item, value, password) in items {
                let metadata = item.metadata
                guard metadata.biometrySet == nil || metadata.biometrySet == record.biometrySet.map(Hex.encode) else {
                    throw VaultError(.fingersChanged, "the enrolled fingers changed since this item was set")
                }
                try store(
                    value, metadata, item.access, password: password, replacing: change.itemIfPresent(item.id),
                    as: (item.id, item.version), change)
            }
        }
    }

    /// Brings an item's metadata up to date, where only they have changed since it was taken up.
    ///
    /// - Returns: false where its value is another one, too.
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

    /// Takes items out that the former vault does not have any more, and carries its access log over: the last thing before the registry is told.
    ///
    /// - Parameter event: the renewal, as it is recorded.
    public func complete(from former: OpenVault, recording event: AccessRecord) throws(VaultError) {
        let living = Set(try former.living().map(\.id))
        let gone = try everything().filter { !living.contains($0.id) }
        if !gone.isEmpty {
            try write { (change) throws(VaultError) in
                for item in gone { try change.remove(change.present(item)) }
            }
        }
        let (records, problem) = try former.allRecords()
        try log.begin(with: records)
        if let problem { try note(AccessRecord(.broken, detail: problem), .synced) }
        try note(event, .anchored)
        _ = try verify()
    }

    /// The item of this id; nil where there is none.
    public func item(_ id: ItemID) throws(VaultError) -> ItemSummary? {
        try read { (snapshot) throws(VaultError) in try snapshot.itemIfPresent(id)?.summary }
    }

    /// Takes the first step of a run that fills a successor. Talks to the sealer on the calling thread.
    public func beginFilling(with sealer: any Sealer) throws(VaultError) {
        try follow(sealer)
        try begin()
        try follow(sealer)
    }

    /// Moves the epoch once more: every copy of the successor from before it was complete is an older one. Talks to the sealer on the calling thread.
    public func endFilling(with sealer: any Sealer) throws(VaultError) {
        guard isCounted else { return }
        try follow(sealer)
        try write { (change) throws(VaultError) in try change.moveEpoch() }
        try follow(sealer)
    }

    private func follow(_ sealer: any Sealer) throws(VaultError) {
        do throws(SealerError) { try count(with: sealer) } catch { throw VaultError(error, of: record) }
    }

    /// Lets go of the file: nothing can be done with the vault any more.
    public func close() throws(VaultError) { try database.close() }

    private func everything() throws(VaultError) -> [ItemSummary] {
        try read { (snapshot) throws(VaultError) in try snapshot.allItems().map(\.summary) }
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
