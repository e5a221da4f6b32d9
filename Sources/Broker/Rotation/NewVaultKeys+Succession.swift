import Authorization
import Cryptography
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
            isService: former.isService, generation: generation)
        var objects = objects
        if let set {
            let (object, name) = try sealer.makeSetKey(set, record: record)
            objects.append(object)
            record = record.with(biometrySet: set, key: name)
        }
        if let (pin, salt) = binding {
            let sealed = try sealer.bind(unlockRoot, pin: pin, record: record)
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
