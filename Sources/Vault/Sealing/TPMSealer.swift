import Authorization
import Cryptography
import TPM

/// Keeps a vault's keys under this machine's TPM (docs/vault-format.md, "object"). Each call opens the TPM once and
/// leaves nothing loaded in it. It computes what an object must be from the registry record, and never trusts the
/// vault's file.
public struct TPMSealer: Sealer {
    let access: TPMAccess

    public init(_ access: TPMAccess) { self.access = access }

    public var kind: SealerKind { .tpm }
    public var binding: (any PasswordBinding)? { self }
    public var counting: (any EpochCounting)? { self }
    public var bootTie: (any BootTie)? { self }
    public var indexes: (any IndexRemoval)? { self }
    public var attesting: (any KeyAttesting)? { self }
    public var inspection: (any SealerInspection)? { self }

    public func makeKeys(
        vault: VaultID, owner: Owner, authenticatorKey: [UInt8]
    ) throws(SealerError) -> NewVaultKeys {
        let deviceRoot: SecretBytes
        let unlockRoot: SecretBytes
        let recovery: X25519.PrivateKey
        do {
            deviceRoot = try SecretBytes.random(count: 32)
            unlockRoot = try SecretBytes.random(count: 32)
            recovery = try X25519.PrivateKey.generate()
        } catch {
            throw SealerError(.other, "no random keys could be made: \(error.reason)")
        }
        func reference(_ kind: AuthorizationKind) -> PolicyReference {
            PolicyReference(vault: vault, owner: owner, kind: kind)
        }
        do throws(TPMError) {
            let context = try access.open()
            let parent = try context.provisionStorageKey()
            let generation = try context.defineGeneration(under: parent)
            do throws(TPMError) {
                guard let pin = GenerationPin(handle: generation.handle.rawValue, policy: generation.policy) else {
                    throw TPMError(.other, "the TPM's new index has an impossible handle")
                }
                let session = try context.startHMACSession(saltedTo: parent)
                var (objects, names): ([SealedObject], [ObjectRole: [UInt8]]) = ([], [:])
                func add(_ made: (object: SealedObject, name: [UInt8])) {
                    objects.append(made.object)
                    names[made.object.role] = made.name
                }
                let secrets: [(ObjectRole, SecretBytes)] = [
                    (.deviceRoot, deviceRoot), (.unlockRoot, unlockRoot), (.recovery, recovery.rawRepresentation),
                ]
                for (role, secret) in secrets {
                    let kind = try TPMObjects.kind(of: role, signer: authenticatorKey, pin, reference: reference)
                    add(try Self.keep(secret, as: role, kind, context, parent, session))
                }
                // These come last because TSS keeps the input of the last such command until it is closed. Their input
                // holds no secret.
                for role in ObjectRole.ofNewVault where role.isAgreementKey {
                    let kind = try TPMObjects.kind(of: role, signer: authenticatorKey, pin, reference: reference)
                    add(try TPMObjects.named(role, context.makeAgreementKey(kind, under: parent, session: session)))
                }
                let storage = parent.identity
                // This comes last because, besides the generation, only the counter stays in the TPM.
                session.flush()
                let counter = try Self.makeCounter(deviceRoot: deviceRoot, vault: vault, context, parent)
                return NewVaultKeys(
                    deviceRoot: deviceRoot, unlockRoot: unlockRoot, recoveryPublicKey: recovery.publicKey,
                    objects: objects, names: names,
                    storageKey: StorageKeyPin(handle: storage.handle, name: storage.name, context: storage.context),
                    counter: counter, generation: pin)
            } catch {
                // Nothing refers to the index yet. The first error matters more than a failed removal.
                try? context.undefine(generation)
                throw error
            }
        } catch {
            throw SealerError(error)
        }
    }

