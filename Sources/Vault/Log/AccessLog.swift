import Authorization
import Cryptography
import Platform
import Synchronization

/// How safely a record must be stored.
public enum LogDurability: Sendable {
    /// Written, and synced with the next record that is. For reads that ask nobody.
    case written
    /// On disk.
    case synced
    /// On disk, and the vault's tree vouches for it, so that nobody can remove it unnoticed.
    case anchored
}

/// The chained log beside a vault. A damaged log never makes the vault unusable; the log records its own damage.
final class AccessLog: Sendable {
    let path: String
    private let limit: Int
    let format: LogFormat
    private let vault: VaultID
    private let now: @Sendable () -> UInt64
    private let state = Mutex<State?>(nil)

    struct State: ~Copyable {
        var file: AppendFile
        var size: Int
        /// The last record's number and MAC.
        var sequence: UInt64
        var head: [UInt8]
        /// The MAC that the vault's tree has; nil if it has none.
        var anchored: [UInt8]?
        var isSynced = true
        /// How many records could not be written since the last one that was.
        var missed = 0
    }

    init(path: String, keys: VaultKeys, format: FormatContext, limit: Int, now: @escaping @Sendable () -> UInt64) {
        self.path = path
        self.limit = limit
        self.now = now
        vault = format.vault
        self.format = LogFormat(keys: keys, format: format)
    }

    var isRestored: Bool { state.withLock { $0 != nil } }

    /// Opens the existing log, or begins one.
    /// - Parameter anchor: the MAC of a record that must be there, from the vault's tree.
    func restore(anchor: [UInt8]?) throws(VaultError) {
        try state.withLock { state throws(VaultError) in
            guard state == nil else { return }
            state = try restored(anchor: anchor)
        }
    }

    /// Begins a log with another vault's records, which keep their numbers and times. Replaces any log that is there.
    func begin(with records: [AccessRecord]) throws(VaultError) {
        let start = LogStart(first: records.first?.sequence ?? 1, previous: LogStart.none)
        var bytes = try cryptography { () throws(CryptographyError) in try format.encode(start) }
        var head = start.previous
        var sequence = start.first - 1
        for record in records {
            let frame = try format.seal(record, sequence: sequence + 1, after: head)
            (head, sequence) = (frame.mac, frame.sequence)
            bytes += frame.encoded
        }
        try state.withLock { state throws(VaultError) in
            let file = try files { () throws(SystemError) in
                try DurableFile.write(bytes, to: path, mode: 0o600)
                return try AppendFile(path: path)
            }
            state = State(file: file, size: bytes.count, sequence: sequence, head: head, anchored: nil)
        }
    }

    /// Records an access.
    ///
    /// - Parameter anchor: makes the vault's tree vouch for the last record.
    /// - Throws: if the record cannot be written, and what `anchor` throws. The next record tells how many are missing.
    func note(
        _ record: AccessRecord, _ durability: LogDurability, anchor: () throws(VaultError) -> Void
    ) throws(VaultError) {
        if isFull {
            do throws(VaultError) {
                // The anchored record must be among those that stay.
                try anchor()
                try dropOldHalf()
            } catch {
                state.withLock { $0?.missed += 1 }
                throw error
            }
        }
        try append(record)
        switch durability {
        case .written: break
        case .synced: try sync()
        case .anchored: try anchor()
        }
    }

    /// - Throws: `.storage` if the record cannot be written. The next record then tells how many are missing.
    private func append(_ record: AccessRecord) throws(VaultError) {
        try withState { state throws(VaultError) in
            do throws(VaultError) {
                let size = try files { () throws(SystemError) in try state.file.size() }
                if size != state.size {
                    try begin(&state, .broken, "it was changed while it was in use", next: state.sequence + 1)
                }
                var record = record
                if state.missed > 0 { record.missed = state.missed }
                try write(record, &state)
                state.missed = 0
            } catch {
                state.missed += 1
                throw error
            }
        }
    }

    /// Makes all appended records durable.
    func sync() throws(VaultError) { try withState { state throws(VaultError) in try sync(&state) } }

    /// The MAC that the tree should take. nil if the tree has it already, or if the file cannot be synced now.
    func headToAnchor() -> [UInt8]? {
        // The tree must not vouch for records that are not on disk, so the anchor stays where it is if syncing fails.
        let head = try? withState { state throws(VaultError) -> [UInt8]? in
            guard state.anchored != state.head else { return nil }
            try sync(&state)
            return state.head
        }
        return head ?? nil
    }

    /// Whether the tree has the last record's MAC.
    var isAnchored: Bool { state.withLock { $0 == nil || $0?.anchored == $0?.head } }

    /// Notes that the tree has this MAC.
    func wasAnchored(_ head: [UInt8]) { state.withLock { $0?.anchored = head } }

