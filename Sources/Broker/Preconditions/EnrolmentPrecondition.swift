import Authorization
import BrokerProtocol
import Item
import Varlink
import Vault

/// An item is bound to fingerprints only if there are enrolled fingers. Otherwise nobody could ever read it. Only the
/// authenticator can check that, so it gets a challenge that prompts nobody.
enum EnrolmentPrecondition {
    /// - Returns: the kinds that are available, for a further challenge of the same call.
    /// - Throws: `AuthenticationRequired` for the purpose `enrolment` if it was not checked yet.
    static func check(
        _ access: AccessControl, granted: GrantedChallenge?, _ request: Request
    ) async throws(Fault) -> [AuthorizationKind] {
        try await check([access], granted: granted, request)
    }

    /// The same for several items.
    static func check(
        _ accesses: [AccessControl], granted: GrantedChallenge?, _ request: Request
    ) async throws(Fault) -> [AuthorizationKind] {
        let needed = AuthorizationKind.allCases.filter { kind in accesses.contains { kinds(of: $0).contains(kind) } }
        guard !needed.isEmpty else { return [] }
        let record = try await request.vaultActor.use { $0.record }
        // If this owner's vault can never have such an item, fingers need no check.
        for access in accesses { try OwnerPrecondition.check(access, in: record) }
        let ready = granted?.enrolled ?? []
        if needed.allSatisfy(ready.contains) { return ready }
        // It was checked for this call already, but for other kinds.
        if let granted, granted.request.isEnrolment { throw Faults.challengeRefused }
        throw try request.ask(for: .enrolment(needed), vault: record.vault)
    }

    static func kinds(of access: AccessControl) -> [AuthorizationKind] {
        access.requirements.roles.compactMap(\.authorization).filter(\.isBiometric)
    }
}
