import Synchronization

/// What waits for one reader of changes: names by reason, so never more than there are settings.
final class ChangeQueue: Sendable {
    private let waiting: Mutex<WaitingChanges>
    private let wake: AsyncStream<Void>.Continuation

    init(_ waiting: WaitingChanges, wake: AsyncStream<Void>.Continuation) {
        self.waiting = Mutex(waiting)
        self.wake = wake
    }

    func add(_ change: SyncedSettingsChange) {
        waiting.withLock { $0.add(change) }
        wake.yield()
    }

    func take() -> SyncedSettingsChange? { waiting.withLock { $0.take() } }
}

/// Changes that nobody has read yet. Those of one reason are one.
struct WaitingChanges: Sendable {
    private var changes: [SyncedSettingsChange] = []

    mutating func add(_ change: SyncedSettingsChange) {
        guard let place = changes.firstIndex(where: { $0.reason == change.reason }) else {
            changes.append(change)
            return
        }
        changes[place] = SyncedSettingsChange(
            names: changes[place].names.union(change.names), reason: change.reason)
    }

    mutating func take() -> SyncedSettingsChange? { changes.isEmpty ? nil : changes.removeFirst() }
}
