import Authorization
import BrokerProtocol
import TPM
import Varlink
import Vault

/// Accepts a vault's file that was refused as an older copy. Root asks for this, with the owner's consent.
struct RollbackAcceptance: Sendable {
    /// Makes the TPM count the file as it is.
    ///
    /// - Parameter program: the program that asked for it.
    func accept(in vaultActor: isolated VaultActor, by program: AccessRecord.Program?) async throws(Fault) {
        try await requireRollback(in: vaultActor)
        guard let record = try vaultActor.registered() else { throw Faults.notFound }
        let (dependencies, held) = (vaultActor.dependencies, vaultActor.held)
        let made: Result<OpenVault, VaultError>
        do throws(SealerError) {
            // A counter that is far behind advances step by step, which takes long.
            made = try await dependencies.sealer.use(within: dependencies.makingTime) { (sealer) throws(SealerError) in
                do throws(VaultError) {
                    return .success(
                        try OpenVault(
                            accepting: record, sparing: dependencies.registry, directory: dependencies.directory,
                            sealer: sealer, memory: dependencies.memory,
                            onChange: dependencies.itemObserver(for: record.owner, held))
                    )
                } catch { return .failure(error) }
            }
        } catch { throw Fault(error) }
        let vault: OpenVault
        do throws(VaultError) { vault = try made.get() } catch { throw Fault(error) }
        try vaultActor.forgetDamage()
        vaultActor.open = VaultActor.OpenState(vault: vault, record: record, held: vaultActor.held)
        vaultActor.log.noteWaiting(in: vaultActor)
        vaultActor.note(
            AccessRecord(
                .accept, by: program,
                detail: "the file was accepted as the newest; every other copy of it is refused now"),
            .anchored)
    }

    /// - Throws: the error on opening, unless it is an older copy or a missing counter; `Failed` if the counter is gone
    ///   and the vault was opened before; `AlreadyExists` if there is no error.
    func requireRollback(in vaultActor: isolated VaultActor) async throws(Fault) {
        let state: VaultActor.OpenState
        do throws(Fault) { state = try await vaultActor.opened() } catch {
            guard error.details.kind == Keychain.rollback else { throw error }
            return
        }
        try await requireCounter(of: state.record, in: vaultActor)
        throw Fault(
            .alreadyExists, "the vault's file is the one that the TPM has counted", advice: "there is nothing to accept"
        )
    }

    /// A counter that was removed while the vault was open shows at the next opening only. Accepting ends that opening,
    /// and what was unlocked.
    private func requireCounter(of record: RegistryRecord, in vaultActor: isolated VaultActor) async throws(Fault) {
        guard let counter = record.counter else { return }
        let condition: SealerCondition?
        do throws(SealerError) { condition = try await vaultActor.dependencies.sealer.inspect(record) } catch {
            throw Fault(error)
        }
        guard let condition, condition.storageKey == .pinned,
            !condition.tpm.handles.ownIndexes.contains(where: { $0.rawValue == counter.handle })
        else { return }
        throw Fault(
            .failed, "the TPM no longer has this vault's counter, and cofferd opened the vault before that",
            advice: "save what is open, with coffer export --passphrase --skip-unreadable --output FILE; "
                + "then restart cofferd, and run the command again")
    }
}
