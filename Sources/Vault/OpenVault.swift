import Authorization
import Circle
import Cryptography
import Platform
import Synchronization

/// A vault whose device root is known. Everything can be listed and written. Reading needs the class keys, and the
/// authentication that an item demands.
///
/// Calls block on the disk. They may come from any thread; changes happen one after the other.
public final class OpenVault: Sendable {
    let directory: String
    let database: VaultDatabase
    let keys: VaultKeys
    let format: FormatContext
    /// Milliseconds since 1970-01-01 UTC.
    let now: @Sendable () -> UInt64
    let log: AccessLog
    let room: Room
    /// The registry record and the sealed objects, which change with the enrolled fingers, a binding or a boot tie.
    let pinned: Mutex<Pinned>

    /// nil if the vault has no counter.
    let epochs: Mutex<EpochCount?>

    /// The run of records that this opening gives out; nil before the first.
    let circleRun = Mutex<RunID?>(nil)

    /// What was compared of the circle's conflicts.
    let knownConflicts = Mutex(KnownConflicts())

    /// What was given out when a compaction was not worth it.
    let triedCompaction = Mutex(GivenAmount())

    /// What this vault's device may do in its circle.
    let knownRole = Mutex<KnownRole?>(nil)

    /// Until when changes may drop former values because their time has passed. A clock that shows more may be wrong.
    let dropsFormerUntil = Mutex<UInt64>(.max)

    private let currentKeybag: Mutex<Keybag>
    private let seen: SeenHeader
    let kept: KeptRows
    private let nodeReads = Mutex(0)
    private let onChange: ChangeObserver

    /// Gets what each committed change did to items, in order, on the thread that made the change.
    public typealias ChangeObserver = @Sendable ([CommittedChange]) -> Void

    /// Opens an owner's vault. Unseals the device root on the calling thread.
    ///
    /// - Parameters:
    ///   - record: the registry's record, which identifies the vault.
    ///   - now: milliseconds since 1970-01-01 UTC.
    ///   - memory: what the vaults of this process may keep of their files.
    ///   - onChange: must not use the vault, and must return soon.
    /// - Throws: `.damaged`, `.rollback`, `.newerFormat`, `.sealer`, `.storage`.
    public convenience init(
        directory: String, record: RegistryRecord, sealer: any Sealer,
        now: @escaping @Sendable () -> UInt64 = SystemClock.now, memory: KeptMemory = KeptMemory(),
        onChange: @escaping ChangeObserver = { _ in }
    ) throws(VaultError) {
        try self.init(
            directory: directory, record: record, sealer: sealer, now: now, logLimit: AccessLogLimits.size,
            kept: KeptRows(memory), onChange: onChange)
    }

    /// Opens an owner's vault whatever its counter shows, and moves the counter so that it stands for this file. All
    /// other copies of the file are refused from then on. Only root may do this, with the owner's consent.
    ///
    /// - Parameter registry: tells what other vaults need in the TPM. None of it is removed.
    /// - Throws: as opening does, but never `.rollback`. `.sealer` also if another vault may need what is
    ///   at the counter's place. Nothing has changed then.
    public convenience init(
        accepting record: RegistryRecord, sparing registry: Registry, directory: String, sealer: any Sealer,
        now: @escaping @Sendable () -> UInt64 = SystemClock.now, memory: KeptMemory = KeptMemory(),
        onChange: @escaping ChangeObserver = { _ in }
    ) throws(VaultError) {
        try self.init(
            directory: directory, record: record, sealer: sealer, now: now, logLimit: AccessLogLimits.size,
            accepting: registry, kept: KeptRows(memory), onChange: onChange)
    }

