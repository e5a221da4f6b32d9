import Cryptography

/// How safely a record must be stored.
public enum LogDurability: Sendable {
    /// Written, and synced with the next record that is. For reads that ask nobody.
    case written
    /// On disk.
    case synced
    /// On disk, and the vault's tree vouches for it, so that nobody can remove it unnoticed.
    case anchored
}

/// Some of the log's records, oldest first.
public struct LogPage: Sendable {
    public let records: [AccessRecord]
    /// Whether more records follow the last of these.
    public let hasMore: Bool
    /// What is wrong with the chain, in words. The page has the records up to the fault.
    public let problem: String?
}

/// The result of checking the whole log.
public struct LogVerification: Sendable {
    /// What is wrong, in words; nil if no record is missing or changed.
    public let problem: String?
    public let records: Int
    /// The numbers of the oldest and the newest record.
    public let first: UInt64?
    public let last: UInt64?
}

/// The access log (docs/vault-format.md, "The access log").
extension OpenVault {
    /// Records an access.
    ///
    /// - Throws: `.storage` if that fails. An access that must be recorded must then not happen.
    public func note(_ record: AccessRecord, _ durability: LogDurability) throws(VaultError) {
        try prepareLog()
        if log.isFull {
            // The anchored record must be among those that stay.
            try anchorLog()
            try log.dropOldHalf()
        }
        try log.append(record)
        switch durability {
        case .written: break
        case .synced: try log.sync()
        case .anchored: try anchorLog()
        }
    }

    /// Whether `anchorLog` has nothing to do.
    public var isLogAnchored: Bool { log.isAnchored }

    /// Syncs the log, and makes the tree vouch for its last record if it does not already.
    ///
    /// - Throws: `.storage`, `.damaged`.
    public func anchorLog() throws(VaultError) {
        guard log.isRestored else { return }
        try log.sync()
        guard log.headToAnchor() != nil else { return }
        // Every change writes the log's head into the tree.
        try write(.logEnd) { (_) throws(VaultError) in }
    }

    /// The records in their order.
    ///
    /// - Parameters:
    ///   - number: returns only later records than this one.
    ///   - time: returns only records from then on, in milliseconds since 1970-01-01 UTC.
    /// - Throws: `.storage`; `.damaged` for the vault itself, never for the log.
    public func logPage(
        after number: UInt64 = 0, since time: UInt64 = 0, limit: Int = AccessLogLimits.answer
    ) throws(VaultError) -> LogPage {
        try prepareLog()
        return try log.look { (content, head, anchor) throws(VaultError) in
            let first = content.frames.firstIndex { $0.sequence > number } ?? content.frames.endIndex
            let valid = try cryptography { () throws(CryptographyError) in
                try content.validCount(from: first, log.format)
            }
            var records: [AccessRecord] = []
            for frame in content.frames[first..<first + valid] {
                let record = try log.format.open(frame)
                guard record.time >= time else { continue }
                if records.count == limit { return LogPage(records: records, hasMore: true, problem: nil) }
                records.append(record)
            }
            return LogPage(
                records: records, hasMore: false,
                problem: try log.problem(of: content, head: head, anchor: anchor))
        }
    }

    /// Checks every record.
    ///
    /// - Throws: `.storage`; `.damaged` for the vault itself, never for the log.
    public func verifyLog() throws(VaultError) -> LogVerification {
        try prepareLog()
        return try log.look { (content, head, anchor) throws(VaultError) in
            var problem = try log.problem(of: content, head: head, anchor: anchor)
            if problem == nil {
                for frame in content.frames {
                    let record = try log.format.open(frame)
                    guard record.event == .broken else { continue }
                    // A vault's first record ever. Before it there was only an earlier vault's log, left in this place.
                    if record.sequence == 1, content.start?.previous == LogStart.none { continue }
                    problem = "before record \(record.sequence), \(record.detail ?? "it was changed")"
                }
            }
            return LogVerification(
                problem: problem, records: content.frames.count, first: content.frames.first?.sequence,
                last: content.frames.last?.sequence)
        }
    }

    private func prepareLog() throws(VaultError) {
        guard !log.isRestored else { return }
        let anchor = try read { (snapshot) throws(VaultError) in
            try snapshot.tree.digest(of: cryptography { () throws(CryptographyError) in try TreeEntry.logKey() })
        }
        try log.restore(anchor: anchor)
    }
}

extension Change {
    /// Makes the tree vouch for the log, up to the record with this MAC.
    func anchor(_ head: [UInt8]) throws(VaultError) {
        try tree.set(cryptography { () throws(CryptographyError) in try TreeEntry.logKey() }, head)
    }
}
