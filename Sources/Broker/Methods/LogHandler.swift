import BrokerProtocol
import Varlink
import Vault

/// `Log`: what was done with the caller's vault, and what was refused.
enum LogHandler: MethodHandler {
    static func answer(_ method: Keychain.Log, _ request: Request) async throws(Fault) -> MethodAnswer {
        guard request.condition != .none else {
            return .reply(Keychain.Log.Reply(records: [], more: false, problem: nil))
        }
        guard let since = UInt64(exactly: method.since ?? 0), let after = UInt64(exactly: method.after ?? 0) else {
            throw Fault(.invalidArgument, "a time cannot be before 1970, and a number cannot be below 0")
        }
        let page = try await request.vaultActor.use { try $0.vault.logPage(after: after, since: since) }
        return .reply(
            Keychain.Log.Reply(
                records: page.records.map { Keychain.LogRecord($0) }, more: page.hasMore, problem: page.problem))
    }
}

/// `VerifyLog`: whether a record is missing or changed.
enum VerifyLogHandler: MethodHandler {
    static func answer(_ method: Keychain.VerifyLog, _ request: Request) async throws(Fault) -> MethodAnswer {
        guard request.condition != .none else {
            return .reply(Keychain.VerifyLog.Reply(whole: true, problem: nil, records: 0, first: nil, last: nil))
        }
        let found = try await request.vaultActor.use { try $0.vault.verifyLog() }
        return .reply(
            Keychain.VerifyLog.Reply(
                whole: found.problem == nil, problem: found.problem, records: Int64(found.records),
                first: found.first.map { Int64(clamping: $0) }, last: found.last.map { Int64(clamping: $0) }))
    }
}
