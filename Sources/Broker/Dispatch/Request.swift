import Authorization
import BrokerProtocol
import Varlink
import Vault

/// One call that was let in, with everything its method needs.
struct Request: Sendable {
    let core: BrokerCore
    let caller: Caller
    let vaultActor: VaultActor
    /// The vault's condition when the call was let in.
    let condition: VaultCondition
    let admission: Admission
    /// What the caller's own vault was in when the call was let in, where the vault is a group's; nil elsewhere.
    let own: VaultCondition?
    /// Counts the secrets that the call brings.
    let secrets: SecretAllowance
    /// Whether the caller has hung up.
    let isAbandoned: @Sendable () -> Bool

    /// For a part of the call that gives back what it takes when it is done.
    func withOwnAllowance() -> Request {
        Request(
            core: core, caller: caller, vaultActor: vaultActor, condition: condition, admission: admission, own: own,
            secrets: SecretAllowance(core.budgets, for: caller.uid), isAbandoned: isAbandoned)
    }

    /// Who calls, for the log.
    func program(_ granted: Challenge? = nil) -> AccessRecord.Program {
        LoggedProgram.of(uid: caller.uid, caller.process, resolved: granted?.program)
    }

    /// What to answer where a vault has to be made first.
    func creationRequired() async throws(Fault) -> Fault {
        try requireOwnOpen()
        try await vaultActor.checkOwnerExists()
        return try ask(for: [.create])
    }

    /// Opening a group's vault is for a member whose own is open.
    func requireOwnOpen() throws(Fault) {
        guard admission.standing != .member || own == .unlocked else { throw Faults.ownLocked }
    }

    /// A member's lock that came while a value was being read counts: what was read stays here.
    func confirmOwn() async throws(Fault) {
        guard own == .unlocked else { return }
        guard await core.vaultStore.condition(of: caller.uid) == .unlocked else { throw Faults.ownLocked }
    }

    /// Makes the challenge that a person has to answer before this call can be done.
    func ask(
        for purposes: [Keychain.Purpose], subject: Challenge.Subject? = nil, reason: String? = nil,
        vault: VaultID? = nil, choice: SignatureChoice = .none, enrolment: [AuthorizationKind] = [],
        enrolled: [AuthorizationKind] = [], registers: [Int] = [], newName: Challenge.Name? = nil
    ) throws(Fault) -> Fault {
        let kept = SecretAllowance(core.budgets, for: caller.uid)
        // What its signatures release, and one root that takes another's place.
        try kept.take(SecretAllowance.key, times: choice.authorizations.count + 1)
        let id = try core.challenges.issue(
            to: caller, owner: vaultActor.owner, vault: vault, purposes: purposes, subject: subject, reason: reason,
            choice: choice, enrolment: enrolment, enrolled: enrolled, registers: registers, secrets: kept,
            newName: newName)
        return Fault(.authenticationRequired, Fault.Details(challenge: id, purposes: purposes.map(\.rawValue)))
    }

    /// Takes what was granted for this call, once.
    func redeem(_ id: Challenge.ID?) throws(Fault) -> Challenge? {
        guard let id else { return nil }
        let granted: Challenge
        do throws(ChallengeRefusal) { granted = try core.challenges.redeem(id, by: caller) } catch {
            throw Faults.challengeRefused
        }
        guard granted.owner == vaultActor.owner else { throw Faults.challengeRefused }
        return granted
    }
}
