import BrokerProtocol
import Varlink
import Vault

/// Advances a vault's counter once for several changes. Changes made while a commit runs, or while none may run yet,
/// leave their step to the next commit. That commit acknowledges all of them (docs/vault-format.md, "Epoch and
/// counter").
extension VaultActor {
    /// The commits of the counter. One runs at a time, and changes can still join the next one.
    struct Commits {
        typealias Outcome = Task<Result<Void, Fault>, Never>

        var running: Outcome?
        var next: Outcome?
        /// Wakes the commit that waits for a free step.
        var sleeper: CheckedContinuation<Void, Never>?
        /// The machine goes to sleep, or the broker stops. The next commit does not wait any longer.
        var isUrgent = false
    }

    /// Whether a change leaves its step to the next commit.
    func sharesStep(of vault: OpenVault) -> Bool {
        if commits.running != nil || commits.next != nil { return true }
        // If an earlier step is not counted yet, it must be counted before any change that needs a step.
        guard !vault.isAhead, vault.hasBegun else { return false }
        return steps.wait(at: dependencies.clock.now()) > .zero
    }

    /// The acknowledgement of a change.
    struct Acknowledgement {
        fileprivate let move: Commits.Outcome
        /// The epoch that the counter must reach. Then nobody can take the change back.
        fileprivate let wanted: UInt64
    }

    /// The acknowledgement of the change that was just made, which advanced the epoch or left its step. Call this
    /// without an `await` after the change. An `await` lets other calls in, even within one actor, and a commit in
    /// between may already include the change.
    ///
    /// - Returns: nil if the vault has no counter.
    func acknowledgement(in vault: OpenVault, hasLeftStep: Bool) -> Acknowledgement? {
        guard vault.isCounted else { return nil }
        let wanted = hasLeftStep ? vault.epoch + 1 : vault.epoch
        return Acknowledgement(move: hasLeftStep ? join() : start(), wanted: wanted)
    }

    /// Waits until the counter has followed.
    func wait(for acknowledgement: Acknowledgement, of vault: OpenVault) async throws(Fault) {
        do throws(Fault) {
            try await acknowledgement.move.value.get()
            // The actor may have closed the vault meanwhile.
            try await follow(vault)
            guard let counted = vault.countedEpoch, counted >= acknowledgement.wanted else { throw Faults.stopping }
        } catch {
            scheduleAdvance(after: CounterLimits.retryDelay)
            guard error.name != .damaged else { throw error }
            var fault = error
            fault.details.message =
                "The change is made, but the TPM has not counted it yet. Until then, anyone who can write the vault's file could take it back. "
                + (error.details.message ?? "")
            throw fault
        }
    }

    /// The commit of a change that has taken its step itself.
    private func start() -> Commits.Outcome {
        // Changes take a step themselves only while no commit runs.
        let task = Task { await self.finish() }
        commits.running = task
        return task
    }

    private func finish() async -> Result<Void, Fault> {
        defer { commits.running = nil }
        do throws(Fault) { try await raise() } catch { return .failure(error) }
        return .success(())
    }

    /// The commit that includes all changes made so far.
    private func join() -> Commits.Outcome {
        if let next = commits.next { return next }
        let earlier = commits.running
        let task = Task {
            _ = await earlier?.value
            return await self.commit()
        }
        commits.next = task
        return task
    }

    private func commit() async -> Result<Void, Fault> {
        await waitForStep()
        do throws(Fault) {
            try await raise()
        } catch {
            closeCommit()
            commits.running = nil
            return .failure(error)
        }
        // From here on, changes join the next commit.
        closeCommit()
        do throws(VaultError) { try open?.vault.advanceEpoch() } catch {
            commits.running = nil
            return .failure(noting(Fault(error)))
        }
        return await finish()
    }

    private func closeCommit() {
        (commits.running, commits.next) = (commits.next, nil)
        commits.isUrgent = false
    }

    private func waitForStep() async {
        while !commits.isUrgent, let vault = open?.vault, vault.isAdvanceDue || vault.isAhead {
            let wait = steps.wait(at: dependencies.clock.now())
            guard wait > .zero else { return }
            await withCheckedContinuation { continuation in
                commits.sleeper = continuation
                dependencies.clock.after(wait) { [weak self] in Task { await self?.wake() } }
            }
        }
    }

    private func wake() {
        commits.sleeper?.resume()
        commits.sleeper = nil
    }

    /// Advances the epoch for what was written since the last advance. A failure is tried again later.
    ///
    /// - Parameter isUrgent: whether there is no later chance; then it does not wait for a free step.
    func advanceEpoch(isUrgent: Bool = false) async {
        guard let vault = open?.vault, vault.isAdvanceDue || vault.isAhead else { return }
        let commit = join()
        if isUrgent {
            commits.isUrgent = true
            wake()
        }
        // The vault shows whether it succeeded.
        _ = await commit.value
        guard let vault = open?.vault, vault.isAdvanceDue || vault.isAhead else { return }
        scheduleAdvance(after: CounterLimits.retryDelay)
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
