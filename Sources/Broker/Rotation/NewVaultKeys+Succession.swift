import Authorization
import Cryptography
import Varlink
import Vault

extension NewVaultKeys {
    /// Makes these the keys of a successor. If the former vault had a key for enrolled fingers or was bound, the
    /// successor gets the same.
    func succeeding(
        _ former: RegistryRecord, _ id: VaultID, _ authenticatorKey: [UInt8], set: [UInt8]?,
        _ binding: (pin: SecretBytes, salt: [UInt8])?, _ sealer: any Sealer
    ) throws(SealerError) -> (RegistryRecord, NewVaultKeys) {
        var record = RegistryRecord(
            vault: id, owner: former.owner, ownerName: former.ownerName, created: former.created, sealer: sealer.kind,
            authenticatorKey: authenticatorKey, storageKey: storageKey, counter: counter, objects: names,
            isService: former.isService, generation: generation, maker: former.maker)
        var objects = objects
        if let set {
            let (object, name) = try sealer.makeSetKey(set, record: record)
            objects.append(object)
            record = record.with(biometrySet: set, key: name)
        }
        if let (pin, salt) = binding {
            let sealed = try sealer.requireBinding().bind(unlockRoot, pin: pin, record: record)
            guard let index = sealed.index, let pin = BindingPin(index: index, salt: salt) else {
                throw SealerError(.other, "the vault cannot be bound with such a salt")
            }
            objects = objects.filter { $0.role != .unlockRoot } + [sealed.object]
            record = record.with(binding: pin, unlockRoot: sealed.name)
        }
        return (
            record,
            NewVaultKeys(
                deviceRoot: deviceRoot, unlockRoot: unlockRoot, recoveryPublicKey: recoveryPublicKey,
                objects: objects, names: record.objects, storageKey: storageKey, counter: counter,
                generation: generation)
        )
    }
}

extension VaultDependencies {
    /// Makes the keys of a vault that is to replace another one. Nothing of it is in a file yet.
    func makeSuccessor(
        of state: VaultActor.OpenState, _ authenticatorKey: [UInt8], _ binding: (pin: SecretBytes, salt: [UInt8])?
    ) async throws(Fault) -> (succession: Succession, keys: NewVaultKeys) {
        let id: VaultID
        do throws(CryptographyError) { id = try VaultID.random() } catch {
            throw Fault(.failed, "the broker has no random numbers")
        }
        let former = state.record
        let set = state.vault.hasSetKey ? former.biometrySet : nil
        do throws(SealerError) {
            return try await sealer.use(within: makingTime) { (sealer) throws(SealerError) in
                let made = try sealer.makeKeys(vault: id, owner: former.owner, authenticatorKey: authenticatorKey)
                do throws(SealerError) {
                    let (record, keys) = try made.succeeding(former, id, authenticatorKey, set: set, binding, sealer)
                    return (Succession(record: record, former: former), keys)
                } catch {
                    sealer.remove(counter: made.counter, generation: made.generation)
                    throw error
                }
            } undo: { sealer, made in
                sealer.remove(counter: made.keys.counter, generation: made.keys.generation)
                // `try?`: an index that cannot be removed stays in the TPM and is worthless.
                if let index = made.succession.record.binding?.index { try? sealer.indexes?.remove(.password(index)) }
            }
        } catch { throw Fault(error) }
    }
}
