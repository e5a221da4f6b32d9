import Authorization
import Cryptography
import Platform
import Synchronization

/// A vault whose device root is known: everything can be listed and written, and read as far as class keys and people allow.
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
    private let room: Room
    /// What another set of fingers changes.
    let pinned: Mutex<Pinned>

    /// nil where nothing counts.
    let epochs: Mutex<EpochCount?>

    private let currentKeybag: Mutex<Keybag>
    private let lastSeen: Mutex<AuthenticatedHeader>
    private let nodeReads = Mutex(0)

    /// Opens an owner's vault. The device root is unsealed on the calling thread.
    ///
    /// - Parameters:
    ///   - record: root's word on which vault that is.
    ///   - now: milliseconds since 1970-01-01 UTC.
    /// - Throws: `.damaged`, `.rollback`, `.newerFormat`, `.sealer`, `.storage`.
    public convenience init(
        directory: String, record: RegistryRecord, sealer: any Sealer,
        now: @escaping @Sendable () -> UInt64 = SystemClock.now
    ) throws(VaultError) {
        try self.init(directory: directory, record: record, sealer: sealer, now: now, logLimit: AccessLog.limit)
    }

    /// Opens an owner's vault whatever its counter says, and makes it the one that the counter stands for. All other copies of the file are refused from
    /// then on. For root, with its owner's consent.
    ///
    /// - Throws: as opening does, but never `.rollback`.
    public convenience init(
        accepting record: RegistryRecord, directory: String, sealer: any Sealer,
        now: @escaping @Sendable () -> UInt64 = SystemClock.now
    ) throws(VaultError) {
        try self.init(
            directory: directory, record: record, sealer: sealer, now: now, logLimit: AccessLog.limit, accepting: true)
    }

    /// - Parameters:
    ///   - logLimit: the access log's, in bytes.
    ///   - room: how much it may hold.
    ///   - isAccepting: take the file for the right one.
    ///   - isSuccessor: it has not taken its place yet, and has names of its own.
    init(
        directory: String, record: RegistryRecord, sealer: any Sealer, now: @escaping @Sendable () -> UInt64,
        logLimit: Int, room: Room = Room(), accepting isAccepting: Bool = false, isSuccessor: Bool = false
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
        let (found, objects, sealedKeybag, begun) = try database.read { (rows) throws(VaultError) in
            try rows.checkSchema()
            return (try rows.header(), try rows.objects(), try rows.keybag(), try rows.transition())
        }
        _ = try Header.format(of: found.content)
        let transition = try begun.map { (bytes) throws(VaultError) in try Transition(decoding: bytes) }
        let keys: VaultKeys
        let pinned: Pinned
        let counted: UInt64?
        do throws(SealerError) {
            pinned = try Pinned(record: record, objects: objects, transition: transition, sealer: sealer)
            let root = try Self.root(pinned.objects, record, sealer, accepting: isAccepting)
            counted = root.epoch
            keys = try Self.derive(root.deviceRoot, record)
        } catch { throw VaultError(error, of: record) }

        var header = try Self.check(found, keys: keys, record: record)
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
            throw .damaged("its keys are not those of a vault that is bound as the registry says")
        }
        var last = AuthenticatedHeader(content: found.content, mac: found.mac, header: header)
        if isAccepting, record.counter != nil {
            do throws(SealerError) {
                header.epoch = try Self.leaveBehind(
                    header, counted: counted, keys: keys, record: record, sealer: sealer)
            } catch { throw VaultError(error) }
            header.revision += 1
            let accepted = header
            last = try database.write { (rows) throws(VaultError) in try rows.put(accepted, keys: keys) }
            epochs = Mutex(EpochCount(counted: header.epoch))
        } else {
            // Last of all that is checked: a file that is damaged besides is called that.
            epochs = Mutex(
                try Self.reconcile(header, counted: counted, keys: keys, record: record, sealer: sealer))
        }
        currentKeybag = Mutex(keybag)
        self.directory = directory
        self.database = database
        self.pinned = Mutex(pinned)
        self.keys = keys
        self.format = format
        self.now = now
        self.room = room
        log = AccessLog(
            path: VaultFile.logPath(of: record.owner, in: directory) + (isSuccessor ? VaultFile.successorSuffix : ""),
            keys: keys, format: format, limit: logLimit,
            now: now)
        lastSeen = Mutex(last)
    }

    /// The device root with what the counter stands for; for acceptance also where that is gone.
    private static func root(
        _ objects: SealedObjects, _ record: RegistryRecord, _ sealer: any Sealer, accepting isAccepting: Bool
    ) throws(SealerError) -> CountedRoot {
        do throws(SealerError) { return try sealer.openCounted(objects, record: record) } catch {
            guard isAccepting, error.code == .counterGone else { throw error }
            return CountedRoot(deviceRoot: try sealer.openDeviceRoot(objects, record: record), epoch: nil)
        }
    }

    /// Root's word on which vault this is.
    public var record: RegistryRecord { pinned.withLock { $0.record } }
    /// For the sealer, which alone knows what to make of them.
    public var objects: SealedObjects { pinned.withLock { $0.objects } }
    /// The public points of the constraint keys that this vault has.
    var constraintPoints: [ObjectRole: [UInt8]] { pinned.withLock { $0.points } }

    var keybag: Keybag { currentKeybag.withLock { $0 } }

    func use(_ keybag: Keybag) { currentKeybag.withLock { $0 = keybag } }

    /// As this run last saw or wrote it.
    var lastHeader: Header { lastSeen.withLock { $0.header } }

    /// How many items there are.
    public var count: Int {
        get throws(VaultError) { try read { (snapshot) throws(VaultError) in Int(snapshot.header.itemCount) } }
    }

    /// What can be read without any unlocking.
    public var alwaysKeys: ClassKeys { ClassKeys([.always: keys.always]) }

    /// The class keys that the unlock root opens.
    ///
    /// - Throws: `.damaged` where it does not open them.
    public func classKeys(unlockRoot: SecretBytes) throws(VaultError) -> ClassKeys {
        try keybag.open(unlockRoot: unlockRoot, keys: keys, format)
    }

    /// Nodes of the tree that were read from the file since the vault was opened: what look-ups cost.
    var treeReadCount: Int { nodeReads.withLock { $0 } }

    /// Looks at the vault as it is now.
    func read<Value>(_ body: (Snapshot) throws(VaultError) -> Value) throws(VaultError) -> Value {
        try database.read { (rows) throws(VaultError) in
            let snapshot = Snapshot(rows, header: try currentHeader(rows), keys: keys)
            defer { nodeReads.withLock { $0 += snapshot.tree.readCount } }
            return try body(snapshot)
        }
    }

    /// Changes the vault: all of it, durably, or nothing.
    func write<Value>(
        _ kind: Change.Kind = .content, _ body: (Change) throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        let (value, header, logHead, hasLeftStep) = try written { (rows) throws(VaultError) in
            let present = try currentHeader(rows)
            let step = epochs.withLock { epochs -> Change.Step in
                guard let epochs else { return .taken }
                if kind == .content, epochs.leavesSteps { return .left }
                let mayMove =
                    kind == .firstStep ? epochs.standsFor(present.epoch) : epochs.mayMove(from: present.epoch)
                return mayMove ? .taken : .refused
            }
            let change = Change(rows, header: present, keys: keys, kind: kind, step: step, room: room)
            defer { nodeReads.withLock { $0 += change.tree.readCount } }
            let value = try body(change)
            let logHead = log.headToAnchor()
            if let logHead { try change.anchor(logHead) }
            return (value, try change.finish(), logHead, change.hasLeftStep)
        }
        remember(header)
        if hasLeftStep { epochs.withLock { $0?.hasLeftStep = true } }
        if let logHead { log.wasAnchored(logHead) }
        return value
    }

    /// One transaction. It may be in the file although that failed, as where the disk is full behind the commit: the header tells.
    private func written<Value>(_ body: (Rows) throws(VaultError) -> Value) throws(VaultError) -> Value {
        do throws(VaultError) { return try database.write(body) } catch {
            // What went wrong first says more than this.
            try? database.read { (rows) throws(VaultError) in _ = try currentHeader(rows) }
            throw error
        }
    }

    /// The header of this moment, checked again if it moved. It never moves back while the vault is open.
    private func currentHeader(_ rows: Rows) throws(VaultError) -> Header {
        let found = try rows.header()
        let last = lastSeen.withLock { $0 }
        if found.content == last.content, found.mac == last.mac { return last.header }
        let header = try Self.check(found, keys: keys, record: record)
        guard header.revision > last.header.revision, header.epoch >= last.header.epoch,
            header.keybagDigest == last.header.keybagDigest, header.objectsDigest == last.header.objectsDigest
        else { throw .damaged("it went back to an earlier state while it was open") }
        remember(AuthenticatedHeader(content: found.content, mac: found.mac, header: header))
        return header
    }

    private func remember(_ header: AuthenticatedHeader) {
        lastSeen.withLock { seen in
            if seen.header.revision < header.header.revision { seen = header }
        }
    }

    /// Whether a header is this vault's own.
    private static func check(
        _ found: (content: [UInt8], mac: [UInt8]), keys: VaultKeys, record: RegistryRecord
    ) throws(VaultError) -> Header {
        let isOurs = try cryptography { () throws(CryptographyError) in
            try HMACSHA256.isValid(found.mac, for: Header.macMessage(found.content), key: keys.integrity)
        }
        guard isOurs else { throw .damaged("its header is foreign or changed") }
        // Only now: a changed byte must not pass for a newer format.
        let format = try Header.format(of: found.content)
        guard format <= FormatContext.format else {
            throw VaultError(
                .newerFormat,
                "the vault has format \(format); this Coffer knows \(FormatContext.format) at most: update it")
        }
        let header = try Header(decoding: found.content)
        guard header.vault == record.vault, header.owner == record.owner, header.sealer == record.sealer,
            header.created == record.created
        else { throw .damaged("its file is not the one in the registry") }
        return header
    }

    private static func derive(_ root: SecretBytes, _ record: RegistryRecord) throws(SealerError) -> VaultKeys {
        do throws(CryptographyError) {
            guard root.count == 32 else {
                throw CryptographyError(code: .invalidLength, reason: "the device root has \(root.count) bytes")
            }
            return try VaultKeys(deviceRoot: root, vault: record.vault)
        } catch {
            guard error.code == .invalidLength else { throw SealerError(error) }
            throw SealerError(.damaged, "the device root is none: \(error)")
        }
    }
}
