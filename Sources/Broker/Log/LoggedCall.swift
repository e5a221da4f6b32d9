import BrokerProtocol
import Varlink
import Vault

/// What a call asked for, for the record of its refusal.
struct LoggedCall: Sendable {
    let event: AccessRecord.Event
    var service: String?
    var account: String?
    var reason: String?

    /// Refusals by a rule. An error about a missing item or an invalid call is not a refusal.
    private static let refusals: Set<Fault.Name> = [
        .locked, .challengeRefused, .notPermitted, .applicationPasswordRefused,
    ]

    /// - Returns: nil if the error is not a refusal.
    func record(of fault: Fault, by request: Request) -> AccessRecord? {
        guard Self.refusals.contains(fault.name), request.condition != .none else { return nil }
        // A name longer than any item's tells nothing and takes room, so it is left out.
        let subject = service.flatMap { service in
            max(service.utf8.count, account?.utf8.count ?? 0) > Limits.name
                ? nil : AccessRecord.Subject(item: nil, service: service, account: account, require: [])
        }
        return AccessRecord(
            event, outcome: OutcomeWord.of(fault), by: request.program(), of: subject,
            reason: reason.flatMap { $0.utf8.count > Limits.reason ? nil : $0 })
    }
}
