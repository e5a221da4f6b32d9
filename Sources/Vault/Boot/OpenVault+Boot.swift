import Authorization
import Cryptography

/// Tying a vault to the boot, and its end, go in the three steps in which a vault is bound to a password (``OpenVault/begin(from:to:_:)``).
extension OpenVault {
    /// Puts the roots that were sealed anew, and the class keys under them, beside those in use.
    ///
    /// - Parameters:
    ///   - root: the unlock root in use.
    ///   - next: the other one.
    /// - Throws: `.damaged`, `.storage`, `.changed`; then nothing has changed.
    public func begin(from root: SecretBytes, to next: SecretBytes, _ sealed: ResealedVault) throws(VaultError) {
        try begin(
            from: root, to: next, sealed.objects, isToBeBound: isBound,
            index: sealed.boot.map { .boots($0.index) }, formerIndex: record.boot.map { .boots($0.index) })
    }

    /// The list of approved boots, which the TPM has the last word on.
    ///
    /// - Throws: `.damaged` where there is none.
    public var boots: BootList {
        get throws(VaultError) {
            do throws(SealerError) { return try BootList(objects[.approvedBoots]) } catch { throw VaultError(error) }
        }
    }

    /// Writes the list down. One that is to be in force comes beside the other first, then the TPM is told, then it stands alone: whatever stops in between,
    /// the one that the TPM keeps is among them.
    public func put(_ boots: BootList) throws(VaultError) {
        guard record.boot != nil, !isBindingUnfinished else {
            throw VaultError(.changed, "the vault is tied to no boot")
        }
        let object = boots.object
        let (objects, transition) = pinned.withLock {
            ($0.storedObjects.merging([.approvedBoots: object]) { $1 }, $0.transition)
        }
        let digest = try cryptography { () throws(CryptographyError) in
            try Header.digest(of: objects, transition: transition?.encoded ?? [])
        }
        try write { (change) throws(VaultError) in try change.put(boots: object, objectsDigest: digest) }
        pinned.withLock { $0.put(boots: object) }
    }
}
