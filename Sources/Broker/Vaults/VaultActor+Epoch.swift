import BrokerProtocol
import Varlink
import Vault

/// Keeps a vault's file and the TPM's counter together (docs/vault-format.md, "Epoch and counter"). Only the sealer's
/// thread uses the TPM. The vault's own queue goes on meanwhile.
extension VaultActor {
    /// Makes the counter follow the file, and takes this run's first step. Simultaneous callers share one task.
    func raise() async throws(Fault) {
        repeat {
            let task = raising ?? Task { await self.raiseNow() }
            raising = task
            let result = await task.value
            if raising == task { raising = nil }
            try result.get()
            // Another change may have advanced the epoch just as the task ended.
        } while open.map { $0.vault.isAhead || !$0.vault.hasBegun } ?? false
    }

    private func raiseNow() async -> Result<Void, Fault> {
        guard let vault = open?.vault else { return .success(()) }
        do throws(Fault) {
            try await follow(vault)
            guard !vault.hasBegun, open?.vault === vault else { return .success(()) }
            do throws(VaultError) { try vault.begin() } catch { throw noting(Fault(error)) }
            try await follow(vault)
            return .success(())
        } catch { return .failure(error) }
    }

    func follow(_ vault: OpenVault) async throws(Fault) {
        guard vault.isAhead else { return }
        steps.spend(at: dependencies.clock.now())
        let sealer = dependencies.sealer
        do throws(SealerError) {
            try await dependencies.sealerThread.run { () throws(SealerError) in try vault.count(with: sealer) }
        } catch {
            guard error.code == .counterGone else { throw Fault(error) }
            // The vault was opened again meanwhile, which has counted.
            guard open?.vault === vault else { return }
            throw noting(Fault(VaultError(error, of: vault.record)))
        }
    }

    /// Schedules an advance of the epoch for what was written.
    func scheduleAdvance(after delay: Duration = CounterLimits.advanceDelay) {
        guard !isAdvanceScheduled, let vault = open?.vault, vault.isAdvanceDue || vault.isAhead else { return }
        isAdvanceScheduled = true
        dependencies.clock.after(delay) { [weak self] in Task { await self?.advanceInTime() } }
    }

    private func advanceInTime() async {
        isAdvanceScheduled = false
        await advanceEpoch()
    }

    /// The handle of the vault's counter; nil if it has none.
    func counter() throws(Fault) -> UInt32? { try record().counter?.handle }

    /// Accepts the file as it is. Root asks for this, with the owner's consent.
    ///
    /// - Parameter program: the program that asked for it.
    func accept(by program: AccessRecord.Program?) async throws(Fault) {
        try await requireRollback()
        guard let record = try VaultOpener(owner: owner, dependencies: dependencies).registered() else {
            throw Faults.notFound
        }
        let dependencies = dependencies
        let made: Result<OpenVault, VaultError>
        do throws(SealerError) {
            // A counter that is far behind advances step by step, which takes long.
            made = try await dependencies.sealerThread.run(within: dependencies.makingTime) { () throws(SealerError) in
                do throws(VaultError) {
                    return .success(
                        try OpenVault(accepting: record, directory: dependencies.directory, sealer: dependencies.sealer)
                    )
                } catch { return .failure(error) }
            }
        } catch { throw Fault(error) }
        let vault: OpenVault
        do throws(VaultError) { vault = try made.get() } catch { throw Fault(error) }
        try forgetDamage()
        open = OpenState(vault: vault, record: record, held: held)
        noteUnlogged()
        note(
            AccessRecord(
                .accept, by: program,
                detail: "the file was accepted as the newest; every other copy of it is refused now"),
            .anchored)
    }

    /// - Throws: the error on opening, unless it is an older copy or a missing counter; `AlreadyExists` if there is
    ///   no error.
    func requireRollback() async throws(Fault) {
        do throws(Fault) { _ = try await opened() } catch {
            guard error.details.kind == Keychain.rollback else { throw error }
            return
        }
        throw Fault(
            .alreadyExists, "There is nothing to accept: the vault's file is the one that the TPM has counted.")
    }
}
