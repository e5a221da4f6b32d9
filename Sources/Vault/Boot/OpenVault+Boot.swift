import Authorization
import Cryptography

/// Tying a vault to the boot, and ending that, takes the same three steps as binding it to a password
/// (``OpenVault/begin(from:to:_:)``).
extension OpenVault {
    /// Puts roots that were sealed again, and the class keys under them, beside those in use.
    ///
    /// - Parameters:
    ///   - root: the unlock root in use.
    ///   - next: the other unlock root.
    /// - Throws: `.damaged`, `.storage`, `.changed`. After an error, nothing has changed.
    public func begin(from root: SecretBytes, to next: SecretBytes, _ sealed: ResealedVault) throws(VaultError) {
        try begin(
            from: root, to: next, sealed.objects, isToBeBound: isBound,
            index: sealed.boot.map { .boots($0.index) }, formerIndex: record.boot.map { .boots($0.index) })
    }

    /// The list of approved boots. The TPM decides whether it is the right one.
    ///
    /// - Throws: `.damaged` if there is none.
    public var boots: BootList {
        get throws(VaultError) {
            do throws(SealerError) { return try BootList(objects[.approvedBoots]) } catch { throw VaultError(error) }
        }
    }

    /// Writes the list. A new list is first written beside the old one, then the TPM is told, then the new one is
    /// written alone. If this is interrupted, the file still has the list that the TPM keeps.
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
