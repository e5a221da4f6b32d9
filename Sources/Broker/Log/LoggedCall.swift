import BrokerProtocol
import Varlink
import Vault

/// What a call wanted, for the record of its refusal.
struct LoggedCall: Sendable {
    let event: AccessRecord.Event
    var service: String?
    var account: String?
    var reason: String?

    /// Refusals by rule. What is not there, or makes no sense, is refused by nobody.
    private static let refusals: Set<Fault.Name> = [
        .locked, .challengeRefused, .notPermitted, .applicationPasswordRefused,
    ]

    /// - Returns: nil for what is no refusal.
    func record(of fault: Fault, by request: Request) -> AccessRecord? {
        guard Self.refusals.contains(fault.name), request.condition != .none else { return nil }
        // A name that no item can have says nothing, and costs room.
        let subject = service.flatMap { service in
            max(service.utf8.count, account?.utf8.count ?? 0) > Limits.name
                ? nil : AccessRecord.Subject(item: nil, service: service, account: account, require: [])
        }
        return AccessRecord(
            event, outcome: OutcomeWord.of(fault), by: request.program(), of: subject,
            reason: reason.flatMap { $0.utf8.count > Limits.reason ? nil : $0 })
    }
}
