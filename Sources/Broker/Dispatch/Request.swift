import Authorization
import BrokerProtocol
import Synchronization
import Varlink
import Vault

/// One admitted call, with everything that its method needs.
struct Request: Sendable {
    let core: BrokerCore
    let caller: Caller
    let vaultActor: VaultActor
    /// The vault's condition when the call was admitted.
    let condition: VaultCondition
    let admission: Admission
    /// If the vault is a group's: the condition of the caller's own vault when the call was admitted. Otherwise nil.
    let own: VaultCondition?
    /// Counts the secrets that the call brings.
    let secrets: SecretAllowance
    /// Whether the caller has hung up.
    let isAbandoned: @Sendable () -> Bool
    /// Has the challenge that the call took.
    var taken = TakenChallenge()

    /// The sealer in the caller's name.
    var sealer: SealerService { core.sealer.serving(.user(caller.uid)) }

    /// The same request for one part of the call. That part gives back its allowance as soon as it is done.
    func withOwnAllowance() -> Request {
        Request(
            core: core, caller: caller, vaultActor: vaultActor, condition: condition, admission: admission, own: own,
            secrets: SecretAllowance(core.budgets, for: caller.uid), isAbandoned: isAbandoned, taken: taken)
    }

    /// The calling program, for the access log.
    func program(_ granted: GrantedChallenge? = nil) -> AccessRecord.Program {
        LoggedProgram.of(caller, resolved: granted?.challenge.program)
    }

    /// The error for a call that needs a vault to be made first.
    func creationRequired() async throws(Fault) -> Fault {
        try requireOwnOpen()
        try await vaultActor.checkOwnerExists()
        // Before anybody is asked, because an answer would be in vain.
        let isForService = admission.standing == .root
        try await vaultActor.dependencies.requireRoom(for: vaultActor.owner, by: isForService ? nil : caller.uid)
        return try ask(for: .vault(.create), vault: nil)
    }

    /// Members may open a group's vault only while their own vault is open.
    func requireOwnOpen() throws(Fault) {
        guard admission.standing != .member || own == .unlocked else { throw Faults.ownLocked }
    }

    /// Checks a member's own vault again after an item was read. If it was locked meanwhile, the secret is not given
    /// out.
    func confirmOwn() async throws(Fault) {
        guard own == .unlocked else { return }
        guard await core.vaultStore.condition(of: caller.uid) == .unlocked else { throw Faults.ownLocked }
    }

    /// Makes the challenge that a person must answer before this call can be done.
    /// - Parameters:
    ///   - vault: nil if it is to be made.
    ///   - enrolled: the kinds that an earlier challenge of this call found to be available.
    ///   - forOthers: whether the caller asks for another program, so that its own leases do not count.
    ///   - secrets: counts what the request keeps of this call; nil if it keeps nothing.
    func ask(
        for request: Challenge.Request, vault: VaultID?, reason: String? = nil, enrolled: [AuthorizationKind] = [],
        forOthers: Bool = false, secrets: SecretAllowance? = nil
    ) throws(Fault) -> Fault {
        let kept = secrets ?? SecretAllowance(core.budgets, for: caller.uid)
        // Room for the secrets that the signatures release, and for one root that replaces another.
        try kept.take(SecretAllowance.key, times: request.choice.authorizations.count + 1)
        let id = try core.challenges.issue(
            request, to: caller, owner: vaultActor.owner, vault: vault, reason: reason, enrolled: enrolled,
            forOthers: forOthers, secrets: kept)
        var details = Fault.Details(challenge: id, purposes: request.purposes.map(\.rawValue))
        let isLeased =
            !forOthers
            && core.leases.covers(request, of: caller.uid, caller.process, owner: vaultActor.owner, vault)
        details.leased = isLeased ? true : nil
        return Fault(.authenticationRequired, details)
    }

    /// Takes the challenge that was granted for this call, once.
    func redeem(_ id: Challenge.ID?) throws(Fault) -> GrantedChallenge? {
        guard let id else { return nil }
        let granted: GrantedChallenge
        do throws(ChallengeRefusal) { granted = try core.challenges.redeem(id, by: caller) } catch {
            throw Faults.challengeRefused
        }
        taken.keep(granted.challenge)
        guard granted.challenge.owner == vaultActor.owner else { throw Faults.challengeRefused }
        // The lease can have ended since the signature.
        guard granted.grant.means != .lease || core.leases.covers(granted.challenge) else {
            throw Faults.challengeRefused
        }
        return granted
    }

    /// Records the challenge that a failed call has spent in vain, in the log of its own vault. The record of the call
    /// has only what the call claims.
    func noteSpentChallenge(_ fault: Fault) {
        guard let challenge = taken.challenge, challenge.request.isDoneByTheCall else { return }
        core.challenges.ended.add([challenge], OutcomeWord.of(fault))
    }
}

/// The challenge that a call took, without its secrets.
final class TakenChallenge: Sendable {
    private let kept = Mutex<Challenge?>(nil)

    var challenge: Challenge? { kept.withLock { $0 } }

    func keep(_ challenge: Challenge) { kept.withLock { $0 = challenge.withoutSecrets } }
}
