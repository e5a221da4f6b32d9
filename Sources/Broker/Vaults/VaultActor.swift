import Authorization
import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// One owner's vault: its file, its keys, whether it is locked. Everything about it happens in one order, on a queue of its own; only the sealer is waited
/// for. A lock alone does not wait for its turn (`HeldKeys`).
actor VaultActor {
    let owner: Owner
    let dependencies: VaultDependencies
    let executor: QueueExecutor
    /// What a lock takes away.
    nonisolated let held = HeldKeys()

    /// The open file, with what the registry said when it was opened. Keys go with the vault that they are of.
    var open: OpenState? {
        didSet { if open?.vault !== oldValue?.vault { held.seal() } }
    }
    /// Every waiter of one opening gets its outcome.
    private var opening: Task<Result<OpenState, Fault>, Never>?
    /// What was found wrong. It stays refused until the broker starts again: damage does not heal by looking twice.
    private var damage: Fault?
    /// The creation that is under way; a second one must not take its file away.
    var creation: Creation?
    /// The enrolment that is under way: while it is, no other may put another key in the place of its own.
    var enrolment: Challenge.ID?
    /// The binding that is under way, or its end.
    var binding: Challenge.ID?
    /// Whether the list of approved boots is being written.
    var isApproving = false
    /// How this boot stands is being asked; everybody who wants to know waits for the same.
    var standing: Task<Result<BootStanding, Fault>, Never>?
    /// The renewal of all keys that is under way.
    var renewal: Renewal?
    private var ownerCheck = OwnerCheck()
    private var isClosed = false
    /// Records that wait for the vault to be opened.
    var unlogged: [AccessRecord] = []
    var isLogScheduled = false
    var refusals = RefusalBudget()
    /// The last refusal that was only counted, while the count waits for a record that says it.
    var countedRefusal: AccessRecord.Event?
    /// The counter's following the file; everybody who needs it waits for the same.
    var raising: Task<Result<Void, Fault>, Never>?
    var isAdvanceScheduled = false
    /// The counter's next moves; see `VaultActor+Commit`.
    var commits = Commits()
    var steps: StepBudget

    struct OpenState: Sendable {
        let vault: OpenVault
        var record: RegistryRecord
        let held: HeldKeys

        /// Those of this moment: to be asked for where they are used.
        var keys: ClassKeys { held.keys ?? vault.alwaysKeys }
        var lock: LockState { held.lock }
    }

    enum LockState: Sendable, Equatable {
        case sealed
        case locked(since: Int64)
        case unlocked(since: Int64)
    }

    struct Creation {
        let challenge: Challenge.ID
        let record: RegistryRecord
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(owner: Owner, dependencies: VaultDependencies) {
        self.owner = owner
        self.dependencies = dependencies
        self.executor = QueueExecutor(label: "coffer.vault")
        steps = StepBudget(at: dependencies.clock.now())
    }

    /// More often than this a change is not begun again because others came between it and the counter.
    private static let mostAttempts = 16

    /// Does something with the open vault, opening it first where need be. Damage that it meets closes the vault.
    ///
    /// - Parameter body: where it moves the vault's epoch and the counter has not followed an earlier move yet, that is waited for, and it is run again from
    ///   its beginning. What it does before it changes the vault must bear that.
    func use<Value: Sendable>(_ body: @Sendable (OpenState) throws -> Value) async throws(Fault) -> Value {
        for _ in 0..<Self.mostAttempts {
            // A call of the actor's own method is a turn on its queue, which most calls need not wait for.
            if try openState() == nil { _ = try await opened() }
            // Nothing may come between looking at the state and using it.
            guard let state = open else { throw Faults.stopping }
            guard renewal?.offer == nil else { throw Faults.beingRenewed }
            let epoch = state.vault.epoch
            state.vault.leaveSteps(sharesStep(of: state.vault))
            let value: Value
            do {
                defer {
                    scheduleLog()
                    scheduleAdvance()
                }
                value = try body(state)
            } catch let fault as Fault {
                throw fault
            } catch let error as VaultError {
                guard error.code == .uncounted else { throw noting(Fault(error)) }
                try await raise()
                continue
            } catch {
                throw Fault(.failed, "The broker could not do it.")
            }
            let hasLeftStep = state.vault.hasLeftStep
            if hasLeftStep || state.vault.epoch != epoch,
                let acknowledgement = acknowledgement(in: state.vault, hasLeftStep: hasLeftStep)
            {
                try await wait(for: acknowledgement, of: state.vault)
            }
            return value
        }
        throw Fault(.failed, "There are too many changes to this vault at once; try again in a moment.")
    }

    /// The open vault. What comes from a file or a TPM is waited for without keeping other calls from this vault.
    func opened() async throws(Fault) -> OpenState {
        if let open = try openState() { return open }
        try await awaitDecision()
        if let open = try openState() { return open }
        let task = opening ?? begin()
        opening = task
        let result = await task.value
        if opening == task { take(result) }
        if let open { return open }
        return try result.get()
    }

    /// The open vault, where nothing has to be waited for.
    private func openState() throws(Fault) -> OpenState? {
        if let damage { throw damage }
        if isClosed { throw Faults.stopping }
        guard renewal?.offer == nil, let open else { return nil }
        try ownerCheck.check(owner, record: open.record)
        return open
    }

    private func begin() -> Task<Result<OpenState, Fault>, Never> {
        // Its file may be the one that is to be opened.
        closeRenewal()
        let opener = VaultOpener(owner: owner, dependencies: dependencies)
        return Task { [held] in await opener.open(held) }
    }

    private func take(_ result: Result<OpenState, Fault>) {
        opening = nil
        switch result {
        case .success(let state):
            guard !isClosed, damage == nil else { return }
            open = state
            noteUnlogged()
            // What an earlier run has written may wait for it.
            scheduleAdvance()
            if state.vault.isBindingUnfinished { Task { await finishBinding() } }
            Task { await endFormer() }
        case .failure(let fault): _ = noting(fault)
        }
    }

    /// Remembers damage, and lets go of what is damaged.
    func noting(_ fault: Fault) -> Fault {
        guard fault.name == .damaged else { return fault }
        if damage == nil, fault.details.kind == Keychain.rollback {
            note(AccessRecord(.rollback, outcome: "refused", detail: fault.details.message))
        }
        damage = fault
        open = nil
        held.code = nil
        dependencies.challenges.dropAll(about: owner)
        return fault
    }

    /// Root has accepted what was refused.
    func forgetDamage() throws(Fault) {
        if isClosed { throw Faults.stopping }
        damage = nil
    }

    /// What the vault is in, without touching the TPM.
    func condition() throws(Fault) -> VaultCondition {
        if let damage { throw damage }
        if isClosed { throw Faults.stopping }
        if let open {
            try ownerCheck.check(owner, record: open.record)
            switch open.lock {
            case .sealed: return .sealed
            case .locked: return .locked
            case .unlocked: return .unlocked
            }
        }
        do throws(Fault) {
            let record = try VaultOpener(owner: owner, dependencies: dependencies).registered()
            try ownerCheck.check(owner, record: record)
            return record == nil ? .none : .sealed
        } catch { throw noting(error) }
    }

    /// What the vault is in, without waiting for what it is busy with; nil where that takes a look.
    nonisolated var knownCondition: VaultCondition? {
        switch held.lock {
        case .sealed: nil
        case .locked: .locked
        case .unlocked: .unlocked
        }
    }

    /// Which vault the registry says this is, without touching the TPM.
    func vaultID() throws(Fault) -> VaultID { try record().vault }

    /// What the registry says of the vault, without touching the TPM.
    func record() throws(Fault) -> RegistryRecord {
        if let open { return open.record }
        do throws(Fault) {
            guard let record = try VaultOpener(owner: owner, dependencies: dependencies).registered() else {
                throw Faults.notFound
            }
            return record
        } catch { throw noting(error) }
    }

    /// What a stop waits for the TPM: with the time that running calls get it must stay below the unit's `TimeoutStopSec`.
    private static let patience = Duration.seconds(6)

    /// Wipes at once, with nothing else that a lock does.
    nonisolated func wipe() { _ = held.lock(at: Self.milliseconds) }

    /// Wipes and closes; nothing is opened any more.
    func close() async {
        isClosed = true
        // The keys do not wait.
        wipe()
        if let vault = open?.vault, vault.isAdvanceDue || vault.isAhead {
            await TimeLimit.wait(Self.patience) { await self.advanceEpoch(isUrgent: true) }
        }
        // What cannot be written now is what a crash would lose.
        try? open?.vault.anchorLog()
        open = nil
        closeRenewal()
    }
}
