import BrokerProtocol
import Varlink
import Vault

/// Keeps a vault's file and the TPM's counter together (docs/vault-format.md, "Epoch and counter"). Only the sealer's
/// thread uses the TPM. The vault's own queue goes on meanwhile.
///
/// The counter advances once for several changes. Changes made while a commit runs, or while none may run yet, leave
/// their step to the next commit. Most of them do not wait for a commit that must itself wait for a free step. They are
/// acknowledged without it.
final class VaultCounting {
    typealias Commit = Task<Result<Void, Fault>, Never>

    /// The commit that runs; there is one at a time.
    private var running: Commit?
    /// The commit that changes can still join.
    private var next: NextCommit?
    /// Wakes the commit that waits for a free step.
    private var sleeper: CheckedContinuation<Void, Never>?
    /// The machine goes to sleep, or the broker stops. The next commit does not wait any longer.
    private var isUrgent = false
    /// Makes the counter follow the file; all callers share it.
    private var raising: Commit?
    /// When the epoch advances at the latest; nil if that is not scheduled.
    private var advanceTime: ContinuousClock.Instant?
    private var steps: StepBudget

    init(at now: ContinuousClock.Instant) { steps = StepBudget(at: now) }

    /// Whether a change leaves its step to the next commit.
    func sharesStep(of vault: OpenVault, at now: ContinuousClock.Instant) -> Bool {
        if running != nil || next != nil { return true }
        // If an earlier step is not counted yet, it must be counted before any change that needs a step.
        guard !vault.isAhead, vault.hasBegun else { return false }
        return steps.wait(at: now) > .zero
    }

    /// A commit that changes can still join.
    private struct NextCommit {
        let commit: Commit
        /// Whether it begins as soon as the one before has ended, and does not wait for a free step.
        let isNear: Task<Bool, Never>
    }

    /// The acknowledgement of a change.
    struct Acknowledgement {
        fileprivate let commit: Commit
        /// The epoch that the counter must reach. Then nobody can take the change back.
        fileprivate let wanted: UInt64
        /// Whether the commit is near, for a change that waits for no other; nil if the change always waits.
        fileprivate let isNear: Task<Bool, Never>?
    }

    /// The acknowledgement of the change that was just made, which advanced the epoch or left its step. Call this
    /// without an `await` after the change. An `await` lets other calls in, even within one actor, and a commit in
    /// between may already include the change.
    ///
    /// - Parameter leftStep: how long the change waits for the step that it has left; nil if it took one itself.
    /// - Returns: nil if the vault has no counter.
    func acknowledgement(
        of vault: OpenVault, leftStep: CounterWait?, in vaultActor: isolated VaultActor
    ) -> Acknowledgement? {
        guard vault.isCounted else { return nil }
        guard let leftStep else {
            return Acknowledgement(commit: start(in: vaultActor), wanted: vault.epoch, isNear: nil)
        }
        let next = join(in: vaultActor)
        return Acknowledgement(
            commit: next.commit, wanted: vault.epoch + 1, isNear: leftStep == .always ? nil : next.isNear)
    }

    /// Waits until the counter has followed, or until it is known that no step is free for a change that does not wait
    /// for one.
    ///
    /// - Returns: whether the counter has followed.
    func wait(
        for acknowledgement: Acknowledgement, of vault: OpenVault, in vaultActor: isolated VaultActor
    ) async throws(Fault) -> Bool {
        if let isNear = acknowledgement.isNear, await !isNear.value { return false }
        do throws(Fault) {
            try await acknowledgement.commit.value.get()
            // The actor may have closed the vault meanwhile.
            try await follow(vault, in: vaultActor)
            guard let counted = vault.countedEpoch, counted >= acknowledgement.wanted else { throw Faults.stopping }
            return true
        } catch {
            scheduleAdvance(after: CounterLimits.retryDelay, in: vaultActor)
            guard error.name != .damaged else { throw error }
            var fault = error
            fault.details.message =
                "the change is made, but the TPM has not counted it yet, so anyone who can write the vault's file could still take it back: "
                + (error.details.message ?? "")
            throw fault
        }
    }