    /// Whether the next record may not fit.
    private var isFull: Bool { state.withLock { ($0?.size ?? 0) > limit - AccessLogLimits.record } }

    /// Keeps the newer half, writes a new start of the chain, and records how much was dropped.
    private func dropOldHalf() throws(VaultError) {
        try withState { state throws(VaultError) in
            let content = try self.content()
            guard try problem(of: content, head: state.head, anchor: state.anchored) == nil else {
                return try begin(&state, .broken, "it was changed while it was in use", next: state.sequence + 1)
            }
            var keptCount = 0
            var first = content.frames.endIndex
            while first > 1, keptCount + content.frames[first - 1].count <= limit / 2 - AccessLogLimits.record {
                first -= 1
                keptCount += content.frames[first].count
            }
            guard first < content.frames.endIndex, let oldest = content.frames.first else { return }
            let kept = content.frames[first...]
            let start = LogStart(first: content.frames[first].sequence, previous: content.previous(of: first))
            // A vault that was replaced, or a log that could not be synced, still has an older anchor.
            if let anchor = state.anchored, start.previous != anchor, !kept.contains(where: { $0.mac == anchor }) {
                throw VaultError(
                    .storage, "the access log is full, and the vault does not vouch for its newest records",
                    advice: "check the disk, and that the vault's file is in its place, then try again")
            }
            let bytes = try cryptography { () throws(CryptographyError) in try format.encode(start) }
            try replace(with: bytes + kept.flatMap(\.encoded), &state)
            try write(
                AccessRecord(.dropped, detail: "records \(oldest.sequence) to \(start.first - 1): there were too many"),
                &state)
        }
    }

    /// Passes on the file's content, with the head and the anchor that it should have.
    func look<Value>(
        _ body: (LogContent, _ head: [UInt8], _ anchor: [UInt8]?) throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        try withState { state throws(VaultError) in try body(content(), state.head, state.anchored) }
    }

    /// What is wrong with the chain, in words; nil if it is whole from its start to its head.
    func problem(of content: LogContent, head: [UInt8], anchor: [UInt8]?) throws(VaultError) -> String? {
        guard content.start != nil else {
            return "it is missing, belongs to another vault, or was changed at its beginning"
        }
        let valid = try cryptography { () throws(CryptographyError) in try content.validCount(from: 0, format) }
        guard valid == content.frames.count, content.rest == 0 else {
            return valid == 0 ? "its first record was changed" : "it was changed after record \(valid)"
        }
        guard content.frames.last?.mac == head else { return "records at its end are missing" }
        if let anchor, content.start?.previous != anchor, !content.frames.contains(where: { $0.mac == anchor }) {
            return "records that the vault vouches for are missing"
        }
        return nil
    }
}

extension AccessLog {
    private func withState<Value>(
        _ body: (inout State) throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        try state.withLock { state throws(VaultError) in
            guard var open = state.take() else {
                throw VaultError(.storage, "the access log is not open")
            }
            do throws(VaultError) {
                let value = try body(&open)
                state = consume open
                return value
            } catch {
                state = consume open
                throw error
            }
        }
    }

    private func restored(anchor: [UInt8]?) throws(VaultError) -> State {
        guard try files({ () throws(SystemError) in try FileStatus.of(path) }) != nil else {
            return try anchor == nil
                ? begun(.start, "the log begins", after: LogStart.none, next: 1, anchor: nil)
                : begun(.broken, "it was missing", after: anchor, next: 1, anchor: anchor)
        }
        if anchor == nil, try isOfEarlierVault() {
            // Nothing of this vault's is lost: it vouches for no record yet. The other vault's log stays beside it.
            try files { () throws(SystemError) in try DurableFile.move(path, to: path + ".earlier") }
            return try begun(.start, "the log begins", after: LogStart.none, next: 1, anchor: nil)
        }
        let content = try self.content()
        // With an anchor, the chain is good up to it, because its MAC covers everything before. Without one, the whole
        // chain is checked. That also happens if a new chain was begun after the anchor and the vault does not know
        // yet.
        let first =
            anchor == nil || content.start?.previous == anchor ? 0 : content.frames.firstIndex { $0.mac == anchor }
        guard content.start != nil, let first else {
            let next = (content.start?.first ?? 1) + UInt64(content.frames.count)
            return try begun(.broken, "records were missing or changed", after: anchor, next: next, anchor: anchor)
        }
        let valid = try cryptography { () throws(CryptographyError) in try content.validCount(from: first, format) }
        guard anchor == nil || valid > 0 else {
            return try begun(.broken, "records were changed", after: anchor, next: 1, anchor: anchor)
        }
        let kept = content.frames[..<(first + valid)]
        let size = LogStart.count + kept.reduce(0) { $0 + $1.count }
        let lost = content.rest + content.frames[(first + valid)...].reduce(0) { $0 + $1.count }
        let file = try files { () throws(SystemError) in try AppendFile(path: path) }
        var state = State(
            file: file, size: size, sequence: kept.last?.sequence ?? (content.start?.first ?? 1) - 1,
            head: content.previous(of: first + valid), anchored: anchor)
        if lost > 0 {
            try files { () throws(SystemError) in try state.file.cut(to: size) }
            try write(AccessRecord(.cut, detail: "\(lost) bytes at the end could not be read"), &state)
            try sync(&state)
        }
        return state
    }

