import Authorization
import Cryptography

/// Keeps a vault's roots and constraint keys: a TPM, or software if root chose that.
///
/// Calls are synchronous and may block for seconds, so they need a thread of their own. Each call opens the TPM once.
/// The sealer computes what an object must be (Name, attributes, policy) from the registry's record. It trusts nothing
/// in the vault's file.
public protocol Sealer: PasswordBinding, EpochCounting, BootTie {
    var kind: SealerKind { get }

    /// Makes the objects of a new vault: device root, unlock root, recovery key, and a key for each constraint except
    /// `biometryCurrentSet`.
    ///
    /// - Parameter authenticatorKey: the authenticator's public point, 65 bytes. Only its signature opens objects that
    ///   need a person.
    func makeKeys(vault: VaultID, owner: Owner, authenticatorKey: [UInt8]) throws(SealerError) -> NewVaultKeys

    /// The device root, 32 bytes. Asks nobody.
    func openDeviceRoot(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> SecretBytes

    /// The recovery key, or the unlock root of a vault that is not bound to a password. It has 32 bytes.
    ///
    /// - Parameter sign: called once, while the session is open. Returns `r ‖ s`, 64 bytes.
    func open(
        _ role: ObjectRole, _ objects: SealedObjects, record: RegistryRecord,
        sign: (SigningRequest) throws(SigningRefusal) -> [UInt8]
    ) throws(SealerError) -> SecretBytes

    /// The shared secret of a constraint key and an item's point: the X coordinate, 32 bytes.
    ///
    /// - Parameters:
    ///   - point: the item's, 65 bytes.
    ///   - sign: called once, while the session is open. Returns `r ‖ s`, 64 bytes.
    func agree(
        _ role: ObjectRole, point: [UInt8], _ objects: SealedObjects, record: RegistryRecord,
        sign: (SigningRequest) throws(SigningRefusal) -> [UInt8]
    ) throws(SealerError) -> SecretBytes

    /// Makes the key for a set of enrolled fingers in an existing vault.
    ///
    /// - Parameters:
    ///   - record: the vault's. An earlier set of fingers in it does not matter.
    ///   - setDigest: the digest of the enrolled fingers, 32 bytes.
    /// - Returns: the object, and its Name for the registry.
    func makeSetKey(_ setDigest: [UInt8], record: RegistryRecord) throws(SealerError) -> (SealedObject, name: [UInt8])

    /// A constraint key's public point, 65 bytes, from the object whose Name the record has. Does not use the TPM.
    func publicPoint(of role: ObjectRole, _ objects: SealedObjects, record: RegistryRecord) throws(SealerError)
        -> [UInt8]

    /// Removes the index that a generation of keys depends on. Its objects that a signature opens never open again.
    /// Does nothing if the index is gone or not ours.
    func endGeneration(_ generation: GenerationPin) throws(SealerError)

    func describe() throws(SealerError) -> SealerDescription
}

extension Sealer {
    /// Removes from the TPM what was made for a vault that was never completed. What cannot be removed stays there,
    /// useless to anybody (docs/tpm.md, "What can be left behind").
    public func remove(counter: CounterPin?, generation: GenerationPin?) {
        // If removing fails, the counter stays, and nobody needs to be told.
        if let counter { try? removeCounter(counter) }
        // As above. This also runs if the counter could not be removed.
        if let generation { try? endGeneration(generation) }
    }
}
