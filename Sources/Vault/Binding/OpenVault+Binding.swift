import Authorization
import Cryptography

/// Binding a vault to a password, to another one, or to none. Three steps, in this order: the file holds what is new beside what is in use; the registry
/// names the new; the file lets go of the old. A crash between them leaves a vault that opens by what the registry names (docs/vault-format.md).
extension OpenVault {
    /// Whether the password is part of its key.
    public var isBound: Bool { record.binding != nil }

    /// Whether the registry names what a transition brought, and the file still has what was before.
    public var isBindingUnfinished: Bool { pinned.withLock { $0.isCommitted } }

    /// The index that is good for nothing any more: of the binding that ended, or of a transition that the registry never named.
    public var uselessIndex: VaultIndex? {
        pinned.withLock { $0.isCommitted ? $0.transition?.formerIndex : $0.transition?.index }
    }

    /// How many items need the password as part of their key: they are gone when the vault is bound no more.
    public var passcodeSetCount: Int {
        get throws(VaultError) {
            try read { (snapshot) throws(VaultError) in try snapshot.allItems().count { $0.isPasscodeSet } }
        }
    }

    /// Puts another unlock root, and the class keys under it, beside those in use. One that was put there before, and that the registry never named, is gone.
    ///
    /// - Parameters:
    ///   - root: the unlock root in use.
    ///   - next: the other one.
    ///   - sealed: the other one as the sealer has sealed it.
    /// - Throws: `.damaged`, `.storage`, `.changed` where an earlier transition was not brought to its end; then nothing has changed.
    public func begin(from root: SecretBytes, to next: SecretBytes, _ sealed: ResealedRoot) throws(VaultError) {
        guard sealed.object.role == .unlockRoot else {
            throw VaultError(.invalidArgument, "object \(sealed.object.role.rawValue) is no unlock root")
        }
        try begin(
            from: root, to: next, [sealed.object], isToBeBound: sealed.index != nil,
            index: sealed.index.map { .password($0) }, formerIndex: record.binding.map { .password($0.index) })
    }

    /// - Parameters:
    ///   - objects: the other root, and what else was sealed anew.
    ///   - index: what was made in the TPM for it.
    ///   - formerIndex: what goes with what is in use.
    func begin(
        from root: SecretBytes, to next: SecretBytes, _ objects: [SealedObject], isToBeBound: Bool, index: VaultIndex?,
        formerIndex: VaultIndex?
    ) throws(VaultError) {
        guard !isBindingUnfinished else { throw VaultError(.changed, "the vault is being sealed anew already") }
        var present = try classKeys(unlockRoot: root)
        if !isToBeBound { present = present.unbound() }
        let (keybag, keys, format) = (keybag, keys, format)
        let transition = try cryptography { () throws(CryptographyError) in
            Transition(
                objects: objects,
                keybag: try keybag.resealed(present, under: next, isBound: isToBeBound, keys: keys, format).encoded,
                index: index, formerIndex: formerIndex)
        }
        let stored = pinned.withLock { $0.storedObjects }
        let digest = try cryptography { () throws(CryptographyError) in
            try Header.digest(of: stored, transition: transition.encoded)
        }
        try write { (change) throws(VaultError) in try change.put(transition, objectsDigest: digest) }
        pinned.withLock { $0.put(transition) }
    }

    /// After the registry was taken: the keys are those that it names.
    func useTransition() throws(VaultError) {
        guard let transition = pinned.withLock({ $0.isCommitted ? $0.transition : nil }) else { return }
        use(try Keybag(decoding: transition.keybag, keys: keys, format))
    }

    /// Lets go of what was in use before the registry named something else: its objects, its keys, and with a binding that ended the items that needed it.
    ///
    /// - Returns: how many items those were.
    /// - Throws: `.damaged`, `.storage`; then nothing has changed.
    @discardableResult
    public func finishBinding() throws(VaultError) -> Int {
        let (transition, former, objects) = pinned.withLock {
            ($0.isCommitted ? $0.transition : nil, $0.storedObjects, $0.objects)
        }
        guard let transition else { return 0 }
        let (objectsDigest, keybagDigest) = try cryptography { () throws(CryptographyError) in
            (try Header.digest(of: objects), try SHA256.digest(transition.keybag))
        }
        let isBound = keybag.isBound
        let lost = try write { (change) throws(VaultError) in
            let lost = isBound ? [] : try change.allItems().filter(\.isPasscodeSet)
            for item in lost { try change.remove(item) }
            try change.finish(transition, former, objects, objectsDigest: objectsDigest, keybagDigest: keybagDigest)
            return lost.count
        }
        pinned.withLock { $0.finish() }
        return lost
    }
}

extension StoredItem {
    fileprivate var isPasscodeSet: Bool { summary.access.accessibility == .passcodeSet }
}