    /// - Parameters:
    ///   - logLimit: the largest size of the access log, in bytes.
    ///   - room: the vault's size limits.
    ///   - registry: of all vaults, to accept the file with any value of the counter; nil to check the counter.
    ///   - isSuccessor: the vault has not replaced its former one yet, so its files have names of their own.
    ///   - kept: empty.
    init(
        directory: String, record: RegistryRecord, sealer: any Sealer, now: @escaping @Sendable () -> UInt64,
        logLimit: Int, room: Room = Room(), accepting registry: Registry? = nil, isSuccessor: Bool = false,
        kept: KeptRows = KeptRows(KeptMemory()), onChange: @escaping ChangeObserver = { _ in }
    ) throws(VaultError) {
        guard sealer.kind == record.sealer else {
            throw .damaged("it is sealed by \(record.sealer.rawValue), not by the configured \(sealer.kind.rawValue)")
        }
        if !isSuccessor { try VaultFile.adopt(directory: directory, record: record) }
        let path =
            isSuccessor
            ? VaultFile.successorPath(of: record.owner, in: directory)
            : VaultFile.path(of: record.owner, in: directory)
        try VaultFile.checkKind(of: path)
        let database = try VaultDatabase(path: path)
        let (schema, found, objects, sealedKeybag, begun) = try database.read { (rows) throws(VaultError) in
            (
                try rows.headSchema(), try rows.header(), try rows.objects(), try rows.keybag(),
                try rows.transition()
            )
        }
        _ = try Header.format(of: found.content)
        let transition = try begun.map { (bytes) throws(VaultError) in try Transition(decoding: bytes) }
        let keys: VaultKeys
        let pinned: Pinned
        let counted: UInt64?
        do throws(SealerError) {
            pinned = try Pinned(record: record, objects: objects, transition: transition, sealer: sealer)
            let root = try Self.root(pinned.objects, record, sealer, accepting: registry != nil)
            counted = root.epoch
            keys = try Self.derive(root.deviceRoot, record)
        } catch { throw VaultError(error, of: record) }

        var header = try SeenHeader.check(found, keys: keys, record: record)
        guard header.format == schema else { throw .damaged("its tables are not those of its format") }
        let format = FormatContext(vault: record.vault)
        let (keybagDigest, objectsDigest) = try cryptography { () throws(CryptographyError) in
            (try SHA256.digest(sealedKeybag), try Header.digest(of: objects, transition: begun ?? []))
        }
        guard keybagDigest == header.keybagDigest else { throw .damaged("its keybag is foreign or changed") }
        guard objectsDigest == header.objectsDigest else { throw .damaged("its sealed objects are foreign or changed") }
        var keybag = try Keybag(decoding: sealedKeybag, keys: keys, format)
        if pinned.isCommitted, let transition {
            keybag = try Keybag(decoding: transition.keybag, keys: keys, format)
        }
        guard keybag.isBound == (record.binding != nil) else {
            throw .damaged("its keys do not match the binding in the registry")
        }
        var last = AuthenticatedHeader(content: found.content, mac: found.mac, header: header)
        if let registry, record.counter != nil {
            try Self.requireAcceptable(record, counted: counted, sparing: registry)
            do throws(SealerError) {
                header.epoch = try Self.leaveBehind(
                    header, counted: counted, keys: keys, record: record, sealer: sealer)
            } catch { throw VaultError(error) }
            header.revision += 1
            // No other copy has this epoch, so nothing of the file can be undone.
            header.advanceDue = .nothing
            let accepted = header
            last = try database.write { (rows) throws(VaultError) in try rows.put(accepted, keys: keys) }
            epochs = Mutex(EpochCount(counted: header.epoch))
        } else {
            // The counter is checked last, so that a file that is also damaged is reported as damaged.
            epochs = Mutex(
                try Self.reconcile(header, counted: counted, keys: keys, record: record, sealer: sealer))
        }
        if header.format < Header.newestFormat {
            let earlier = last.header
            last = try database.write { (rows) throws(VaultError) in try Migration.run(rows, earlier, keys) }
        }
        currentKeybag = Mutex(keybag)
        self.directory = directory
        self.database = database
        self.pinned = Mutex(pinned)
        self.keys = keys
        self.format = format
        self.now = now
        self.room = room
        self.kept = kept
        self.onChange = onChange
        log = AccessLog(
            path: VaultFile.logPath(of: record.owner, in: directory) + (isSuccessor ? VaultFile.successorSuffix : ""),
            keys: keys, format: format, limit: logLimit,
            now: now)
        seen = SeenHeader(last, keys: keys)
        try takeLeftStep(with: sealer)
    }

