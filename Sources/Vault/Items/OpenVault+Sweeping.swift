/// Deletes items long after they expired. Reads refuse them from their expiry on.
extension OpenVault {
    /// Deletes the items, also those in the bin, that expired at this time or earlier, those that expired first before the
    /// others. An older copy of the file may undo this for some minutes: it gives none of them out either. Other machines keep
    /// theirs: the clock of this one may be wrong.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970-01-01 UTC.
    ///   - limit: the most items that are deleted now.
    /// - Returns: the items as they were.
    /// - Throws: `.damaged`, `.storage`.
    public func sweep(expiredBy time: UInt64, limit: Int) throws(VaultError) -> [ItemSummary] {
        let due = try read { (snapshot) throws(VaultError) in try snapshot.allSummaries() }
            .filter { $0.metadata.isExpired(at: time) }
            .sorted { ($0.metadata.expires ?? 0) < ($1.metadata.expires ?? 0) }
            .prefix(limit)
        // Without anything to delete, the file is not written.
        guard !due.isEmpty else { return [] }
        return try write(protection: .later) { (change) throws(VaultError) in
            var swept: [ItemSummary] = []
            for item in due {
                // Somebody may have set it again, or given it another time.
                guard let present = try change.itemIfPresent(item.id),
                    present.summary.metadata.isExpired(at: time)
                else { continue }
                try change.remove(present)
                swept.append(present.summary)
            }
            // One in the bin was deleted, and that is said to the others.
            try change.unshare(swept.filter { !$0.isDeleted }.map(\.id))
            return swept
        }
    }
}
