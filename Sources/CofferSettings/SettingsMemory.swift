import Coffer
import Synchronization

/// One process's memory of a suite. All ``Settings`` of the same file share it, so that each sees at once what another has
/// set. It ends when nobody has such settings, unless something waits to be written or a default is registered.
final class SettingsMemory: Sendable {
    let backend: any SettingsBackend
    let state = Mutex(SettingsState())
    /// Whether others find it.
    private let isShared: Bool

    private static let files = WhileInUse<SettingsFile, SettingsMemory>()

    /// The memory of a file. Settings in another backend have one of their own.
    static func of(_ backend: any SettingsBackend) -> SettingsMemory {
        guard let file = (backend as? FileSettings)?.file else { return SettingsMemory(backend) }
        return files.object(for: file) { SettingsMemory(backend, isShared: true) }
    }

    /// A memory that nobody else finds, as another process has it.
    init(_ backend: any SettingsBackend, isShared: Bool = false) {
        self.backend = backend
        self.isShared = isShared
    }

    deinit { state.withLock { $0.watch?.cancel() } }

    /// Sees what other processes have written since the last look.
    func refresh() throws(SettingsError) {
        while true {
            let seen = state.withLock { $0.content?.stamp }
            if try backend.stamp() == seen { return }
            let content = try backend.read()
            // Another task may have read or written something newer meanwhile. Then this is looked at once more.
            let observers = state.withLock { $0.content?.stamp == seen ? $0.adopt(content) : nil }
            if let observers { return SettingsState.tell(observers) }
        }
    }

    /// Changes what is pending or registered, and tells the observers.
    func change(
        _ body: (inout SettingsState) throws(SettingsError) -> [SettingsObserver]
    ) throws(SettingsError) {
        let observers = try state.withLock { (state) throws(SettingsError) in
            let observers = try body(&state)
            if isShared { state.keeper = state.isNeeded ? self : nil }
            return observers
        }
        SettingsState.tell(observers)
    }

    /// Records a change that is written later.
    func record(_ edit: SettingsEdit) throws(SettingsError) {
        // The room that is left depends on what the file has.
        if state.withLock({ $0.content == nil }) {
            do throws(SettingsError) { try refresh() } catch {
                // flush() tells every other reason, and tries again.
                guard error.code != .invalidName else { throw error }
            }
        }
        try change { (state) throws(SettingsError) in try state.record(edit) }
    }

    /// Removes what is there now, but for these names.
    func removeAll(except names: Set<String>) throws(SettingsError) {
        // What another process stores after this look stays.
        try refresh()
        try change { (state) in state.removeAll(except: names) }
    }

    /// Writes what is pending, then what `body` changes, as one change of the file.
    /// - Parameter byItself: whether nobody waits for the write. Then ``Settings/failures()`` tells why it failed.
    /// - Returns: why some of the pending changes were left out; nil if none was.
    func write(
        byItself: Bool = false,
        _ body: (inout [String: SettingsJSON]) throws(SettingsError) -> Void = { _ in }
    ) async throws(SettingsError) -> SettingsError? {
        var written = SettingsState.Written()
        var own: Set<String> = []
        let seen = state.withLock { $0.content?.stamp }
        do throws(SettingsError) {
            let content = try await backend.change { (values) throws(SettingsError) in
                // Only now, because another write of this process may have come first.
                written = try state.withLock { (state) throws(SettingsError) in try state.write(to: &values) }
                let before = values
                try body(&values)
                own = SettingsState.names(of: before, unlike: values)
                state.withLock { $0.begin(writing: own, of: values) }
            }
            var isSeen = false
            try change { (state) in
                defer { state.end(writing: own) }
                state.forget(written)
                if !written.left.isEmpty, let reason = written.reason { state.failed(reason) }
                isSeen = state.content?.stamp == seen
                return isSeen ? state.adopt(content, own: own) : []
            }
            // Otherwise another task has read or written something newer.
            if !isSeen { try refresh() }
            return written.left.isEmpty ? nil : written.reason
        } catch {
            state.withLock { state in
                state.end(writing: own)
                if byItself { state.failed(error) }
            }
            throw error
        }
    }

    /// Has the pending changes written after this time.
    func schedule(after batch: Duration) {
        let due = ContinuousClock.now + batch
        let isFirst = state.withLock { state in
            if let other = state.due, other <= due { return false }
            state.due = due
            return true
        }
        guard isFirst else { return }
        // The task holds this memory, so that changes are written even if nobody else does.
        Task.detached { [self] in
            // `try?`: nobody cancels this task, so it always sleeps.
            try? await Task.sleep(for: batch)
            state.withLock { if $0.due == due { $0.due = nil } }
            // `try?`: flush() and failures() tell the error. The changes stay pending.
            _ = try? await write(byItself: true)
        }
    }
}

/// Which file the settings of a suite are in, by its path without links.
struct SettingsFile: Hashable, Sendable {
    let path: String
    /// The group that shares it; nil for the user's own.
    let group: String?

    /// Compares bytes, as the kernel does. Paths that are equal in Unicode lead to several files.
    static func == (one: SettingsFile, other: SettingsFile) -> Bool {
        one.path.utf8.elementsEqual(other.path.utf8)
            && (one.group ?? "").utf8.elementsEqual((other.group ?? "").utf8)
            && (one.group == nil) == (other.group == nil)
    }

    func hash(into hasher: inout Hasher) {
        for byte in path.utf8 { hasher.combine(byte) }
    }
}
