import Authorization
import Circle
import Cryptography

/// A vault that will replace another one, while it is being filled (docs/rotation.md). Its files have names of their
/// own, and nobody reads items from it.
public struct SuccessorVault: Sendable {
    let vault: OpenVault

    /// Opens a successor, to put items into it. Unseals the device root on the calling thread.
    ///
    /// - Throws: `.damaged` if it does not match the record; otherwise as opening a vault does.
    public init(
        in directory: String, record: RegistryRecord, sealer: any Sealer,
        now: @escaping @Sendable () -> UInt64 = SystemClock.now
    ) throws(VaultError) {
        vault = try OpenVault(
            directory: directory, record: record, sealer: sealer, now: now, logLimit: AccessLogLimits.size,
            room: Room(keepsBin: true), isSuccessor: true)
    }

    /// The sealed objects. Only the sealer can interpret them.
    public var objects: SealedObjects { vault.objects }

    /// The class keys that the unlock root opens.
    ///
    /// - Throws: `.damaged` if it does not open them.
    public func classKeys(unlockRoot: SecretBytes) throws(VaultError) -> ClassKeys {
        try vault.classKeys(unlockRoot: unlockRoot)
    }

    /// Checks that the successor's path still names its file.
    ///
    /// - Throws: `.replaced` if nothing can be stored in it; `.storage`.
    public func checkFile() throws(VaultError) { try vault.checkFile() }

    /// Closes the file.
    public func close() throws(VaultError) { try vault.close() }
}

/// Fills it.
extension SuccessorVault {
    /// Puts items into a successor unchanged, each with a fresh key. It takes all of them or none.
    ///
    /// - Throws: `.fingersChanged`; `.invalidArgument` for an item that the successor has no key for; `.storage`.
    package func takeUp(_ items: [RenewedItem]) throws(VaultError) {
        for entry in items {
            try vault.checkAvailability(entry.item.access, hasPassword: entry.applicationPassword != nil)
        }
        try vault.write { (change) throws(VaultError) in
            for entry in items {
                let (item, metadata) = (entry.item, entry.item.metadata)
                try vault.checkFingers(metadata)
                try vault.store(
                    entry.values, metadata, item.access, password: entry.applicationPassword,
                    replacing: change.itemIfPresent(item.id), for: .key,
                    as: (item.id, item.version, entry.revisions), change)
                for slots in entry.slots {
                    try change.put(.released(slots.change), ReleasedSlots.bytes(of: slots.slots))
                }
            }
        }
    }

    /// Updates an item's metadata if nothing else has changed since the item was carried over.
    ///
    /// - Returns: false if its value has changed too.
    public func followMetadata(of item: ItemSummary) throws(VaultError) -> Bool {
        guard let old = try vault.read({ (snapshot) throws(VaultError) in try snapshot.itemIfPresent(item.id) }),
            old.summary.version == item.version, old.summary.access == item.access,
            old.summary.metadata.fields == item.metadata.fields
        else { return false }
        try vault.write { (change) throws(VaultError) in
            _ = try vault.replace(change.present(old.summary), metadata: item.metadata, change)
        }
        return true
    }

    /// Removes items that the former vault no longer has, and carries its access log over. This is the last step before
    /// the registry is told.
    ///
    /// - Parameters:
    ///   - event: the log's record of the renewal.
    ///   - circle: what the former vault says last to its circle, and its keys; nil if it shares its items with nobody.
    package func complete(
        from former: OpenVault, recording event: AccessRecord,
        circle: (farewell: CircleFarewell, classKeys: ClassKeys)? = nil
    ) throws(VaultError) {
        let living = Set(try former.living().map(\.id))
        let gone = try vault.everything().filter { !living.contains($0.id) }
        let setting = try former.history
        let bin = try former.bin
        var isOtherSetting = try vault.history != setting
        if try vault.bin != bin { isOtherSetting = true }
        if !gone.isEmpty || isOtherSetting {
            try vault.write { (change) throws(VaultError) in
                for item in gone { try change.remove(change.present(item)) }
                change.put(setting)
                change.next.binDays = bin.days
            }
        }
        if let circle { try enterCircle(of: former, circle.farewell, circle.classKeys) }
        let (records, problem) = try former.restoredLog().allRecords()
        try vault.log.begin(with: records)
        if let problem {
            try vault.note(AccessRecord(.broken, detail: problem), .synced)
        } else if let mark = try former.verifyLog().problem, try vault.log.verification().problem == nil {
            // A first record that tells of lost ones would pass for the first of all here.
            try vault.note(
                AccessRecord(.broken, detail: "the log under the former keys was not whole: \(mark)"), .synced)
        }
        try vault.note(event, .anchored)
        _ = try vault.verify()
    }

    /// Takes the first step of a run that fills a successor. Calls the sealer on the calling thread.
    public func beginFilling(with sealer: any Sealer) throws(VaultError) {
        try follow(sealer)
        try vault.begin()
        try follow(sealer)
    }

    /// Advances the epoch once more, so that every copy of the incomplete successor is an older one. Calls the sealer
    /// on the calling thread.
    public func endFilling(with sealer: any Sealer) throws(VaultError) {
        guard vault.isCounted else { return }
        try follow(sealer)
        try vault.write { (change) throws(VaultError) in try change.moveEpoch() }
        try follow(sealer)
    }

    private func follow(_ sealer: any Sealer) throws(VaultError) {
        do throws(SealerError) { try vault.count(with: sealer) } catch { throw VaultError(error, of: vault.record) }
    }
}
