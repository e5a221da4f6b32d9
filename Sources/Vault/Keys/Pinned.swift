import Authorization

/// A vault's sealed objects and the record that pins them.
struct Pinned: Sendable {
    private(set) var record: RegistryRecord
    private(set) var objects: SealedObjects
    /// The public points of the constraint keys.
    private(set) var points: [ObjectRole: [UInt8]] = [:]
    /// What another binding, another tie to the boot, or the end of one has put beside what was in use.
    private(set) var transition: Transition?
    /// The objects as the file has them in its table; of those in use some are the transition's where the registry names that.
    private(set) var storedObjects: SealedObjects

    /// - Parameter transition: the file's.
    /// - Throws: `.damaged` where the objects are not those of the record.
    init(
        record: RegistryRecord, objects: SealedObjects, transition: Transition?, sealer: some Sealer
    ) throws(SealerError) {
        let changing: Set<ObjectRole> = [.biometryCurrentSet, .approvingKey, .approvedBoots]
        guard Set(objects.keys).subtracting(changing) == Set(record.objects.keys).subtracting(changing) else {
            throw SealerError(.damaged, "the vault's sealed objects are not those in the registry")
        }
        self.record = record
        self.objects = objects
        storedObjects = objects
        self.transition = transition
        try findRoots(sealer)
        for role in objects.keys where role.isAgreementKey && !changing.contains(role) {
            points[role] = try sealer.publicPoint(of: role, objects, record: record)
        }
        findSetKey(sealer)
    }

    /// A new key is in the file; until the registry names it, it is nobody's.
    mutating func put(setKey object: SealedObject) {
        objects[.biometryCurrentSet] = object
        storedObjects[.biometryCurrentSet] = object
        points[.biometryCurrentSet] = nil
    }

    /// Other boots are approved.
    mutating func put(boots object: SealedObject) {
        objects[.approvedBoots] = object
        storedObjects[.approvedBoots] = object
    }

    /// The registry has another word on the enrolled fingers, or on the roots.
    mutating func take(_ record: RegistryRecord, sealer: some Sealer) throws(SealerError) {
        self.record = record
        try findRoots(sealer)
        findSetKey(sealer)
    }

    /// Whether the registry names what the transition brought.
    private(set) var isCommitted = false

    mutating func put(_ transition: Transition) { self.transition = transition }

    /// The file has only what is in use.
    mutating func finish() {
        transition = nil
        storedObjects = objects
        isCommitted = false
    }

    /// Of the two sets that a transition leaves in the file, the registry names the one that counts: by the unlock root, which is another one in each.
    private mutating func findRoots(_ sealer: some Sealer) throws(SealerError) {
        guard let object = storedObjects[.unlockRoot] else { return }
        if try sealer.name(of: object) == record.objects[.unlockRoot] {
            isCommitted = false
            objects = storedObjects
        } else {
            guard let transition, let root = transition.unlockRoot,
                try sealer.name(of: root) == record.objects[.unlockRoot]
            else {
                throw SealerError(
                    .damaged,
                    "the vault's unlock root is not the registry's: the file may be from before the vault was bound or tied to the boot, or released"
                )
            }
            isCommitted = true
            objects = storedObjects.merging(transition.objects.map { ($0.role, $0) }) { $1 }
            if record.boot == nil { for role in [ObjectRole.approvingKey, .approvedBoots] { objects[role] = nil } }
        }
        guard (objects[.approvingKey] != nil) == (record.boot != nil),
            (objects[.approvedBoots] != nil) == (record.boot != nil)
        else {
            throw SealerError(
                .damaged, "the vault's approved boots are not those of a vault that is tied as the registry says")
        }
    }

    /// A crash between file and registry leaves a key that is not the registry's: it is not used, and the next item that needs one has it made anew.
    private mutating func findSetKey(_ sealer: some Sealer) {
        // Whatever is wrong with it, it is then not there; that it is the vault's own is for the header to say.
        points[.biometryCurrentSet] = try? sealer.publicPoint(of: .biometryCurrentSet, objects, record: record)
    }
}