    /// The commit of a change that has taken its step itself.
    private func start(in vaultActor: isolated VaultActor) -> Commit {
        // Changes take a step themselves only while no commit runs.
        let task = Task { await Self.finish(in: vaultActor) }
        running = task
        return task
    }

    private static func finish(in vaultActor: isolated VaultActor) async -> Result<Void, Fault> {
        let counting = vaultActor.counting
        defer { counting.running = nil }
        do throws(Fault) { try await counting.raise(in: vaultActor) } catch { return .failure(error) }
        return .success(())
    }

    /// The commit that includes all changes made so far.
    private func join(in vaultActor: isolated VaultActor) -> NextCommit {
        if let next { return next }
        let earlier = running
        let isNear = Task { await Self.isNear(after: earlier, in: vaultActor) }
        let commit = Task {
            if await !isNear.value { await vaultActor.counting.waitForStep(in: vaultActor) }
            let result = await Self.commit(in: vaultActor)
            // Perhaps nobody waits for it.
            if case .failure = result {
                vaultActor.counting.scheduleAdvance(after: CounterLimits.retryDelay, in: vaultActor)
            }
            return result
        }
        let joined = NextCommit(commit: commit, isNear: isNear)
        next = joined
        return joined
    }

    /// Waits for the commit before. After one that failed, changes wait for the next one, because they must learn that
    /// the TPM does not count.
    private static func isNear(after earlier: Commit?, in vaultActor: isolated VaultActor) async -> Bool {
        if case .failure? = await earlier?.value { return true }
        let counting = vaultActor.counting
        return counting.isUrgent || counting.steps.wait(at: vaultActor.dependencies.clock.now()) == .zero
    }

    private static func commit(in vaultActor: isolated VaultActor) async -> Result<Void, Fault> {
        let counting = vaultActor.counting
        do throws(Fault) {
            try await counting.raise(in: vaultActor)
        } catch {
            counting.closeCommit()
            counting.running = nil
            return .failure(error)
        }
        // From here on, changes join the next commit.
        counting.closeCommit()
        do throws(VaultError) { try vaultActor.open?.vault.advanceEpoch() } catch {
            counting.running = nil
            return .failure(vaultActor.noting(Fault(error)))
        }
        return await finish(in: vaultActor)
    }

    private func closeCommit() {
        (running, next) = (next?.commit, nil)
        isUrgent = false
    }

    /// Waits for a free step, but not longer than one takes to become free. Steps that could not wait may have left the
    /// budget further behind.
    private func waitForStep(in vaultActor: isolated VaultActor) async {
        let clock = vaultActor.dependencies.clock
        let end = clock.now() + min(steps.wait(at: clock.now()), CounterLimits.pace)
        while !isUrgent, let vault = vaultActor.open?.vault, vault.isAdvanceDue || vault.isAhead {
            let wait = end - clock.now()
            guard wait > .zero else { return }
            await withCheckedContinuation { continuation in
                sleeper = continuation
                clock.after(wait) { [weak vaultActor] in
                    guard let vaultActor else { return }
                    Task { await Self.wake(in: vaultActor) }
                }
            }
        }
    }

    private static func wake(in vaultActor: isolated VaultActor) { vaultActor.counting.wake() }

    private func wake() {
        sleeper?.resume()
        sleeper = nil
    }

    /// Advances the epoch for what was written since the last advance.
    ///
    /// - Parameter isUrgent: whether there is no later chance; then it does not wait for a free step.
    func advance(isUrgent: Bool = false, in vaultActor: isolated VaultActor) async {
        guard let vault = vaultActor.open?.vault, vault.isAdvanceDue || vault.isAhead else { return }
        let commit = join(in: vaultActor).commit
        if isUrgent {
            self.isUrgent = true
            wake()
        }
        // The commit schedules another try if it fails, and what is written meanwhile has a time of its own.
        _ = await commit.value
    }

