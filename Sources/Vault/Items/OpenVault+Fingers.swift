import Authorization
import Cryptography

/// The key of the enrolled fingers (docs/vault-format.md, "The key of the enrolled fingers").
extension OpenVault {
    /// Whether items can be bound to the fingers that the record names.
    public var hasSetKey: Bool { constraintPoints[.biometryCurrentSet] != nil }

    /// Replaces the key of the enrolled fingers with a new one. Items bound to the earlier fingers become unreadable.
    /// The key is not used until the registry names it.
    ///
    /// - Throws: `.damaged`, `.storage`. After an error, the key may be in the file. Then the vault in memory has it, too.
    public func put(setKey object: SealedObject) throws(VaultError) {
        guard object.role == .biometryCurrentSet else {
            throw VaultError(.invalidArgument, "object \(object.role.rawValue) is not the key of the enrolled fingers")
        }
        let (stored, transition) = pinned.withLock { ($0.storedObjects, $0.transition) }
        let objects = stored.merging([object.role: object]) { $1 }
        let digest = try cryptography { () throws(CryptographyError) in
            try Header.digest(of: objects, transition: transition?.encoded ?? [])
        }
        try write { (change) throws(VaultError) in
            try change.put(object, objectsDigest: digest)
        } committed: { _ in
            pinned.withLock { $0.put(setKey: object) }
        }
    }

    /// Takes a new record from root. Only the enrolled fingers, the password binding and the boot tie of a record ever
    /// change.
    ///
    /// - Throws: `.damaged` if anything else differs.
    public func take(_ record: RegistryRecord, sealer: any SealedObjectReader) throws(VaultError) {
        let present = self.record
        var changing = [ObjectRole.biometryCurrentSet, .unlockRoot]
        if record.boot != present.boot { changing += [.deviceRoot, .recovery, .approvingKey] }
        guard record.vault == present.vault, record.owner == present.owner, record.ownerName == present.ownerName,
            record.created == present.created, record.isService == present.isService, record.sealer == present.sealer,
            record.authenticatorKey == present.authenticatorKey, record.storageKey == present.storageKey,
            record.counter == present.counter,
            record.generation == present.generation,
            record.objects.filter({ !changing.contains($0.key) })
                == present.objects.filter({ !changing.contains($0.key) })
        else { throw .damaged("the registry's record now belongs to another vault") }
        do throws(SealerError) {
            try pinned.withLock { (pinned) throws(SealerError) in
                // After an error, the vault has the record and the roots that belong together.
                var next = pinned
                try next.take(record, sealer: sealer)
                pinned = next
            }
        } catch { throw VaultError(error) }
        try useTransition()
    }
}