    /// The device root and the counter's epoch. When a file is accepted, the counter may be gone.
    private static func root(
        _ objects: SealedObjects, _ record: RegistryRecord, _ sealer: any Sealer, accepting isAccepting: Bool
    ) throws(SealerError) -> CountedRoot {
        guard record.counter != nil else {
            return CountedRoot(deviceRoot: try sealer.openDeviceRoot(objects, record: record), epoch: nil)
        }
        let counting = try sealer.requireCounting()
        do throws(SealerError) { return try counting.openCounted(objects, record: record) } catch {
            guard isAccepting, error.code == .counterGone else { throw error }
            return CountedRoot(deviceRoot: try sealer.openDeviceRoot(objects, record: record), epoch: nil)
        }
    }

    /// The registry's record of this vault.
    public var record: RegistryRecord { pinned.withLock { $0.record } }
    /// The sealed objects. Only the sealer can interpret them.
    public var objects: SealedObjects { pinned.withLock { $0.objects } }
    /// The public points of the constraint keys that this vault has.
    var constraintPoints: [ObjectRole: [UInt8]] { pinned.withLock { $0.points } }

    var keybag: Keybag { currentKeybag.withLock { $0 } }

    func use(_ keybag: Keybag) { currentKeybag.withLock { $0 = keybag } }

    /// The header as this run last saw or wrote it.
    var lastHeader: Header { seen.header }

    /// The number of items, without those in the bin.
    public var count: Int {
        get throws(VaultError) {
            try read { (snapshot) throws(VaultError) in
                let count = try Int(snapshot.header.itemCount) - snapshot.binCount()
                guard count >= 0 else { throw .damaged("it counts fewer items than it has") }
                return count
            }
        }
    }

    /// The keys that need no unlocking.
    public var alwaysKeys: ClassKeys { ClassKeys([.always: keys.always]) }

    /// The class keys that the unlock root opens.
    ///
    /// - Throws: `.damaged` if it does not open them.
    public func classKeys(unlockRoot: SecretBytes) throws(VaultError) -> ClassKeys {
        try keybag.open(unlockRoot: unlockRoot, keys: keys, format)
    }

    /// How many nodes of the tree were read from the file since the vault was opened. This measures what look-ups cost.
    var treeReadCount: Int { nodeReads.withLock { $0 } }

    /// Reads the vault in its present state. What was verified against its header before is not read again.
    func read<Value>(_ body: (Snapshot) throws(VaultError) -> Value) throws(VaultError) -> Value {
        do throws(VaultError) {
            return try database.readLate { (rows) throws(VaultError) in
                try seen.requireUnchanged(rows, if: kept.isFor)
            } _: { (rows) throws(VaultError) in
                let snapshot = Snapshot(rows, header: try knownHeader(rows), keys: keys, kept: kept)
                defer { nodeReads.withLock { $0 += snapshot.tree.readCount } }
                return try body(snapshot)
            }
        } catch {
            if error.code == .damaged { forget() }
            throw error
        }
    }

    /// Drops all that was verified before. The next read begins with the file's header.
    func forget() { kept.begin(for: nil) }

    /// The same, from the file alone. Nothing of it is kept.
    func readFile<Value>(_ body: (Snapshot) throws(VaultError) -> Value) throws(VaultError) -> Value {
        try database.read { (rows) throws(VaultError) in
            let snapshot = Snapshot(rows, header: try seen.current(rows, record), keys: keys)
            defer { nodeReads.withLock { $0 += snapshot.tree.readCount } }
            return try body(snapshot)
        }
    }

    /// The header that this process wrote or checked last, if what is kept is true for it. After a change whose outcome
    /// is unknown it is not, and the file tells.
    private func knownHeader(_ rows: Rows) throws(VaultError) -> Header {
        let last = lastHeader
        if kept.isFor(last.revision) { return last }
        kept.begin(for: nil)
        let header = try seen.current(rows, record)
        kept.begin(for: header.revision)
        return header
    }

