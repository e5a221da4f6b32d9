import Authorization
import BrokerProtocol
import Varlink
import Vault

/// An item is bound to fingers only where there are some: otherwise nobody could ever read it. Only the authenticator can see that, so it is asked, by a
/// challenge that asks no person.
enum EnrolmentRule {
    /// - Returns: what is ready, for a further challenge of the same call.
    /// - Throws: `AuthenticationRequired` for purpose `enrolment` where it was not looked yet.
    static func check(
        _ access: AccessControl, granted: Challenge?, _ request: Request
    ) async throws(Fault) -> [AuthorizationKind] {
        let needed = kinds(of: access)
        guard !needed.isEmpty else { return [] }
        let record = try await request.vaultActor.use { $0.record }
        // Whose vault cannot have it at all needs no look at fingers.
        try OwnerRule.check(access, in: record)
        let ready = granted?.ready ?? []
        if needed.allSatisfy(ready.contains) { return ready }
        // It was looked for this call already, and for something else.
        guard granted?.purposes != [.enrolment] else { throw Faults.challengeRefused }
        throw try request.ask(for: [.enrolment], vault: record.vault, enrolment: needed)
    }

    static func kinds(of access: AccessControl) -> [AuthorizationKind] {
        access.constraints.roles.compactMap(\.authorization).filter(\.isBiometric)
    }
}
