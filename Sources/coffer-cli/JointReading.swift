import BrokerProtocol
import Coffer

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

    func values(of items: [Keychain.Item]) throws(KeychainError) -> [Keychain.ItemValue] {
        var values: [Keychain.ItemValue] = []
        var progress = ProgressLine(total: items.count, verb: "Read")
        defer { progress.clear() }
        for start in stride(from: 0, to: items.count, by: BatchLimits.reads) {
            values += try read(Array(items[start..<min(start + BatchLimits.reads, items.count)]))
            // A prompt of the next request would be in the same line.
            if items.allSatisfy(\.access.require.isEmpty) { progress.show(values.count) }
        }
        return values
    }

    /// Reads half as many at a time if the answer would be too long.
    private func read(_ items: [Keychain.Item]) throws(KeychainError) -> [Keychain.ItemValue] {
        do throws(KeychainError) {
            return try session.call(
                Keychain.GetAll(
                    items: items.map { .init(service: $0.service, account: $0.account, kind: $0.kind) },
                    reason: reason, unlock: session.mayUnlock(noPrompt: noPrompt)),
                for: purpose, noPrompt: noPrompt, command: command
            ).items
        } catch {
            guard error.code == .limitExceeded, items.count > 1 else { throw error }
            let half = items.count / 2
            return try read(Array(items[..<half])) + read(Array(items[half...]))
        }
    }
}