    /// Schedules an advance of the epoch for what was written.
    func scheduleAdvance(after delay: Duration = CounterLimits.advanceDelay, in vaultActor: isolated VaultActor) {
        let clock = vaultActor.dependencies.clock
        let time = clock.now() + delay
        guard advanceTime.map({ time < $0 }) ?? true, let vault = vaultActor.open?.vault,
            vault.isAdvanceDue || vault.isAhead
        else { return }
        advanceTime = time
        clock.after(delay) { [weak vaultActor] in
            guard let vaultActor else { return }
            Task { await Self.advance(scheduledFor: time, in: vaultActor) }
        }
    }

    private static func advance(
        scheduledFor time: ContinuousClock.Instant, in vaultActor: isolated VaultActor
    ) async {
        let counting = vaultActor.counting
        // Otherwise an earlier one was scheduled since.
        guard counting.advanceTime == time else { return }
        counting.advanceTime = nil
        await counting.advance(in: vaultActor)
    }

    /// Makes the counter follow the file, and takes this run's first step. Simultaneous callers share one task.
    func raise(in vaultActor: isolated VaultActor) async throws(Fault) {
        repeat {
            let task = raising ?? Task { await Self.raiseNow(in: vaultActor) }
            raising = task
            let result = await task.value
            if raising == task { raising = nil }
            try result.get()
            // Another change may have advanced the epoch just as the task ended.
        } while vaultActor.open.map { $0.vault.isAhead || !$0.vault.hasBegun } ?? false
    }

    private static func raiseNow(in vaultActor: isolated VaultActor) async -> Result<Void, Fault> {
        let counting = vaultActor.counting
        guard let vault = vaultActor.open?.vault else { return .success(()) }
        do throws(Fault) {
            try await counting.follow(vault, in: vaultActor)
            guard !vault.hasBegun, vaultActor.open?.vault === vault else { return .success(()) }
            do throws(VaultError) { try vault.begin() } catch { throw vaultActor.noting(Fault(error)) }
            try await counting.follow(vault, in: vaultActor)
            return .success(())
        } catch { return .failure(error) }
    }

    private func follow(_ vault: OpenVault, in vaultActor: isolated VaultActor) async throws(Fault) {
        guard vault.isAhead else { return }
        let dependencies = vaultActor.dependencies
        steps.spend(at: dependencies.clock.now())
        do throws(SealerError) {
            try await dependencies.sealer.use { (sealer) throws(SealerError) in try vault.count(with: sealer) }
        } catch {
            guard error.code == .counterGone else { throw Fault(error) }
            // The vault was opened again meanwhile, which has counted.
            guard vaultActor.open?.vault === vault else { return }
            throw vaultActor.noting(Fault(VaultError(error, of: vault.record)))
        }
    }
}

/// How often a vault's counter may advance. Each step writes to the TPM's memory, which wears out, and any program of
/// the owner can cause one.
struct StepBudget: Sendable {
    /// How long until all steps are free again, as of `time`.
    private var debt = Duration.zero
    private var time: ContinuousClock.Instant

    init(at now: ContinuousClock.Instant) { time = now }

    /// How long until a step is free.
    mutating func wait(at now: ContinuousClock.Instant) -> Duration {
        debt = max(.zero, debt - max(.zero, now - time))
        time = max(time, now)
        return max(.zero, debt - CounterLimits.pace * (CounterLimits.steps - 1))
    }

    /// Counts a step, whether it was free or not. Later steps make up for one that could not wait.
    mutating func spend(at now: ContinuousClock.Instant) {
        _ = wait(at: now)
        debt = min(debt + CounterLimits.pace, CounterLimits.pace * (CounterLimits.steps + 1))
    }
}
