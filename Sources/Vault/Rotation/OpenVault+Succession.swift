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
    public func note(_ succession: Succession, with successor: SuccessorVault) throws(VaultError) {
        try note(succession, successor.vault.keys)
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

    /// The items that a successor lacks or has in an earlier state, sorted by name. Expired items are not carried over,
    /// nor are those in the bin for which a person would be asked.
    ///
    /// - Parameter successor: nil if there is none yet.
    public func missing(in successor: SuccessorVault?) throws(VaultError) -> [ItemSummary] {
        let there = try successor?.vault.everything() ?? []
        let theirs = Dictionary(there.map { ($0.id, $0) }) { first, _ in first }
        return try living().filter { item in !(theirs[item.id]?.isSame(as: item) ?? false) }.sorted {
            ($0.metadata.service, $0.metadata.account) < ($1.metadata.service, $1.metadata.account)
        }
    }

    /// The item with this id; nil if there is none.
    public func item(_ id: ItemID) throws(VaultError) -> ItemSummary? {
        try read { (snapshot) throws(VaultError) in try snapshot.itemIfPresent(id)?.summary }
    }

    /// Closes the file. The vault cannot be used after this.
    public func close() throws(VaultError) {
        forget()
        try database.close()
    }

    func everything() throws(VaultError) -> [ItemSummary] {
        try readFile { (snapshot) throws(VaultError) in try snapshot.allItems().map(\.summary) }
    }

    /// What a successor has.
    func living() throws(VaultError) -> [ItemSummary] {
        let now = now()
        let setting = try bin
        return try everything().filter { item in
            guard !item.metadata.isExpired(at: now) else { return false }
            guard let deleted = item.metadata.deleted else { return true }
            // Nobody is asked for what they have deleted.
            return item.access.requirements.isEmpty && setting.keeps(deleted, at: now)
        }
    }
}