    /// Whether the file claims to be the log of another vault. It stays behind if only a vault's file is moved away.
    private func isOfEarlierVault() throws(VaultError) -> Bool {
        let claimed = try files { () throws(SystemError) in try LogStart.vault(ofFile: path) }
        return claimed.map { $0 != vault } ?? false
    }

    /// Begins a new chain. The old file stays beside it under another name, for inspection.
    private func begun(
        _ event: AccessRecord.Event, _ detail: String, after previous: [UInt8]?, next: UInt64, anchor: [UInt8]?
    ) throws(VaultError) -> State {
        let start = LogStart(first: next, previous: previous ?? LogStart.none)
        let bytes = try cryptography { () throws(CryptographyError) in try format.encode(start) }
        let file = try files { () throws(SystemError) in
            if try FileStatus.of(path) != nil { try keepDamaged() }
            try DurableFile.write(bytes, to: path, mode: 0o600)
            return try AppendFile(path: path)
        }
        var state = State(
            file: file, size: bytes.count, sequence: next - 1, head: start.previous, anchored: anchor)
        try write(AccessRecord(event, detail: detail), &state)
        try sync(&state)
        return state
    }

    /// Moves a log that is not whole to a free name: `.damaged`, `.damaged.2` and so on. If none is free, the second
    /// one goes. The first one stays, because it has the most.
    private func keepDamaged() throws(SystemError) {
        let names = (1...AccessLogLimits.damaged).map { path + ".damaged" + ($0 == 1 ? "" : ".\($0)") }
        for name in names {
            guard try FileStatus.of(name) != nil else { return try DurableFile.move(path, to: name) }
        }
        for place in 2..<names.count { try DurableFile.move(names[place], to: names[place - 1]) }
        try DurableFile.move(path, to: names[names.count - 1])
    }

    private func begin(
        _ state: inout State, _ event: AccessRecord.Event, _ detail: String, next: UInt64
    ) throws(VaultError) {
        let missed = state.missed
        state = try begun(event, detail, after: state.head, next: next, anchor: state.anchored)
        state.missed = missed
    }

    private func write(_ record: AccessRecord, _ state: inout State) throws(VaultError) {
        var record = record
        if record.time == 0 { record.time = now() }
        let frame = try format.seal(record, sequence: state.sequence + 1, after: state.head)
        guard frame.sealed.count <= AccessLogLimits.record else {
            throw VaultError(.limitExceeded, "these names are too long to be logged")
        }
        let size = state.size
        try files { () throws(SystemError) in try state.file.append(frame.encoded, to: size) }
        state.size += frame.count
        state.sequence = frame.sequence
        state.head = frame.mac
        state.isSynced = false
    }

    private func replace(with bytes: [UInt8], _ state: inout State) throws(VaultError) {
        state.file = try files { () throws(SystemError) in
            try DurableFile.write(bytes, to: path, mode: 0o600)
            return try AppendFile(path: path)
        }
        state.size = bytes.count
        state.isSynced = true
    }

    private func sync(_ state: inout State) throws(VaultError) {
        guard !state.isSynced else { return }
        try files { () throws(SystemError) in try state.file.sync() }
        state.isSynced = true
    }

    private func content() throws(VaultError) -> LogContent {
        let bytes = try files { () throws(SystemError) -> [UInt8] in
            // A file longer than Coffer ever writes is treated as no log.
            guard let status = try FileStatus.of(path), status.isRegular, status.size <= 2 * limit + LogStart.count
            else { return [] }
            return try DurableFile.read(path, limit: 2 * limit + LogStart.count)
        }
        return try cryptography { () throws(CryptographyError) in try LogContent(bytes, format) }
    }

    /// Translates errors of the file system.
    private func files<Value: ~Copyable>(_ body: () throws(SystemError) -> Value) throws(VaultError) -> Value {
        do throws(SystemError) { return try body() } catch {
            throw VaultError(
                .storage, "the access log cannot be written or read: \(error.message)",
                advice: "check the disk and its permissions", cause: error)
        }
    }
}

extension LogStart {
    /// Takes the place of the previous MAC before the first record.
    static let none = [UInt8](repeating: 0, count: SHA256.count)
}
