import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Synchronization
import Varlink
import Vault

/// One owner's vault: its file, its keys and its lock. It opens the vault, lets calls use it, locks and closes it. All
/// of its work runs in order, on a queue of its own. Only the sealer is awaited. A lock does not wait for its turn
/// (`HeldKeys`).
///
/// What changes the vault as a whole is a type of its own. Its methods run in this actor's turn, and `operation` lets
/// one of them work at a time.
actor VaultActor {
    let owner: Owner
    let dependencies: VaultDependencies
    nonisolated let executor: QueueExecutor
    /// What a lock takes away.
    nonisolated let held: HeldKeys
    /// Whether it is a service's, and shares its items. Nobody is there who could open it again, and its secrets come and
    /// go while nothing else uses it. So want of use does not lock it.
    nonisolated let isCarried = Mutex(false)

    /// The open file, with the registry's record from when it was opened. Keys are wiped when their vault is closed
    /// or replaced.
    var open: OpenState? {
        didSet {
            guard open?.vault !== oldValue?.vault else { return }
            held.seal()
            if let open { sweep.begin(with: open.vault, dependencies) }
            // The file that is opened next may have other items.
            guard oldValue != nil else { return }
            dependencies.events.publish(.missed, of: owner)
            dependencies.leases.endAll(about: owner)
        }
    }
    /// All callers that wait for an opening share this task and its outcome.
    private var opening: Task<Result<OpenState, Fault>, Never>?
    /// The damage that was found, of more than one item. The vault stays refused until the broker starts again, because a second look does
    /// not heal damage. Only the refusal of a rollback ends earlier, if root accepts the file.
    private var damage: Fault?
    /// A file and a record that do not belong together, as they were before the look at them. While both are as they
    /// were, the TPM is not used for another look, and nobody is asked in vain.
    private var torn: (fault: Fault, parts: [FileStatus])?
    /// The file and the record before the present opening, or the last one.
    private var openingParts: [FileStatus]?
    /// What is changing the vault as a whole; nil if nothing has since the broker's start.
    var operation: VaultOperation?
    private var ownerCheck = OwnerCheck()
    private var isClosed = false
    let log = VaultLog()
    let counting: VaultCounting
    let sweep = ExpirySweep()

    nonisolated let creation = VaultCreation()
    nonisolated let fingers = FingerEnrolment()
    nonisolated let roots = RootReplacement()
    nonisolated let boots = BootApproval()
    nonisolated let renewal = VaultRenewal()
    nonisolated let recovery = RecoveryCodes()
    nonisolated let rollback = RollbackAcceptance()
    nonisolated let settingAside = VaultSettingAside()
    nonisolated let sharing = VaultSharing()

    struct OpenState: Sendable {
        let vault: OpenVault
        var record: RegistryRecord
        let held: HeldKeys

        /// The present keys. Read them at each use; do not keep them.
        var keys: ClassKeys { held.keys ?? vault.alwaysKeys }
        var lock: LockState { held.lock }
    }

    enum LockState: Sendable, Equatable {
        case sealed
        case locked(since: Int64)
        case unlocked(since: Int64)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(owner: Owner, dependencies: VaultDependencies) {
        self.owner = owner
        var dependencies = dependencies
        dependencies.sealer = dependencies.sealer.serving(.owner(owner))
        self.dependencies = dependencies
        self.executor = QueueExecutor()
        held = HeldKeys(room: dependencies.itemKeyRoom(of: owner)) { [events = dependencies.events] in
            events.publish($0, of: owner)
        }
        counting = VaultCounting(at: dependencies.clock.now())
    }

    /// Does something with the open vault, and opens it first if needed. If `body` finds damage of more than one item,
    /// the vault is closed.
    ///
    /// - Parameter body: runs again from its beginning if it advances the epoch before the counter has followed an
    ///   earlier advance. Everything that it does before it changes the vault must bear repetition.
    func use<Value: Sendable>(_ body: @Sendable (OpenState) throws -> Value) async throws(Fault) -> Value {
        try await change(body).value
    }

    /// What a step of the vault has given.
    struct Outcome<Value: Sendable>: Sendable {
        let value: Value
        /// Whether an older copy of the file can still undo the change, because the TPM counts it only in some seconds.
        let isUncounted: Bool
    }

    /// The same, and tells whether the change was acknowledged before the TPM has counted it.
    func change<Value: Sendable>(
        _ body: @Sendable (OpenState) throws -> Value
    ) async throws(Fault) -> Outcome<Value> {
        for _ in 0..<CounterLimits.attempts {
            // Awaiting a method of this actor takes a turn on its queue, which most calls do not need.
            if try openState() == nil { _ = try await opened() }
            // There must be no `await` between checking the state and using it.
            guard let state = open else { throw Faults.stopping }
            guard !renewal.isOffered else { throw Faults.beingRenewed }
            let epoch = state.vault.epoch
            state.vault.leaveSteps(counting.sharesStep(of: state.vault, at: dependencies.clock.now()))
            let value: Value
            do {
                defer {
                    log.schedule(in: self)
                    counting.scheduleAdvance(in: self)
                }
                value = try body(state)
            } catch let fault as Fault {
                throw fault
            } catch let error as VaultError {
                guard error.code == .uncounted else { throw noting(Fault(error)) }
                try await counting.raise(in: self)
                continue
            } catch {
                throw Fault(.failed, "the broker could not do it")
            }
            let leftStep = state.vault.leftStep
            var isCounted = true
            if leftStep != nil || state.vault.epoch != epoch,
                let acknowledgement = counting.acknowledgement(of: state.vault, leftStep: leftStep, in: self)
            {
                isCounted = try await counting.wait(for: acknowledgement, of: state.vault, in: self)
            }
            return Outcome(value: value, isUncounted: !isCounted)
        }
        throw Fault(.failed, "there are too many changes to this vault at once", advice: "try again in a moment")
    }

    /// The open vault. Files and the TPM are awaited, so that other calls of this vault can go on.
    func opened() async throws(Fault) -> OpenState {
        if let open = try openState() { return open }
        try await renewal.awaitDecision(in: self)
        if let open = try openState() { return open }
        let task = opening ?? begin()
        opening = task
        let result = await task.value
        if opening == task { take(result) }
        if let open { return open }
        return try result.get()
    }

    /// The open vault; nil if something must be awaited first.
    private func openState() throws(Fault) -> OpenState? {
        if let damage { throw damage }
        if isClosed { throw Faults.stopping }
        guard !renewal.isOffered, let open else {
            try checkTorn()
            return nil
        }
        try ownerCheck.check(owner, record: open.record)
        return open
    }

    private func checkTorn() throws(Fault) {
        guard let torn else { return }
        guard torn.parts == VaultOpener(owner: owner, dependencies: dependencies).parts else {
            self.torn = nil
            return
        }
        throw torn.fault
    }

    private func begin() -> Task<Result<OpenState, Fault>, Never> {
        // The successor's file may be the one that is opened now.
        renewal.close()
        let opener = VaultOpener(owner: owner, dependencies: dependencies)
        openingParts = opener.parts
        return Task { [held] in await opener.open(held) }
    }

    private func take(_ result: Result<OpenState, Fault>) {
        opening = nil
        switch result {
        case .success(let state):
            guard !isClosed, damage == nil else { return }
            open = state
            creation.noteNamed(state.record.vault)
            log.noteWaiting(in: self)
            // Changes written by an earlier run may still need an advance of the epoch.
            counting.scheduleAdvance(in: self)
            sweep.schedule(in: self)
            if state.vault.isBindingUnfinished { Task { await roots.finish(in: self) } }
            Task { await renewal.endFormer(in: self) }
        case .failure(let fault):
            _ = noting(fault)
            if let openingParts, VaultOpener(owner: owner, dependencies: dependencies).isTorn(fault) {
                torn = (fault, openingParts)
            }
        }
    }

    /// Does something with a vault's file outside of `use`, and remembers damage that it finds.
    func step<Value>(_ body: () throws(VaultError) -> Value) throws(Fault) -> Value {
        do throws(VaultError) { return try body() } catch { throw noting(Fault(error)) }
    }

    /// Remembers damage, and closes the damaged vault. Damage of one item ends no use of the others.
    func noting(_ fault: Fault) -> Fault {
        guard fault.name == .damaged, fault.details.kind != Keychain.missing,
            fault.details.kind != Keychain.damagedItem
        else { return fault }
        if damage == nil, fault.details.kind == Keychain.rollback {
            note(AccessRecord(.rollback, outcome: "refused", detail: fault.details.message))
        }
        damage = fault
        open = nil
        held.dropCode()
        dependencies.challenges.dropAll(about: owner)
        return fault
    }

    /// Root has accepted the refused file.
    func forgetDamage() throws(Fault) {
        if isClosed { throw Faults.stopping }
        damage = nil
        torn = nil
    }

    /// Closes the vault before root sets it aside. What is found next is looked at anew.
    func closeForSettingAside() {
        wipe()
        dependencies.challenges.dropAll(about: owner)
        // `try?`: while a record cannot be read, no index is removed.
        if let named = (try? dependencies.registry.record(for: owner)) ?? nil { creation.noteNamed(named.vault) }
        // `try?`: records that cannot be written now are those that a crash would lose.
        try? open?.vault.anchorLog()
        // `try?`: the file is moved, even if it cannot be closed.
        try? open?.vault.close()
        open = nil
        opening = nil
        renewal.close()
        damage = nil
        torn = nil
    }

    /// The vault's condition, without using the TPM.
    ///
    /// - Parameter checksOwner: whether a vault that was made for another name is refused.
    func condition(checksOwner: Bool = true) throws(Fault) -> VaultCondition {
        if let damage { throw damage }
        if isClosed { throw Faults.stopping }
        if let open {
            if checksOwner { try ownerCheck.check(owner, record: open.record) }
            switch open.lock {
            case .sealed: return .sealed
            case .locked: return .locked
            case .unlocked: return .unlocked
            }
        }
        do throws(Fault) {
            let record = try registered()
            if checksOwner { try ownerCheck.check(owner, record: record) }
            try checkTorn()
            return record == nil ? .none : .sealed
        } catch { throw noting(error) }
    }

    /// The vault's condition, without waiting for its other work; nil if that needs a look at the files.
    nonisolated var knownCondition: VaultCondition? {
        switch held.lock {
        case .sealed: nil
        case .locked: .locked
        case .unlocked: .unlocked
        }
    }

    /// The ID of the vault in the registry, without using the TPM.
    func vaultID() throws(Fault) -> VaultID { try record().vault }

    /// The vault's record in the registry, without using the TPM.
    func record() throws(Fault) -> RegistryRecord {
        if let open { return open.record }
        do throws(Fault) {
            guard let record = try registered() else { throw Faults.notFound }
            return record
        } catch { throw noting(error) }
    }

    /// What root's registry has now; nil if there is no vault. Not what the open vault was opened with.
    nonisolated func registered() throws(Fault) -> RegistryRecord? {
        try VaultOpener(owner: owner, dependencies: dependencies).registered()
    }

    /// The objects and the record for a use of the sealer.
    ///
    /// - Parameter challenge: decides between the vault and its successor, if there are both.
    func material(for challenge: Challenge.ID) async throws(Fault) -> SealingMaterial {
        if let material = renewal.successorMaterial(for: challenge) { return material }
        try roots.followRegistry(in: self)
        let state = try await opened()
        return SealingMaterial(objects: state.vault.objects, record: state.record)
    }

    /// Whether the vault is bound, and not open yet.
    var isBoundAndClosed: Bool {
        // `try?`: a record that cannot be read is said by the next step.
        open == nil && (try? registered())?.binding != nil
    }

    /// The key for the authenticator's memory of an outdated password; nil if the vault is not bound, or not open yet.
    func passwordKey() throws(Fault) -> SecretBytes? {
        guard let state = try openState(), state.record.binding != nil else { return nil }
        return try step { () throws(VaultError) in try state.vault.passwordKey() }
    }

    /// Only an owner that the name service knows may have a vault, and it is made once.
    func checkOwnerExists() async throws(Fault) {
        try await requireTurn(for: .creation)
        var check = OwnerCheck()
        _ = try check.name(of: owner)
    }

    /// Records what happened outside of `use`. If the log cannot be written, what happened still stands. The next
    /// record then says that one is missing.
    func note(_ record: AccessRecord, _ durability: LogDurability = .synced) {
        log.note(record, durability, in: self)
    }

    /// Records a refusal. If there are too many, they are only counted.
    func noteRefusal(_ record: AccessRecord, _ durability: LogDurability = .synced) {
        log.noteRefusal(record, durability, in: self)
    }

    /// Makes the TPM count what was written.
    ///
    /// - Parameter isUrgent: whether there is no later chance.
    func advanceEpoch(isUrgent: Bool = false) async { await counting.advance(isUrgent: isUrgent, in: self) }

    /// Wipes the keys at once, and does nothing else of a lock.
    nonisolated func wipe() { _ = held.lock(at: Self.milliseconds) }

    /// Wipes the keys and closes the vault. It cannot be opened again.
    func close() async {
        isClosed = true
        // The keys are wiped before anything is awaited.
        wipe()
        if let vault = open?.vault, vault.isAdvanceDue || vault.isAhead {
            await TimeLimit.wait(SealerLimits.stop) { await self.advanceEpoch(isUrgent: true) }
        }
        // `try?`: records that cannot be written now are those that a crash would lose.
        try? open?.vault.anchorLog()
        open = nil
        renewal.close()
    }

    nonisolated static var milliseconds: Int64 { WallTime.milliseconds }
}
