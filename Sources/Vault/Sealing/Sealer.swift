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

    /// Makes the keys with which a device of a circle signs.
    ///
    /// - Parameters:
    ///   - streamPassword: 32 bytes. Without it, the stream key signs nothing.
    ///   - membershipPassword: 32 bytes; the same for the membership key.
    ///   - record: the vault's. Only its authenticator's signature opens the membership key, and only as long as its
    ///     generation has not ended.
    func makeSigningKeys(
        streamPassword: SecretBytes, membershipPassword: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> SigningKeyPair

    /// Signs with a device's stream key. Asks nobody.
    ///
    /// - Parameters:
    ///   - digest: SHA-256 of what is signed, 32 bytes.
    ///   - point: the key's public point, 65 bytes.
    /// - Returns: `r ‖ s`, 64 bytes.
    /// - Throws: `.damaged` unless the object is a stream key with this point; `.policyRefused` for another password.
    func sign(
        _ digest: [UInt8], with key: SealedObject, point: [UInt8], password: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> [UInt8]

    func describe() throws(SealerError) -> SealerDescription

    /// nil if the sealer cannot count the tries of a password.
    var binding: (any PasswordBinding)? { get }
    /// nil if the sealer cannot count epochs.
    var counting: (any EpochCounting)? { get }
    /// nil if the sealer cannot measure boots.
    var bootTie: (any BootTie)? { get }
    /// nil if the sealer has no indexes, because nothing that it keeps is safe from being rolled back.
    var indexes: (any IndexRemoval)? { get }
    /// nil if the sealer cannot prove where its keys are.
    var attesting: (any KeyAttesting)? { get }
    /// nil if there is nothing to inspect.
    var inspection: (any SealerInspection)? { get }
}

/// A use of a vault's object that needs the authenticator's signature.
public enum SignedUse: Sendable, Equatable {
    /// Opens the unlock root, the recovery key or the approving key, 32 bytes. The unlock root of a bound vault also
    /// needs the PIN.
    case open(ObjectRole)
    /// The shared secret of a constraint key and an item's point of 65 bytes: the X coordinate, 32 bytes.
    case agree(ObjectRole, point: [UInt8])
    /// The signature `r ‖ s`, 64 bytes, of the membership key with this public point over a digest of 32 bytes. The
    /// key comes with the use, because it is not among the vault's objects. A wrong password is `.policyRefused`.
    case sign(SealedObject, point: [UInt8], digest: [UInt8], password: SecretBytes)

    /// The object.
    public var role: ObjectRole {
        switch self {
        case .open(let role), .agree(let role, _): role
        case .sign: .membershipKey
        }
    }
}

/// A use that was begun and waits for its signature. It ends once: when it is finished, cancelled or released. Until
/// then it keeps the TPM open, so nobody else may use the TPM.
///
/// Calls are synchronous and may block, as those of a ``Sealer`` do.
public protocol PendingUse: Sendable {
    /// What the authenticator must sign.
    var request: SigningRequest { get }

    /// Shows the signature to the sealer, and uses the object. The use has ended then, also after an error.
    ///
    /// - Parameters:
    ///   - signature: `r ‖ s`, 64 bytes.
    ///   - pin: 32 bytes; nil unless the vault is bound.
    /// - Returns: the secret that ``SignedUse`` names.
    /// - Throws: `.signingRefused` if the use had ended before, or if the PIN is missing; `.wrongPIN` with the tries
    ///   left, `.triesUsedUp`, `.pinIndexGone`.
    func finish(signature: [UInt8], pin: SecretBytes?) throws(SealerError) -> SecretBytes

    /// Ends the use without a signature, and leaves nothing in the TPM.
    func cancel()
}

extension SealerError {
    /// A use has one signature, and then it is over.
    static let useEnded = SealerError(.signingRefused, "this use of the sealer has ended")
}
