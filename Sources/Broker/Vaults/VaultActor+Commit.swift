import BrokerProtocol
import Varlink
import Vault

/// Moving a vault's counter once for several changes. While it is being moved, and while it may not be, changes are made that leave their step to the next
/// move; all of them are acknowledged by it (docs/vault-format.md, "Epoch and counter").
extension VaultActor {
    /// The moves of the counter: one at a time, and the one that changes can still join.
    struct Commits {
        typealias Outcome = Task<Result<Void, Fault>, Never>

        var running: Outcome?
        var next: Outcome?
        /// Wakes the one that waits for a step to become free.
        var sleeper: CheckedContinuation<Void, Never>?
        /// The machine goes to sleep, or the broker stops: the next one waits no longer.
        var isUrgent = false
    }

    /// Whether a change is to leave its step to the next move of the counter.
    func sharesStep(of vault: OpenVault) -> Bool {
        if commits.running != nil || commits.next != nil { return true }
        // Where an earlier step is not counted, nothing is changed that needs one: that comes first.
        guard !vault.isAhead, vault.hasBegun else { return false }
        return steps.wait(at: dependencies.clock.now()) > .zero
    }

    /// What acknowledges a change.
    struct Acknowledgement {
        fileprivate let move: Commits.Outcome
        /// What the counter stands for once nothing takes the change back.
        fileprivate let wanted: UInt64
    }

    /// What acknowledges the change that was made just now, which has moved the epoch or left its step. The two belong together: what awaits a method lets
    /// other calls in, even where both are of one actor, and a move that comes between them may have taken in the change already.
    ///
    /// - Returns: nil where nothing counts.
    func acknowledgement(in vault: OpenVault, hasLeftStep: Bool) -> Acknowledgement? {
        guard vault.isCounted else { return nil }
        let wanted = hasLeftStep ? vault.epoch + 1 : vault.epoch
        return Acknowledgement(move: hasLeftStep ? join() : start(), wanted: wanted)
    }

    /// Waits until the counter has followed.
    func wait(for acknowledgement: Acknowledgement, of vault: OpenVault) async throws(Fault) {
        do throws(Fault) {
            try await acknowledgement.move.value.get()
            // It may have been let go of meanwhile.
            try await follow(vault)
            guard let counted = vault.countedEpoch, counted >= acknowledgement.wanted else { throw Faults.stopping }
        } catch {
            scheduleAdvance(after: Self.advanceRetryDelay)
            guard error.name != .damaged else { throw error }
            var fault = error
            fault.details.message =
                "The change is made, but the TPM has not counted it yet. Until then, anyone who can write the vault's file could take it back. "
                + (error.details.message ?? "")
            throw fault
        }
    }

    /// The move for a change that has taken its step itself.
    private func start() -> Commits.Outcome {
        // Steps are taken while no move is under way.
        let task = Task { await self.finish() }
        commits.running = task
        return task
    }

    private func finish() async -> Result<Void, Fault> {
        defer { commits.running = nil }
        do throws(Fault) { try await raise() } catch { return .failure(error) }
        return .success(())
    }

    /// The move that takes in all that was changed until now.
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
        // From here on changes wait for the one after this.
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

    /// Moves the epoch for the sake of what was written since it last moved. What does not succeed now is tried again.
    ///
    /// - Parameter isUrgent: there is no later; it waits for no free step.
    func advanceEpoch(isUrgent: Bool = false) async {
        guard let vault = open?.vault, vault.isAdvanceDue || vault.isAhead else { return }
        let commit = join()
        if isUrgent {
            commits.isUrgent = true
            wake()
        }
        // Whether it succeeded shows in the vault.
        _ = await commit.value
        guard let vault = open?.vault, vault.isAdvanceDue || vault.isAhead else { return }
        scheduleAdvance(after: Self.advanceRetryDelay)
    }
}
