import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Varlink
import Vault

extension VaultActor {
    /// Only an owner that the name service knows may have a vault.
    func checkOwnerExists() throws(Fault) {
        var check = OwnerCheck()
        _ = try check.name(of: owner)
    }

    /// Makes the keys and the file of a new vault, under the name that is not in use.
    /// - Returns: the record that the authenticator must write into the registry.
    func provision(
        for challenge: Challenge.ID, isService: Bool = false, authenticatorKey: [UInt8]
    ) async throws(Fault) -> RegistryRecord {
        guard try condition() == .none else { throw Fault(.alreadyExists, "There is a vault already.") }
        if let creation, creation.challenge != challenge, dependencies.challenges.isOpen(creation.challenge) {
            throw Fault(.failed, "Your vault is being made already; finish that first.")
        }
        var check = OwnerCheck()
        let name = try check.name(of: owner)
        let id: VaultID
        do throws(CryptographyError) { id = try VaultID.random() } catch {
            throw Fault(.failed, "The broker has no random numbers.")
        }
        let (sealer, owner) = (dependencies.sealer, owner)
        let keys: NewVaultKeys
        do throws(SealerError) {
            keys = try await dependencies.sealerThread.run(within: dependencies.makingTime) { () throws(SealerError) in
                try sealer.makeKeys(vault: id, owner: owner, authenticatorKey: authenticatorKey)
            } undo: { keys in
                sealer.remove(counter: keys.counter, generation: keys.generation)
            }
        } catch { throw Fault(error) }
        do throws(Fault) { return try enter(keys, of: id, named: name, isService, authenticatorKey, challenge) } catch {
            await removeIndexes(keys.counter, keys.generation)
            throw error
        }
    }

    /// The keys are made. Writes the file, unless another call was quicker.
    private func enter(
        _ keys: NewVaultKeys, of id: VaultID, named name: String, _ isService: Bool, _ authenticatorKey: [UInt8],
        _ challenge: Challenge.ID
    ) throws(Fault) -> RegistryRecord {
        let record = RegistryRecord(
            vault: id, owner: owner, ownerName: name, created: SystemClock.now(),
            sealer: dependencies.sealer.kind,
            authenticatorKey: authenticatorKey, storageKey: keys.storageKey, counter: keys.counter,
            objects: keys.names, isService: isService,
            generation: keys.generation)
        // Another call may have been quicker while the TPM worked.
        guard try condition() == .none, dependencies.challenges.isOpen(challenge) else { throw Faults.challengeRefused }
        if let creation, creation.challenge != challenge, dependencies.challenges.isOpen(creation.challenge) {
            throw Fault(.failed, "Your vault is being made already; finish that first.")
        }
        do throws(VaultError) {
            try VaultFile.create(directory: dependencies.directory, keys: keys, record: record)
        } catch { throw Fault(error) }
        if let abandoned = creation?.record {
            Task { await removeIndexes(abandoned.counter, abandoned.generation) }
        }
        creation = Creation(challenge: challenge, record: record)
        return record
    }

    /// Removes the indexes of a vault that was never made. An index that cannot be removed stays in the TPM and is
    /// worthless (docs/tpm.md, "What can be left behind").
    private func removeIndexes(_ counter: CounterPin?, _ generation: GenerationPin?) async {
        guard counter != nil else { return }
        let sealer = dependencies.sealer
        // `try?`: the first error tells more than this one.
        try? await dependencies.sealerThread.run { () throws(SealerError) in
            sealer.remove(counter: counter, generation: generation)
        }
    }

    /// The registry has the record. The new file gets its final name.
    func adopt(for challenge: Challenge.ID) throws(Fault) -> VaultID {
        guard let creation, creation.challenge == challenge else { throw Faults.challengeRefused }
        guard try VaultOpener(owner: owner, dependencies: dependencies).registered() == creation.record else {
            throw Fault(.notPermitted, "The registry does not have the new vault's record.")
        }
        do throws(VaultError) {
            try VaultFile.adopt(directory: dependencies.directory, record: creation.record)
        } catch { throw noting(Fault(error)) }
        self.creation = nil
        return creation.record.vault
    }

    /// The objects and the record for a use of the sealer.
    ///
    /// - Parameter challenge: decides between the vault and its successor, if there are both.
    func material(for challenge: Challenge.ID) async throws(Fault) -> SealingMaterial {
        if let material = successorMaterial(for: challenge) { return material }
        try await followRegistry()
        let state = try await opened()
        return SealingMaterial(objects: state.vault.objects, record: state.record)
    }
}