    /// Checks that the vault's path still names the file that is open.
    ///
    /// - Throws: `.replaced` if it names another one or none, so that nothing can be stored; `.storage`.
    public func checkFile() throws(VaultError) { try database.checkPlace() }

    /// Changes the vault durably, all or nothing.
    ///
    /// - Parameter committed: takes into memory what the file has now. It runs also if the disk fails after the commit,
    ///   so that an error follows. It must not use the file.
    func write<Value>(
        _ kind: Change.Kind = .content, protection: DeletionProtection = .soon,
        _ body: (Change) throws(VaultError) -> Value, committed: (Value) -> Void = { _ in }
    ) throws(VaultError) -> Value {
        let done = try written(committed) { (rows) throws(VaultError) -> Committed<Value> in
            let present = try seen.current(rows, record)
            let isKept = kept.isFor(present.revision)
            kept.suspend()
            let step = epochs.withLock { epochs -> Change.Step in
                guard let epochs else { return .taken }
                if kind == .content, epochs.leavesSteps { return .left }
                let mayMove =
                    kind == .firstStep ? epochs.standsFor(present.epoch) : epochs.mayMove(from: present.epoch)
                return mayMove ? .taken : .refused
            }
            let change = Change(
                rows, header: present, keys: keys, kind: kind, step: step, protection: protection, room: room)
            defer { nodeReads.withLock { $0 += change.tree.readCount } }
            let value = try body(change)
            if kind == .content, mayDropFormer { try change.sweepFormer(at: now()) }
            let logHead = log.headToAnchor()
            if let logHead { try change.anchor(logHead) }
            let finished = try change.finish()
            if present.advanceDue == .step, finished.header.advanceDue == .nothing {
                epochs.withLock { $0?.owed = finished.header.epoch }
            }
            return Committed(
                value: value, header: finished, isKept: isKept, logHead: logHead, leftStep: change.leftStep,
                itemChanges: change.itemChanges)
        }
        let itemChanges = done.itemChanges
        if !itemChanges.isEmpty { onChange(itemChanges) }
        return done.value
    }

    private struct Committed<Value> {
        let value: Value
        let header: AuthenticatedHeader
        /// Whether what is kept was true when the change began.
        let isKept: Bool
        /// The record of the log that the tree vouches for from now on; nil if that is the one before.
        let logHead: [UInt8]?
        let leftStep: CounterWait?
        let itemChanges: [CommittedChange]
    }

    /// Runs one transaction. After an error, the change may still be in the file, for example if the disk filled up
    /// after the commit. Memory then follows the file, and the observer is told that nobody knows.
    private func written<Value>(
        _ committed: (Value) -> Void, _ body: (Rows) throws(VaultError) -> Committed<Value>
    ) throws(VaultError) -> Committed<Value> {
        let before = lastHeader.revision
        do throws(VaultError) {
            return try database.write(body) { done, rows in
                seen.note(done.header)
                let revision = done.header.header.revision
                // A change that fails ends trust in what was kept, also if it is in the file.
                if done.isKept, let rows { kept.moveOn(to: revision, without: rows) } else { kept.begin(for: revision) }
                if let leftStep = done.leftStep { epochs.withLock { $0?.noteLeftStep(leftStep) } }
                if let logHead = done.logHead { log.wasAnchored(logHead) }
                committed(done.value)
            }
        } catch {
            // `try?`: the first error matters more than one from this second look.
            let now = try? database.read { (rows) throws(VaultError) in try seen.current(rows, record).revision }
            if now != before { onChange([.unknown]) }
            throw error
        }
    }

    private static func derive(_ root: SecretBytes, _ record: RegistryRecord) throws(SealerError) -> VaultKeys {
        do throws(CryptographyError) {
            guard root.count == 32 else {
                throw CryptographyError(code: .invalidLength, reason: "the device root has \(root.count) bytes")
            }
            return try VaultKeys(deviceRoot: root, vault: record.vault)
        } catch {
            guard error.code == .invalidLength else { throw SealerError(error) }
            throw SealerError(.damaged, "the device root cannot be used: \(error)")
        }
    }
}
