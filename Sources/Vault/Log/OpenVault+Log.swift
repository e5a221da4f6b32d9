import Cryptography

/// The access log (docs/vault-format.md, "The access log"). ``AccessLog`` has its state and its rules. The vault only
/// gives it the tree, which vouches for its end.
extension OpenVault {
    /// Records an access.
    ///
    /// - Throws: `.storage` if that fails. An access that must be recorded must then not happen.
    public func note(_ record: AccessRecord, _ durability: LogDurability) throws(VaultError) {
        try restoredLog().note(record, durability) { () throws(VaultError) in try anchorLog() }
    }

    /// Whether `anchorLog` has nothing to do.
    public var isLogAnchored: Bool { log.isAnchored }

    /// Syncs the log, and makes the tree vouch for its last record if it does not already. If the vault's file was
    /// replaced, the log is only synced, and reading goes on. Nobody would ask the tree of that file.
    ///
    /// - Throws: `.storage`, `.damaged`.
    public func anchorLog() throws(VaultError) {
        guard log.isRestored else { return }
        try log.sync()
        guard log.headToAnchor() != nil else { return }
        // Every change writes the log's head into the tree.
        do throws(VaultError) { try write(.logEnd) { (_) throws(VaultError) in } } catch {
            guard error.code == .replaced else { throw error }
        }
    }

    /// The records in their order.
    ///
    /// - Parameters:
    ///   - number: returns only later records than this one.
    ///   - time: returns only records from then on, in milliseconds since 1970-01-01 UTC.
    /// - Throws: `.storage`; `.damaged` for the vault itself, never for the log.
    public func logPage(
        after number: UInt64 = 0, since time: UInt64 = 0, limit: Int = AccessLogLimits.answer
    ) throws(VaultError) -> LogPage { try restoredLog().page(after: number, since: time, limit: limit) }

    /// Checks every record.
    ///
    /// - Throws: `.storage`; `.damaged` for the vault itself, never for the log.
    public func verifyLog() throws(VaultError) -> LogVerification { try restoredLog().verification() }

    /// The log, checked against the tree when it is first used.
    func restoredLog() throws(VaultError) -> AccessLog {
        guard !log.isRestored else { return log }
        let anchor = try read { (snapshot) throws(VaultError) in
            try snapshot.tree.digest(of: cryptography { () throws(CryptographyError) in try TreeEntry.logKey() })
        }
        try log.restore(anchor: anchor)
        return log
    }
}

extension Change {
    /// Makes the tree vouch for the log, up to the record with this MAC.
    func anchor(_ head: [UInt8]) throws(VaultError) {
        try tree.set(cryptography { () throws(CryptographyError) in try TreeEntry.logKey() }, head)
    }
}
