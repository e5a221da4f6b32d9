import BrokerProtocol
import Varlink
import Vault

/// One person's own vault is shared with that person's other machines, and a service's with the same service elsewhere. A
/// member of a group must not carry away its secrets.
enum SharingPrecondition {
    /// For calls that carry files, and tell. Root uses no person's vault (``VaultAccess``).
    static func check(_ request: Request) throws(Fault) {
        guard request.admission.standing != .member else {
            throw Fault(.notPermitted, "the vault of a group cannot be shared with other machines")
        }
    }

    /// Reading what others gave out, and giving out, take the keys of an unlocked vault.
    static func checkUnlocked(_ request: Request) throws(Fault) {
        try check(request)
        guard request.condition == .unlocked else { throw Faults.locked }
    }

    /// For calls that decide who shares: the vault's person does, and root for a service. The service's own account may be
    /// taken over, and nobody would be asked.
    static func checkDecides(_ request: Request) async throws(Fault) {
        try check(request)
        guard request.admission.standing == .own, request.condition != .none else { return }
        guard try await !request.vaultActor.record().isService else {
            throw Fault(
                .notPermitted, "only root decides with which machines a service vault is shared",
                advice: "as root, run the command with: --user NAME")
        }
    }

    static func checkDecidesUnlocked(_ request: Request) async throws(Fault) {
        try await checkDecides(request)
        try checkUnlocked(request)
    }

    /// For what somebody at this machine answers for: there is nobody for a service.
    static func checkPersons(_ request: Request) async throws(Fault) {
        try await checkDecidesUnlocked(request)
        guard request.admission.standing == .own else {
            throw Fault(
                .notPermitted, "a service vault has no secrets that require somebody, and no code on paper")
        }
    }

    /// The same for calls that begin to share. A vault that is not there is made first, unless the answer would be in vain.
    static func checkMade(_ request: Request) async throws(Fault) {
        try await checkDecides(request)
        guard request.condition != .none else { throw try await request.creationRequired() }
        try checkUnlocked(request)
    }
}
