import Cryptography

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

/// Reads the log. Its own damage is an answer, never an error.
extension AccessLog {
    /// The records in their order.
    ///
    /// - Parameters:
    ///   - number: returns only later records than this one.
    ///   - time: returns only records from then on, in milliseconds since 1970-01-01 UTC.
    func page(after number: UInt64, since time: UInt64, limit: Int) throws(VaultError) -> LogPage {
        try look { (content, head, anchor) throws(VaultError) in
            let first = content.frames.firstIndex { $0.sequence > number } ?? content.frames.endIndex
            let valid = try cryptography { () throws(CryptographyError) in
                try content.validCount(from: first, format)
            }
            var records: [AccessRecord] = []
            for frame in content.frames[first..<first + valid] {
                let record = try format.open(frame)
                guard record.time >= time else { continue }
                if records.count == limit { return LogPage(records: records, hasMore: true, problem: nil) }
                records.append(record)
            }
            return LogPage(
                records: records, hasMore: false, problem: try problem(of: content, head: head, anchor: anchor))
        }
    }

    /// All records, and what is wrong with the chain after them.
    func allRecords() throws(VaultError) -> ([AccessRecord], problem: String?) {
        var records: [AccessRecord] = []
        while true {
            let page = try page(after: records.last?.sequence ?? 0, since: 0, limit: AccessLogLimits.answer)
            records += page.records
            guard page.hasMore else { return (records, page.problem) }
        }
    }

    /// When the records before a moment were made, in milliseconds since 1970-01-01 UTC like the moment.
    func times(before moment: UInt64) throws(VaultError) -> [UInt64] {
        try look { (content, _, _) throws(VaultError) -> [UInt64] in
            // `try?`: a record that does not open tells no time.
            content.frames.compactMap { frame in (try? format.open(frame))?.time }.filter { $0 < moment }
        }
    }

    /// Checks every record.
    func verification() throws(VaultError) -> LogVerification {
        try look { (content, head, anchor) throws(VaultError) in
            var problem = try problem(of: content, head: head, anchor: anchor)
            if problem == nil {
                for frame in content.frames {
                    let record = try format.open(frame)
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
}
