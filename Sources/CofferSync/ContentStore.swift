import CofferSettings
import Synchronization

/// The content in memory, and the file that it is kept in. Reading waits for nobody.
final class ContentStore: Sendable {
    /// A write under way.
    private struct Write {
        let edits: ContentEdits
        /// Gives why they could not be written.
        let task: Task<SettingsError?, Never>
    }

    private struct State {
        var content: SyncedContent
        /// Tells the content of the file that was taken last from others.
        var stamp: SettingsStamp?
        var edits = ContentEdits()
        var writing: Write?
        /// How many calls wait for a write that another one began.
        var waiters = 0
        var waiting = WaitingChanges()
        var queues: [UInt64: ChangeQueue] = [:]
        var lastQueue: UInt64 = 0
        var hasHadReader = false
    }

    let backend: any SettingsBackend
    private let state: Mutex<State>

    init(_ backend: any SettingsBackend) {
        self.backend = backend
        // `try?`: without a file that can be read, everything begins in memory. Writing it tells why.
        let read = try? backend.read()
        state = Mutex(State(content: SyncedContent(read?.values ?? [:]), stamp: read?.stamp))
    }

    var content: SyncedContent { state.withLock { $0.content } }

    /// Whether the file has all that was changed here.
    var isSaved: Bool {
        state.withLock { state in
            guard state.writing == nil else { return false }
            return state.edits.isEmpty
        }
    }

    /// Changes the content in memory. The file gets it with ``save()``.
    func edit<Failure>(
        _ body: (SyncedContent, inout ContentEdits) throws(Failure) -> Void
    ) throws(Failure) {
        try state.withLock { (state) throws(Failure) in
            var edits = ContentEdits()
            try body(state.content, &edits)
            edits.note(state.content)
            state.content.apply(edits)
            state.edits.put(below: edits)
        }
    }

    /// Whether one more name can wait to be written. Otherwise memory would have no bound while nothing can be.
    func hasRoom(for name: String) -> Bool {
        state.withLock { $0.edits.names.count < SyncLimits.unwritten || $0.edits.names[name] != nil }
    }

    /// How many calls of ``save()`` wait for a write that another one began.
    var waiters: Int { state.withLock { $0.waiters } }

    /// Writes what is not in the file yet, and takes what another process has written there. When it returns, the file
    /// has all that was changed before the call, also what another call began to write.
    /// - Throws: why it could not be written. It is kept, and tried again.
    func save() async throws(SettingsError) {
        while let next = nextWrite() {
            let error = await next.task.value
            if next.isOwn {
                if let error { throw error }
                return
            }
            // What that write had no part in is left, and all of it if it failed.
            state.withLock { $0.waiters -= 1 }
        }
    }

    /// The write under way, otherwise one that begins now; nil if there is nothing to write.
    private func nextWrite() -> (task: Task<SettingsError?, Never>, isOwn: Bool)? {
        state.withLock { state -> (task: Task<SettingsError?, Never>, isOwn: Bool)? in
            if let writing = state.writing {
                state.waiters += 1
                return (task: writing.task, isOwn: false)
            }
            guard !state.edits.isEmpty else { return nil }
            let edits = state.edits
            // The task waits for the lock before it can end.
            let task = Task { [self] in await write(edits) }
            (state.edits, state.writing) = (ContentEdits(), Write(edits: edits, task: task))
            return (task: task, isOwn: true)
        }
    }

    /// - Returns: why it could not be written; nil if it was.
    private func write(_ edits: ContentEdits) async -> SettingsError? {
        let seen = state.withLock { $0.stamp }
        let written: SettingsContent
        do throws(SettingsError) {
            written = try await backend.change { values in
                var content = SyncedContent(values)
                content.apply(edits)
                values = content.stored
            }
        } catch {
            state.withLock { state in
                var kept = edits
                kept.put(below: state.edits)
                (state.edits, state.writing) = (kept, nil)
            }
            return error
        }
        // `try?`: the edits are in memory and in the file. What others have written is taken at the next look.
        if !take(written, isOwn: true, after: seen) { try? reload() }
        return nil
    }

    /// Takes what another process has written.
    func reload() throws(SettingsError) {
        while true {
            let seen = state.withLock { $0.stamp }
            if try backend.stamp() == seen { return }
            if take(try backend.read(), isOwn: false, after: seen) { return }
        }
    }

    /// - Parameter seen: the content of the file that this one came after. If another one was taken meanwhile, that one
    ///   may be newer, and this one is not taken.
    /// - Returns: whether it was taken.
    private func take(_ written: SettingsContent, isOwn: Bool, after seen: SettingsStamp?) -> Bool {
        let names = state.withLock { state -> Set<String>? in
            if isOwn { state.writing = nil }
            guard state.stamp == seen else { return nil }
            var content = SyncedContent(written.values)
            if let writing = state.writing { content.apply(writing.edits) }
            content.apply(state.edits)
            let before = state.content.values
            (state.content, state.stamp) = (content, written.stamp)
            let all = Set(before.keys).union(content.values.keys)
            return all.filter { before[$0] != content.values[$0] }
        }
        guard let names else { return false }
        if !names.isEmpty { tell(SyncedSettingsChange(names: names, reason: .remoteChange)) }
        return true
    }

    func tell(_ change: SyncedSettingsChange) {
        let queues = state.withLock { state in
            if !state.hasHadReader { state.waiting.add(change) }
            return Array(state.queues.values)
        }
        for queue in queues { queue.add(change) }
    }

    /// The first reader also gets what was told before it.
    func changes() -> SyncedSettingsChanges {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (queue, number) = state.withLock { state in
            let queue = ChangeQueue(state.waiting, wake: wake)
            (state.waiting, state.hasHadReader) = (WaitingChanges(), true)
            state.lastQueue += 1
            state.queues[state.lastQueue] = queue
            return (queue, state.lastQueue)
        }
        wake.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.queues.removeValue(forKey: number) } }
        return SyncedSettingsChanges(queue: queue, wakes: wakes)
    }
}
