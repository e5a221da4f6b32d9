import Authorization
import Cryptography

/// Reads sealed objects without the TPM, and never blocks.
public protocol SealedObjectReader: Sendable {
    var kind: SealerKind { get }

    /// An object's Name, 34 bytes.
    func name(of object: SealedObject) throws(SealerError) -> [UInt8]

    /// A constraint key's public point, 65 bytes, from the object whose Name the record has.
    func publicPoint(of role: ObjectRole, _ objects: SealedObjects, record: RegistryRecord) throws(SealerError)
        -> [UInt8]
}

/// Keeps a vault's roots and constraint keys: a TPM, or software if root chose that.
///
/// Calls are synchronous and may block for seconds, so they need a thread of their own. Each call opens the TPM once,
/// and closes it unless it begins a use. The sealer computes what an object must be (Name, attributes, policy) from the registry's record. It trusts nothing
/// in the vault's file. What only some sealers can do are properties that others have nil for.
public protocol Sealer: SealedObjectReader {
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

    func describe() throws(SealerError) -> SealerDescription

    /// nil if the sealer cannot count the tries of a password.
    var binding: (any PasswordBinding)? { get }
    /// nil if the sealer cannot count epochs.
    var counting: (any EpochCounting)? { get }
    /// nil if the sealer cannot measure boots.
    var bootTie: (any BootTie)? { get }
    /// nil if the sealer has no indexes, because nothing that it keeps is safe from being rolled back.
    var indexes: (any IndexRemoval)? { get }
    /// nil if there is nothing to inspect.
    var inspection: (any SealerInspection)? { get }
}
