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
        /// Whether the registry was seen to name it. Such a vault was made, even if it is gone by now.
        var isNamed = false
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
            await dependencies.removeIndexes(of: record)
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
        // What cannot be removed stays in the TPM and is worthless (docs/tpm.md, "What can be left behind").
        if let abandoned, !abandoned.isNamed { Task { await dependencies.removeIndexes(of: abandoned.record) } }
    }

    /// The registry names a vault. An opening may have given its file the final name, because the authenticator ended
    /// before it could report.
    func noteNamed(_ vault: VaultID) {
        made.withLock { made in
            guard made?.record.vault == vault else { return }
            made?.isNamed = true
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
