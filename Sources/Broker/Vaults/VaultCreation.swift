import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Synchronization
import Varlink
import Vault

/// Makes a vault: its keys, then its file under a name that is not in use, then root's registry, then the final name.
final class VaultCreation: Sendable {
    /// A file that waits for the registry to name it.
    private struct Made {
        let challenge: Challenge.ID
        let record: RegistryRecord
    }

    private let made = Mutex<Made?>(nil)

    /// Makes the keys and the file of a new vault, under the name that is not in use.
    /// - Parameter maker: the user whose share of the TPM the vault takes; nil for root.
    /// - Returns: the record that the authenticator must write into the registry.
    func provision(
        in vaultActor: isolated VaultActor, for challenge: Challenge.ID, by maker: UInt32? = nil,
        isService: Bool = false, authenticatorKey: [UInt8]
    ) async throws(Fault) -> RegistryRecord {
        guard try vaultActor.condition() == .none else {
            throw Fault(.alreadyExists, "there is a vault already", advice: "it stays as it is")
        }
        try vaultActor.begin(.creation, for: challenge)
        var check = OwnerCheck()
        let name = try check.name(of: vaultActor.owner)
        let id: VaultID
        do throws(CryptographyError) { id = try VaultID.random() } catch {
            throw Fault(.failed, "the broker has no random numbers")
        }
        let (dependencies, owner) = (vaultActor.dependencies, vaultActor.owner)
        try await dependencies.takeRoom(for: owner, by: maker)
        let keys: NewVaultKeys
        do throws(SealerError) {
            keys = try await dependencies.sealer.makeKeys(
                vault: id, owner: owner, authenticatorKey: authenticatorKey, within: dependencies.makingTime)
        } catch {
            dependencies.indexes.giveBack(owner)
            throw Fault(error)
        }
        let record = RegistryRecord(
            vault: id, owner: owner, ownerName: name, created: SystemClock.now(), sealer: dependencies.sealer.kind,
            authenticatorKey: authenticatorKey, storageKey: keys.storageKey, counter: keys.counter,
            objects: keys.names, isService: isService, generation: keys.generation, maker: maker)
        do throws(Fault) { try enter(record, keys, in: vaultActor, for: challenge) } catch {
            await removeIndexes(of: record, dependencies)
            dependencies.indexes.giveBack(owner)
            throw error
        }
        return record
    }

    /// The keys are made. Writes the file, unless the challenge has ended while the TPM worked.
    private func enter(
        _ record: RegistryRecord, _ keys: NewVaultKeys, in vaultActor: isolated VaultActor,
        for challenge: Challenge.ID
    ) throws(Fault) {
        guard try vaultActor.condition() == .none, vaultActor.isUnderWay(for: challenge) else {
            throw Faults.challengeRefused
        }
        let dependencies = vaultActor.dependencies
        do throws(VaultError) {
            try VaultFile.create(directory: dependencies.directory, keys: keys, record: record)
        } catch { throw Fault(error) }
        let abandoned = made.withLock { made in
            defer { made = Made(challenge: challenge, record: record) }
            return made
        }
        if let abandoned { Task { await removeIndexes(of: abandoned.record, dependencies) } }
    }

    /// Removes the indexes of a vault that was never made. An index that cannot be removed stays in the TPM and is
    /// worthless (docs/tpm.md, "What can be left behind").
    private func removeIndexes(of record: RegistryRecord, _ dependencies: VaultDependencies) async {
        guard record.counter != nil else { return }
        // `try?`: the first error tells more than this one.
        try? await dependencies.sealer.use { (sealer) throws(SealerError) in
            sealer.remove(counter: record.counter, generation: record.generation)
        }
    }

    /// The registry has the record. The new file gets its final name.
    func adopt(in vaultActor: isolated VaultActor, for challenge: Challenge.ID) throws(Fault) -> VaultID {
        guard let made = made.withLock({ $0 }), made.challenge == challenge else { throw Faults.challengeRefused }
        guard try vaultActor.registered() == made.record else {
            throw Fault(.notPermitted, "the registry does not have the new vault's record")
        }
        do throws(VaultError) {
            try VaultFile.adopt(directory: vaultActor.dependencies.directory, record: made.record)
        } catch { throw vaultActor.noting(Fault(error)) }
        self.made.withLock { $0 = nil }
        // From now on the registry's record counts.
        vaultActor.dependencies.indexes.giveBack(vaultActor.owner)
        vaultActor.endOperation(of: challenge)
        return made.record.vault
    }
}
