import CofferSettings
import Synchronization

/// The content in memory, and the file that it is kept in. Reading waits for nobody.
final class ContentStore: Sendable {
    private struct State {
        var content: SyncedContent
        var edits = ContentEdits()
        /// The edits that are being written.
        var writing: ContentEdits?
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
        let content = (try? backend.read()).map { SyncedContent($0.values) }
        state = Mutex(State(content: content ?? SyncedContent()))
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
            state.content.apply(edits)
            state.edits.put(below: edits)
        }
    }

    /// Writes what is not in the file yet, and takes what another process has written there.
    /// - Throws: why it could not be written. It is kept, and tried again.
    func save() async throws(SettingsError) {
        let edits = state.withLock { state -> ContentEdits? in
            guard state.writing == nil, !state.edits.isEmpty else { return nil }
            defer { state.edits = ContentEdits() }
            state.writing = state.edits
            return state.edits
        }
        guard let edits else { return }
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
            throw error
        }
        take(written, isOwn: true)
    }

    /// Takes what another process has written.
    func reload() throws(SettingsError) { take(try backend.read(), isOwn: false) }

    private func take(_ written: SettingsContent, isOwn: Bool) {
        let names = state.withLock { state -> Set<String> in
            if isOwn { state.writing = nil }
            var content = SyncedContent(written.values)
            if let writing = state.writing { content.apply(writing) }
            content.apply(state.edits)
            let before = state.content.values
            state.content = content
            let all = Set(before.keys).union(content.values.keys)
            return all.filter { before[$0] != content.values[$0] }
        }
        if !names.isEmpty { tell(SyncedSettingsChange(names: names, reason: .remoteChange)) }
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
