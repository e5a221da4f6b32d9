import Authorization
import Cryptography

/// An unlock root that was sealed anew.
public struct ResealedRoot: Sendable {
    /// Role `unlockRoot`.
    public let object: SealedObject
    /// 34 bytes, for the registry.
    public let name: [UInt8]
    /// What counts the tries of its password; nil where it has none.
    public let index: IndexPin?

    public init(object: SealedObject, name: [UInt8], index: IndexPin?) {
        self.object = object
        self.name = name
        self.index = index
    }
}

/// Roots that were sealed anew, and are to take the place of those in use.
public protocol Resealed: Sendable {
    /// What was made in the TPM for them.
    var madeIndex: VaultIndex? { get }

    /// Puts them beside those in use.
    ///
    /// - Parameters:
    ///   - root: the unlock root in use.
    ///   - next: the other one.
    func begin(in vault: OpenVault, from root: SecretBytes, to next: SecretBytes) throws(VaultError)
}

extension ResealedRoot: Resealed {
    public var madeIndex: VaultIndex? { index.map { .password($0) } }

    public func begin(in vault: OpenVault, from root: SecretBytes, to next: SecretBytes) throws(VaultError) {
        try vault.begin(from: root, to: next, self)
    }
}

/// What opens a bound vault: the authenticator's signature, and the password that PAM has just accepted, in the form that the TPM knows it in.
public struct BoundProof: Sendable {
    /// `r ‖ s`, 64 bytes.
    public let signature: [UInt8]
    /// 32 bytes; nil where the authenticator brought none.
    public let pin: SecretBytes?

    public init(signature: [UInt8], pin: SecretBytes?) {
        self.signature = signature
        self.pin = pin
    }
}

/// Holds a vault to its owner's login password besides the signature (docs/binding.md). The TPM counts wrong ones, for each vault by itself.
///
/// Calls are synchronous and may block, as a ``Sealer``'s.
public protocol PasswordBinding: Sendable {
    /// Makes an index for the PIN and seals an unlock root under it.
    ///
    /// - Throws: `.unsupported` where nothing counts tries here.
    func bind(_ unlockRoot: SecretBytes, pin: SecretBytes, record: RegistryRecord) throws(SealerError) -> ResealedRoot

    /// Seals an unlock root under the authenticator's signature alone.
    func sealUnbound(_ unlockRoot: SecretBytes, record: RegistryRecord) throws(SealerError) -> ResealedRoot

    /// The unlock root of a vault that is bound, 32 bytes.
    ///
    /// - Parameter prove: called once, while the session is open.
    /// - Throws: `.wrongPIN` with the tries left, `.triesUsedUp`, `.pinIndexGone`.
    func openBound(
        _ objects: SealedObjects, record: RegistryRecord,
        prove: (SigningRequest) throws(SigningRefusal) -> BoundProof
    ) throws(SealerError) -> SecretBytes

    /// Removes an index: what was sealed under it is dead. One that is gone, or another's, is left as it is.
    func removeIndex(_ index: VaultIndex) throws(SealerError)

    /// An object's Name, 34 bytes. No use of the TPM.
    func name(of object: SealedObject) throws(SealerError) -> [UInt8]
}
