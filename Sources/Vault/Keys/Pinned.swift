import Authorization

/// A vault's sealed objects and the record that pins them. All but the key of the enrolled fingers are the vault's for life.
struct Pinned: Sendable {
    private(set) var record: RegistryRecord
    private(set) var objects: SealedObjects
    /// The public points of the constraint keys.
    private(set) var points: [ObjectRole: [UInt8]] = [:]
    /// What binding, or its end, has put beside what was in use.
    private(set) var transition: Transition?
    /// The unlock root's object that the file has in its place; the one in use is the transition's where the registry names that.
    private var replaced: SealedObject?

    /// - Parameter transition: the file's.
    /// - Throws: `.damaged` where the objects are not those of the record.
    init(
        record: RegistryRecord, objects: SealedObjects, transition: Transition?, sealer: some Sealer
    ) throws(SealerError) {
        let changing: Set<ObjectRole> = [.biometryCurrentSet]
        guard Set(objects.keys).subtracting(changing) == Set(record.objects.keys).subtracting(changing) else {
            throw SealerError(.damaged, "the vault's sealed objects are not those in the registry")
        }
        self.record = record
        self.objects = objects
        self.transition = transition
        try findUnlockRoot(sealer)
        for role in objects.keys where role.isAgreementKey && !changing.contains(role) {
            points[role] = try sealer.publicPoint(of: role, objects, record: record)
        }
        findSetKey(sealer)
    }

    /// A new key is in the file; until the registry names it, it is nobody's.
    mutating func put(setKey object: SealedObject) {
        objects[.biometryCurrentSet] = object
        points[.biometryCurrentSet] = nil
    }

    /// The registry has another word on the enrolled fingers, or on the unlock root.
    mutating func take(_ record: RegistryRecord, sealer: some Sealer) throws(SealerError) {
        self.record = record
        try findUnlockRoot(sealer)
        findSetKey(sealer)
    }

    /// Whether the registry names what the transition brought.
    var isCommitted: Bool { replaced != nil }

    /// The objects as the file has them.
    var storedObjects: SealedObjects { replaced.map { objects.merging([.unlockRoot: $0]) { $1 } } ?? objects }

    mutating func put(_ transition: Transition) { self.transition = transition }

    /// The file has only what is in use.
    mutating func settle() {
        transition = nil
        replaced = nil
    }

    /// Of the two that a transition leaves in the file, the registry names the one that counts.
    private mutating func findUnlockRoot(_ sealer: some Sealer) throws(SealerError) {
        guard let object = objects[.unlockRoot] else { return }
        if try sealer.name(of: object) == record.objects[.unlockRoot] { return }
        guard let transition, try sealer.name(of: transition.object) == record.objects[.unlockRoot] else {
            throw SealerError(
                .damaged,
                "the vault's unlock root is not the registry's: the file may be from before the vault was bound, or unbound"
            )
        }
        replaced = object
        objects[.unlockRoot] = transition.object
    }

    /// A crash between file and registry leaves a key that is not the registry's: it is not used, and the next item that needs one has it made anew.
    private mutating func findSetKey(_ sealer: some Sealer) {
        // Whatever is wrong with it, it is then not there; that it is the vault's own is for the header to say.
        points[.biometryCurrentSet] = try? sealer.publicPoint(of: .biometryCurrentSet, objects, record: record)
    }
}