    public func makeSetKey(
        _ setDigest: [UInt8], record: RegistryRecord
    ) throws(SealerError) -> (SealedObject, name: [UInt8]) {
        let reference = PolicyReference(
            vault: record.vault, owner: record.owner, kind: .biometryCurrentSet, setDigest: setDigest)
        do {
            let kind = try TPMObjects.kind(
                of: .biometryCurrentSet, signer: record.authenticatorKey, record.generation
            ) { _ in reference }
            let made = try withStorageKey(of: record) { context, parent throws(TPMError) in
                let session = try context.startHMACSession(saltedTo: parent)
                return try context.makeAgreementKey(kind, under: parent, session: session)
            }
            return try TPMObjects.named(.biometryCurrentSet, made)
        } catch let error as TPMError {
            throw SealerError(error)
        } catch let error as SealerError {
            throw error
        } catch {
            throw SealerError(.other, "\(error)")
        }
    }

    public func publicPoint(
        of role: ObjectRole, _ objects: SealedObjects, record: RegistryRecord
    ) throws(SealerError) -> [UInt8] {
        let (object, expected) = try TPMObjects.find(role, objects, record)
        do {
            return try expected.checked(object.publicArea).point()
        } catch {
            throw SealerError(error)
        }
    }

    public func name(of object: SealedObject) throws(SealerError) -> [UInt8] {
        do throws(TPMError) { return try PublicArea(marshalled: object.public).name() } catch {
            throw SealerError(error)
        }
    }

    public func describe() throws(SealerError) -> SealerDescription {
        do {
            let description = try access.open().describe()
            return SealerDescription(manufacturer: description.manufacturer, model: description.model)
        } catch {
            throw SealerError(error)
        }
    }

    /// Opens the TPM once, with the record's storage key. After any error it checks the storage key, so that a cleared
    /// or replaced TPM is reported as such. If the TPM only lost the key's handle, it restores the key and tries again,
    /// because the TPM still makes the same key.
    func perform<Value>(
        _ record: RegistryRecord, _ body: (borrowing TPMContext, borrowing StorageKey) throws(TPMError) -> Value
    ) throws(SealerError) -> Value {
        try restoringStorageKey(of: record) { (identity) throws(TPMError) in try attempt(identity, body) }
    }

    /// As ``perform(_:_:)``, but never tries twice.
    func withStorageKey<Value>(
        of record: RegistryRecord, _ body: (borrowing TPMContext, borrowing StorageKey) throws(TPMError) -> Value
    ) throws(SealerError) -> Value {
        let identity = try Self.storageKey(of: record)
        do throws(TPMError) { return try attempt(identity, body) } catch { throw SealerError(error) }
    }

    /// Tries what needs the record's storage key. If the TPM only lost the key's handle, it restores the key and tries
    /// again.
    func restoringStorageKey<Value: ~Copyable>(
        of record: RegistryRecord, _ body: (StorageKeyIdentity) throws(TPMError) -> Value
    ) throws(SealerError) -> Value {
        let identity = try Self.storageKey(of: record)
        do throws(TPMError) {
            do throws(TPMError) { return try body(identity) } catch {
                guard error.code == .replaced, try access.open().restoreStorageKey(identity) else { throw error }
                return try body(identity)
            }
        } catch { throw SealerError(error) }
    }

    private func attempt<Value>(
        _ identity: StorageKeyIdentity,
        _ body: (borrowing TPMContext, borrowing StorageKey) throws(TPMError) -> Value
    ) throws(TPMError) -> Value {
        let context = try access.open()
        do throws(TPMError) {
            return try body(context, context.storageKey(identity))
        } catch {
            throw context.diagnosed(error, identity)
        }
    }

    private static func storageKey(of record: RegistryRecord) throws(SealerError) -> StorageKeyIdentity {
        guard let pin = record.storageKey else {
            throw SealerError(.damaged, "the registry record of \(record.owner) names no storage key of a TPM")
        }
        return StorageKeyIdentity(handle: pin.handle, name: pin.name, context: pin.context)
    }
}
