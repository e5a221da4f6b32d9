import Authorization
import Cryptography

/// What keeps the roots of a vault and its constraint keys: a TPM, or software where root chose that.
///
/// Calls are synchronous and may block for seconds: they belong on a thread of their own. Each is one opening of the TPM. What an
/// object must be (Name, attributes, policy) is computed from the registry's record; nothing is believed of the vault's file.
public protocol Sealer: PasswordBinding, EpochCounting, BootTie {
    var kind: SealerKind { get }

    /// Makes the objects of a new vault: device root, unlock root, recovery key, and a key for each constraint but the current set's.
    ///
    /// - Parameter authenticatorKey: the authenticator's public point, 65 bytes: its signature alone opens what is for a person.
    func makeKeys(vault: VaultID, owner: Owner, authenticatorKey: [UInt8]) throws(SealerError) -> NewVaultKeys

    /// The device root, 32 bytes. Needs no person.
    func openDeviceRoot(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> SecretBytes

    /// The unlock root, where the vault is not bound to a password, or the recovery key, 32 bytes.
    ///
    /// - Parameter sign: called once, while the session is open; `r ‖ s`, 64 bytes.
    func open(
        _ role: ObjectRole, _ objects: SealedObjects, record: RegistryRecord,
        sign: (SigningRequest) throws(SigningRefusal) -> [UInt8]
    ) throws(SealerError) -> SecretBytes

    /// What a constraint key and an item's point agree on: the X coordinate, 32 bytes.
    ///
    /// - Parameters:
    ///   - point: the item's, 65 bytes.
    ///   - sign: called once, while the session is open; `r ‖ s`, 64 bytes.
    func agree(
        _ role: ObjectRole, point: [UInt8], _ objects: SealedObjects, record: RegistryRecord,
        sign: (SigningRequest) throws(SigningRefusal) -> [UInt8]
    ) throws(SealerError) -> SecretBytes

    /// Makes the key for a set of enrolled fingers, in a vault that is there.
    ///
    /// - Parameters:
    ///   - record: the vault's; what it says of an earlier set does not matter.
    ///   - setDigest: of the enrolled fingers, 32 bytes.
    /// - Returns: the object, and its Name for the registry.
    func makeSetKey(_ setDigest: [UInt8], record: RegistryRecord) throws(SealerError) -> (SealedObject, name: [UInt8])

    /// A constraint key's public point, 65 bytes, from the object whose Name the record has. No use of the TPM.
    func publicPoint(of role: ObjectRole, _ objects: SealedObjects, record: RegistryRecord) throws(SealerError)
        -> [UInt8]

    /// Removes what a generation of keys hangs on: those of its objects that a signature opens never open again. One that is gone, or another's, is left
    /// as it is.
    func endGeneration(_ generation: GenerationPin) throws(SealerError)

    func describe() throws(SealerError) -> SealerDescription
}

extension Sealer {
    /// Removes from the TPM what was made for a vault that is not to be. What cannot be removed stays there, of use to nobody (docs/tpm.md, "What can be
    /// left behind").
    public func remove(counter: CounterPin?, generation: GenerationPin?) {
        // What is not removed stays: there is nobody to tell.
        if let counter { try? removeCounter(counter) }
        // As above; and a counter that stays is no reason to leave this.
        if let generation { try? endGeneration(generation) }
    }
}
