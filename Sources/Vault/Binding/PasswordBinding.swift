import Authorization
import Cryptography

/// An unlock root that was sealed again.
public struct ResealedRoot: Sendable {
    /// Role `unlockRoot`.
    public let object: SealedObject
    /// 34 bytes, for the registry.
    public let name: [UInt8]
    /// The index that counts the password's tries; nil if there is no password.
    public let index: IndexPin?

    public init(object: SealedObject, name: [UInt8], index: IndexPin?) {
        self.object = object
        self.name = name
        self.index = index
    }
}

/// Roots that were sealed again, and are to replace those in use.
public protocol Resealed: Sendable {
    /// The NV index made in the TPM for them.
    var madeIndex: VaultIndex? { get }

    /// Puts them beside the roots in use.
    ///
    /// - Parameters:
    ///   - root: the unlock root in use.
    ///   - next: the other unlock root.
    func begin(in vault: OpenVault, from root: SecretBytes, to next: SecretBytes) throws(VaultError)
}

extension ResealedRoot: Resealed {
    public var madeIndex: VaultIndex? { index.map { .password($0) } }

    public func begin(in vault: OpenVault, from root: SecretBytes, to next: SecretBytes) throws(VaultError) {
        try vault.begin(from: root, to: next, self)
    }
}

/// Makes a vault need its owner's login password besides the signature (docs/binding.md). The TPM counts wrong
/// passwords for each vault separately.
///
/// Calls are synchronous and may block, as those of a ``Sealer`` do.
public protocol PasswordBinding: Sendable {
    /// Makes an index for the PIN and seals an unlock root under it.
    func bind(_ unlockRoot: SecretBytes, pin: SecretBytes, record: RegistryRecord) throws(SealerError) -> ResealedRoot

    /// Seals an unlock root under the authenticator's signature alone.
    func sealUnbound(_ unlockRoot: SecretBytes, record: RegistryRecord) throws(SealerError) -> ResealedRoot
}
