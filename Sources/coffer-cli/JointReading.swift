import Coffer
import FoundationEssentials

/// Reads the values of many items, as many in one request as the broker takes. A person is asked once for each request with guarded items.
struct JointReading {
    let session: CommandSession
    let noPrompt: Bool
    /// For the prompt and the log.
    let reason: String
    /// For errors: what needs the values.
    let purpose: String
    /// The command to run in a terminal if nobody can be asked here.
    let command: String

    /// - Returns: the values of those that have not expired meanwhile.
    func values(of items: [ItemAttributes]) throws(KeychainError) -> [Item] {
        var values: [Item] = []
        var progress = ProgressLine(total: items.count, verb: "Read")
        defer { progress.clear() }
        for start in stride(from: 0, to: items.count, by: BatchLimits.reads) {
            values += try read(Array(items[start..<min(start + BatchLimits.reads, items.count)]))
            // A prompt of the next request would be in the same line.
            if items.allSatisfy(\.access.requirements.isEmpty) { progress.show(values.count) }
        }
        return values
    }

    /// Reads half as many at a time if the answer would be too long.
    private func read(_ items: [ItemAttributes]) throws(KeychainError) -> [Item] {
        do throws(KeychainError) {
            return try session.call(
                ItemCall.readAll(items.map { PartialName($0.name) }, ReadRequest(reason: reason)), for: purpose,
                noPrompt: noPrompt, command: command)
        } catch {
            if error.code == .notFound {
                // The broker gives out nothing if one item has expired since the list was made.
                let now = Date()
                let live = items.filter { !$0.isExpired(at: now) }
                guard live.count < items.count else { throw error }
                return live.isEmpty ? [] : try read(live)
            }
            guard error.code == .limitExceeded, items.count > 1 else { throw error }
            let half = items.count / 2
            return try read(Array(items[..<half])) + read(Array(items[half...]))
        }
    }
}

extension ItemAttributes {
    /// The broker lists an item that has expired, but it gives its value to nobody.
    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}
