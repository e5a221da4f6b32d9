import Authorization
import TPM

/// A vault's sealed objects and the record that pins them.
struct Pinned: Sendable {
    private(set) var record: RegistryRecord
    private(set) var objects: SealedObjects
    /// The public points of the constraint keys.
    private(set) var points: [ObjectRole: [UInt8]] = [:]
    /// The roots of another binding or boot tie, or of the end of one, which the file keeps beside those in use.
    private(set) var transition: Transition?
    /// The objects in the file's table. If the registry names the transition, some of those in use come from the
    /// transition.
    private(set) var storedObjects: SealedObjects

    /// - Parameter transition: as the file has it.
    /// - Throws: `.damaged` if the objects are not those of the record.
    init(
        record: RegistryRecord, objects: SealedObjects, transition: Transition?, sealer: some SealedObjectReader
    ) throws(SealerError) {
        let changing: Set<ObjectRole> = [.biometryCurrentSet, .approvingKey, .approvedBoots]
        guard Set(objects.keys).subtracting(changing) == Set(record.objects.keys).subtracting(changing) else {
            throw SealerError(
                .damaged, "the vault's sealed objects are not those in the registry", advice: RecoveryAdvice.newestCopy)
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

    /// Notes that the file has a new key. Nothing uses the key until the registry names it.
    mutating func put(setKey object: SealedObject) {
        objects[.biometryCurrentSet] = object
        storedObjects[.biometryCurrentSet] = object
        points[.biometryCurrentSet] = nil
    }

    /// Notes that the file has another list of approved boots.
    mutating func put(boots object: SealedObject) {
        objects[.approvedBoots] = object
        storedObjects[.approvedBoots] = object
    }

    /// Takes a new registry record, in which the enrolled fingers or the roots may differ.
    mutating func take(_ record: RegistryRecord, sealer: some SealedObjectReader) throws(SealerError) {
        self.record = record
        try findRoots(sealer)
        findSetKey(sealer)
    }

    /// Whether the registry names the transition's roots.
    private(set) var isCommitted = false

    mutating func put(_ transition: Transition) { self.transition = transition }

    /// Notes that the file now has only the roots in use.
    mutating func finish() {
        transition = nil
        storedObjects = objects
        isCommitted = false
    }

    /// Finds the roots that the registry names. A transition leaves two sets in the file, and their unlock roots
    /// differ.
    private mutating func findRoots(_ sealer: some SealedObjectReader) throws(SealerError) {
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
                    "the vault's unlock root is not the one in the registry: this may be a copy from before its keys were "
                        + "renewed (coffer rotate --all), or before the vault was bound, tied to the boot, or released",
                    advice:
                        "put the newest copy back, of the file or of its registry record if that is the older one, and "
                        + "restart cofferd; remove nothing from the TPM; only without such a copy, "
                        + "\(RecoveryAdvice.setAside); if it shared its secrets: coffer sync join FOLDER")
            }
            isCommitted = true
            objects = storedObjects.merging(transition.objects.map { ($0.role, $0) }) { $1 }
            if record.boot == nil { for role in [ObjectRole.approvingKey, .approvedBoots] { objects[role] = nil } }
        }
        guard (objects[.approvingKey] != nil) == (record.boot != nil),
            (objects[.approvedBoots] != nil) == (record.boot != nil)
        else {
            throw SealerError(
                .damaged, "the vault's approved boots do not match the registry", advice: RecoveryAdvice.newestCopy)
        }
    }

    /// Finds the key of the enrolled fingers. A crash between file and registry leaves a key that the registry does not
    /// name. It is not used, and the next item that needs one causes a new key.
    private mutating func findSetKey(_ sealer: some SealedObjectReader) {
        // Any error means that there is no usable key. The header's digest already shows that the object is the vault's
        // own.
        points[.biometryCurrentSet] = try? sealer.publicPoint(of: .biometryCurrentSet, objects, record: record)
    }
}
