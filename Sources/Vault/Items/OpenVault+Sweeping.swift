/// Deletes items long after they expired. Reads refuse them from their expiry on.
extension OpenVault {
    /// Deletes the items, also those in the bin, that expired at this time or earlier, those that expired first before
    /// the others. Damaged ones stay. An older copy of the file may undo this for some minutes: it gives none of them
    /// out either. Other machines keep theirs: the clock of this one may be wrong.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970-01-01 UTC.
    ///   - limit: the most items that are deleted now.
    /// - Returns: the items as they were.
    /// - Throws: `.damaged`, `.storage`.
    public func sweep(expiredBy time: UInt64, limit: Int) throws(VaultError) -> [ItemSummary] {
        // The clock may have leapt since the caller has looked at it.
        guard mayDropFormer else { return [] }
        let due = try read { (snapshot) throws(VaultError) -> [ItemSummary] in
            let expired = try snapshot.allSummaries().filter { $0.metadata.isExpired(at: time) }
                .sorted { ($0.metadata.expires ?? 0) < ($1.metadata.expires ?? 0) }
            var due: [ItemSummary] = []
            for item in expired where due.count < limit {
                if try snapshot.canDrop(snapshot.item(item.id)) { due.append(item) }
            }
            return due
        }
        // Without anything to delete, the file is not written.
        guard !due.isEmpty else { return [] }
        return try write(protection: .later) { (change) throws(VaultError) in
            var swept: [ItemSummary] = []
            for item in due {
                // Somebody may have set it again, or given it another time.
                guard let present = try change.itemIfPresent(item.id),
                    present.summary.metadata.isExpired(at: time), try change.canDrop(present)
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

/// What happens if the clock may be wrong.
extension OpenVault {
    /// Lets changes drop former values, and sweeps delete items, only while the clock shows this time or an earlier
    /// one. At first they always may. What people ask for is not concerned.
    ///
    /// - Parameter time: milliseconds since 1970-01-01 UTC.
    public func dropFormer(onlyUntil time: UInt64) { dropsFormerUntil.withLock { $0 = time } }

    var mayDropFormer: Bool { mayDrop(at: now()) }

    /// Whether something may go because its time has passed, if the clock shows this time.
    func mayDrop(at time: UInt64) -> Bool { time <= dropsFormerUntil.withLock { $0 } }

    /// The times before a moment that items and the access log have, in no order.
    ///
    /// - Parameter moment: milliseconds since 1970-01-01 UTC, like the result.
    /// - Throws: `.damaged`, `.storage`.
    public func traces(before moment: UInt64) throws(VaultError) -> [UInt64] {
        let items = try read { (snapshot) throws(VaultError) in try snapshot.allSummaries() }
        var times = try restoredLog().times(before: moment)
        for metadata in items.map(\.metadata) {
            for time in [metadata.modified, metadata.valueSet, metadata.deleted ?? 0] where time < moment {
                times.append(time)
            }
        }
        return times
    }
}
