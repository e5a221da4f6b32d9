import Authorization
import BrokerProtocol
import Synchronization
import Vault

/// The dependencies of all vaults.
struct VaultDependencies: Sendable {
    let directory: String
    let registry: Registry
    /// Each vault has it in its owner's name.
    var sealer: SealerService
    let challenges: ChallengeStore
    var clock = BrokerClock.system
    /// The time that people see, in milliseconds since 1970-01-01 UTC.
    var wall: @Sendable () -> UInt64 = SystemClock.now
    var lockTimes = LockTimes()
    var events = VaultEvents()
    var leases = LeaseStore(clock: .system)
    var indexes = IndexBudget()
    /// Counts the items' keys that vaults keep. nil: they keep none.
    var budgets: UserBudgets?
    /// What all vaults keep in memory of their files.
    var memory = KeptMemory()
    /// How long making keys may take, or bringing a counter forward. A slow TPM needs many seconds, and a person
    /// waits for it only once.
    var makingTime = SealerLimits.making
    /// How long the TPM waits for a signature.
    var signatureTime = Duration.seconds(5)

    /// Only a user's own vault keeps the keys of items. A group's counts to nobody.
    func itemKeyRoom(of owner: Owner) -> ItemKeyRoom? {
        guard case .user(let uid) = owner else { return nil }
        return budgets.map { ItemKeyRoom(budgets: $0, uid: uid) }
    }

    /// Every vault that is opened for calls gets this, so that all its changes are published.
    func itemObserver(for owner: Owner, _ held: HeldKeys) -> OpenVault.ChangeObserver {
        {
            [events, leases, held] in
            held.note($0)
            events.publish($0, of: owner)
            leases.note($0, of: owner)
        }
    }
}

/// One actor for each owner that was asked for. An actor without an open vault takes a few hundred bytes.
final class VaultStore: Sendable {
    let dependencies: VaultDependencies
    /// Whether a check for abandoned groups is scheduled.
    let isGroupWatchSet = Mutex(false)
    private let vaultActors = Mutex<[Owner: VaultActor]>([:])

    init(dependencies: VaultDependencies) {
        self.dependencies = dependencies
        dependencies.budgets?.onShortage { [weak self] refusal, uid in
            switch refusal {
            case .ofUser: self?.known(.user(uid))?.held.yieldItemKeys()
            case .ofAll: self?.yieldItemKeys()
            }
        }
        dependencies.challenges.ended.onFirst { [weak self] in self?.vaultActor(of: $0).noteEndedInTurn() }
        dependencies.leases.onEnd { [weak self] in self?.vaultActor(of: $0.owner).noteEndInTurn(of: $0, $1) }
    }

    private func yieldItemKeys() {
        let all = vaultActors.withLock { Array($0.values) }
        for vaultActor in all { vaultActor.held.yieldItemKeys() }
    }

    /// When vaults were locked.
    var lockTimes: LockTimes { dependencies.lockTimes }

    func vaultActor(of owner: Owner) -> VaultActor {
        vaultActors.withLock { vaultActors in
            if let vaultActor = vaultActors[owner] { return vaultActor }
            let vaultActor = VaultActor(owner: owner, dependencies: dependencies)
            vaultActors[owner] = vaultActor
            return vaultActor
        }
    }

    /// Locks a vault if it was ever asked for, and the groups' vaults that it kept open. Their keys are gone when
    /// this returns.
    /// - Parameter program: the program that asked for it.
    func lock(_ owner: Owner, by program: AccessRecord.Program? = nil) async {
        lockOwn(owner, by: program)
        await lockAbandonedGroups()
    }

    /// Locks a vault, and leaves groups' vaults for later. Its keys are gone when this returns. It waits for nobody.
    func lockOwn(_ owner: Owner, by program: AccessRecord.Program? = nil) {
        lockTimes.note(owner)
        known(owner)?.lock(by: program)
    }

    /// Locks a user's vault that was not used for long.
    func lockUnused(_ uid: UInt32) async {
        known(.user(uid))?.lockUnused()
        await lockAbandonedGroups()
    }

    /// An authenticator's connection is gone.
    func conversationEnded(_ connection: UInt64) async {
        // A vault that is not being renewed has nothing to decide. No vault waits for another's work.
        let renewed = vaultActors.withLock { Array($0.values) }.filter { $0.renewal.renewal != nil }
        await withTaskGroup(of: Void.self) { group in
            for vaultActor in renewed {
                group.addTask { await vaultActor.renewal.conversationEnded(connection, in: vaultActor) }
            }
        }
    }

    /// What a user's vault is in. One that cannot be used is taken for locked.
    func condition(of uid: UInt32) async -> VaultCondition {
        // `try?`: the owners learn the reason when they use their vault.
        (try? await vaultActor(of: .user(uid)).condition()) ?? .locked
    }

    /// Locks all vaults. All keys are gone when this returns. It waits for nobody.
    func lockAll() {
        lockTimes.noteAll()
        let all = vaultActors.withLock { Array($0.values) }
        for vaultActor in all { vaultActor.lock() }
    }

    /// Makes the TPM count what was written to any vault, as far as there is time.
    func advanceEpoch() async {
        let all = vaultActors.withLock { Array($0.values) }
        // Sleep is held until this returns, and logind does not wait for ever.
        await TimeLimit.wait(SealerLimits.sleep) {
            await withTaskGroup(of: Void.self) { group in
                for vaultActor in all { group.addTask { await vaultActor.advanceEpoch(isUrgent: true) } }
            }
        }
    }

    private func known(_ owner: Owner) -> VaultActor? { vaultActors.withLock { $0[owner] } }

    /// All unlocked vaults, by owner.
    func unlocked() -> [Owner: VaultActor] { vaultActors.withLock { $0 }.filter { $0.value.held.isUnlocked } }

    /// Wipes all keys and closes all files.
    func close() async {
        let all = vaultActors.withLock { Array($0.values) }
        for vaultActor in all { vaultActor.wipe() }
        await withTaskGroup(of: Void.self) { group in
            for vaultActor in all { group.addTask { await vaultActor.close() } }
        }
    }
}

/// Waits for some work for a limited time. The work goes on after that.
enum TimeLimit {
    /// - Returns: when `body` has ended or the time is over.
    static func wait(_ limit: Duration, for body: @escaping @Sendable () async -> Void) async {
        let shared = Shared()
        await withCheckedContinuation { continuation in
            shared.waiter.withLock { $0 = continuation }
            Task {
                await body()
                shared.end()
            }
            Task {
                // `try?`: nobody cancels this task, and cancelling would only shorten the wait.
                try? await Task.sleep(for: limit)
                shared.end()
            }
        }
    }

    private final class Shared: Sendable {
        let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)

        func end() {
            let taken = waiter.withLock { waiter in
                defer { waiter = nil }
                return waiter
            }
            taken?.resume()
        }
    }
}
