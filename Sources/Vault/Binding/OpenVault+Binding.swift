import Authorization
import Cryptography

/// Binds a vault to a password, binds it to another one, or ends the binding. It takes three steps, in this order:
/// 1. The file gets the new objects beside those in use.
/// 2. The registry names the new ones.
/// 3. The file drops the old ones.
/// A crash between them leaves a vault that opens with the objects that the registry names (docs/vault-format.md).
extension OpenVault {
    /// Whether the vault's key depends on the login password.
    public var isBound: Bool { record.binding != nil }

    /// The key under which the authenticator remembers a password that the vault is not bound to. It opens nothing.
    ///
    /// - Throws: `.storage` if there is no memory for it.
    public func passwordKey() throws(VaultError) -> SecretBytes {
        try cryptography { () throws(CryptographyError) in try keys.password(of: record.vault) }
    }

    /// Whether the registry already names a transition's new objects while the file still has the old ones.
    public var isBindingUnfinished: Bool { pinned.withLock { $0.isCommitted } }

    /// An index that nothing needs. Its binding has ended, or the registry never named its transition.
    public var uselessIndex: VaultIndex? {
        pinned.withLock { $0.isCommitted ? $0.transition?.formerIndex : $0.transition?.index }
    }

    /// How many items need the password as part of their key, without those in the bin. Ending the binding deletes them.
    public var passcodeSetCount: Int {
        get throws(VaultError) {
            try read { (snapshot) throws(VaultError) in
                try snapshot.liveSummaries().count { $0.access.accessibility == .passcodeSet }
            }
        }
    }

    /// Puts another unlock root, and the class keys under it, beside those in use. This replaces an earlier one that
    /// the registry never named.
    ///
    /// - Parameters:
    ///   - root: the unlock root in use.
    ///   - next: the other unlock root.
    ///   - sealed: the other unlock root, as the sealer has sealed it.
    /// - Throws: `.damaged`; `.storage`; `.changed` if an earlier transition is unfinished. After an error, the other root
    ///   may be in the file. Nothing uses it, and the next transition replaces it.
    public func begin(from root: SecretBytes, to next: SecretBytes, _ sealed: ResealedRoot) throws(VaultError) {
        guard sealed.object.role == .unlockRoot else {
            throw VaultError(.invalidArgument, "object \(sealed.object.role.rawValue) is not an unlock root")
        }
        try begin(
            from: root, to: next, [sealed.object], isToBeBound: sealed.index != nil,
            index: sealed.index.map { .password($0) }, formerIndex: record.binding.map { .password($0.index) })
    }

    /// - Parameters:
    ///   - objects: the other unlock root, and the other objects that were sealed again.
    ///   - index: the NV index made for them, if any.
    ///   - formerIndex: the NV index of the objects in use, if any.
    func begin(
        from root: SecretBytes, to next: SecretBytes, _ objects: [SealedObject], isToBeBound: Bool, index: VaultIndex?,
        formerIndex: VaultIndex?
    ) throws(VaultError) {
        guard !isBindingUnfinished else {
            throw VaultError(.changed, "the vault is already being sealed anew", advice: "try again in a moment")
        }
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
        try write { (change) throws(VaultError) in
            try change.put(transition, objectsDigest: digest)
        } committed: { _ in
            pinned.withLock { $0.put(transition) }
        }
    }

    /// Once the registry names the transition, uses its class keys.
    func useTransition() throws(VaultError) {
        guard let transition = pinned.withLock({ $0.isCommitted ? $0.transition : nil }) else { return }
        use(try Keybag(decoding: transition.keybag, keys: keys, format))
    }

    /// Drops the objects and keys that were in use before the registry named others. If the binding has ended, this
    /// also deletes the items and former values that needed it.
    ///
    /// - Returns: how many items were deleted, without those in the bin.
    /// - Throws: `.damaged`, `.storage`. After an error, this may be done all the same. Then ``isBindingUnfinished`` is
    ///   false.
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
        return try write { (change) throws(VaultError) in
            let lost = isBound ? [] : try change.allItems().filter(\.summary.isPasscodeSet)
            for item in lost { try change.remove(item) }
            if !isBound {
                // What cannot be read may need it, too.
                if let damaged = try change.allFormer().damaged.first { throw damaged.error }
                try change.keepFormer { $0.filter { !$0.summary.isPasscodeSet } }
            }
            try change.finish(transition, former, objects, objectsDigest: objectsDigest, keybagDigest: keybagDigest)
            return lost.count { !$0.summary.isDeleted }
        } committed: { _ in
            pinned.withLock { $0.finish() }
        }
    }
}

extension ItemSummary {
    fileprivate var isPasscodeSet: Bool { access.accessibility == .passcodeSet }
}
