import Authorization
import Cryptography
import TPM

/// Keeps a vault's roots and constraint keys: a TPM, or software if root chose that.
///
/// Calls are synchronous and may block for seconds, so they need a thread of their own. Each call opens the TPM once,
/// and closes it unless it begins a use. The sealer computes what an object must be (Name, attributes, policy) from the registry's record. It trusts nothing
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

    /// Begins a use of an object that needs the authenticator's signature. The TPM stays open until the use has ended.
    func begin(_ use: SignedUse, _ objects: SealedObjects, record: RegistryRecord) throws(SealerError)
        -> any PendingUse

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

/// A device root, and the epoch that the vault's counter has reached.
public struct CountedRoot: Sendable {
    /// 32 bytes.
    public let deviceRoot: SecretBytes
    /// The epoch that the counter has reached; nil if the vault has no counter.
    public let epoch: UInt64?

    public init(deviceRoot: SecretBytes, epoch: UInt64?) {
        self.deviceRoot = deviceRoot
        self.epoch = epoch
    }
}

/// Counts the epochs of a vault where nobody who can write its file can change the count (docs/vault-format.md, "Epoch
/// and counter"). A counter's password is derived from the vault's device root.
///
/// Calls are synchronous and may block, as those of a ``Sealer`` do.
public protocol EpochCounting: Sendable {
    /// The device root and the counter's epoch, from one opening of the TPM. Asks nobody.
    ///
    /// - Throws: `.counterGone`; any error of opening the root.
    func openCounted(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> CountedRoot

    /// Brings the counter to an epoch. A repeated call does not count again.
    ///
    /// - Parameter most: the largest number of steps to take.
    /// - Returns: the epoch that the counter has reached. It differs from the wanted one if it was already higher, or
    ///   if the wanted one is out of reach.
    /// - Throws: `.counterGone`; `.busy` if the TPM limits its writes.
    func count(
        to epoch: UInt64, most: UInt64, password: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> UInt64

    /// Makes the counter again at its place, and removes anything there. It starts at an epoch that the vault never
    /// had.
    ///
    /// - Returns: that epoch.
    func remakeCounter(password: SecretBytes, record: RegistryRecord) throws(SealerError) -> UInt64

    /// Removes the counter of a vault that was never completed. Does nothing if the counter is gone or not ours.
    func removeCounter(_ pin: CounterPin) throws(SealerError)
}

/// Reports the condition of a sealer's TPM. For diagnosis only: nothing is decided by the answers.
public protocol SealerInspection: Sealer {
    /// - Parameter record: a vault's record, whose storage key is checked; nil if there is no vault.
    func inspect(_ record: RegistryRecord?) throws(SealerError) -> SealerCondition

    /// Identifies the TPM that holds a vault's storage key. May take seconds.
    ///
    /// - Parameter roots: certificates of TPM makers that root trusts.
    func identity(of record: RegistryRecord, roots: [Certificate]) throws(SealerError) -> Endorsement.Standing
}

/// The condition of the TPM, and of a vault's storage key in it.
public struct SealerCondition: Sendable, Equatable {
    public let tpm: TPMCondition
    /// nil if there is no vault.
    public let storageKey: StorageKeyStanding?

    public init(tpm: TPMCondition, storageKey: StorageKeyStanding?) {
        self.tpm = tpm
        self.storageKey = storageKey
    }
}

extension TPMSealer: SealerInspection {
    public func inspect(_ record: RegistryRecord?) throws(SealerError) -> SealerCondition {
        do throws(TPMError) {
            let context = try access.open()
            let condition = try context.condition()
            guard let pin = record?.storageKey else { return SealerCondition(tpm: condition, storageKey: nil) }
            let identity = StorageKeyIdentity(handle: pin.handle, name: pin.name, context: pin.context)
            return SealerCondition(tpm: condition, storageKey: try context.standing(of: identity))
        } catch { throw SealerError(error) }
    }

    public func identity(
        of record: RegistryRecord, roots: [Certificate]
    ) throws(SealerError) -> Endorsement.Standing {
        guard let pin = record.storageKey else {
            throw SealerError(.damaged, "the registry record of \(record.owner) names no storage key of a TPM")
        }
        do throws(TPMError) {
            let context = try access.open()
            let key = try context.storageKey(
                StorageKeyIdentity(handle: pin.handle, name: pin.name, context: pin.context))
            return try context.endorsement(of: key, roots: roots).standing
        } catch { throw SealerError(error) }
    }
}
