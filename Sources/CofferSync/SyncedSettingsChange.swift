/// Settings that changed without the application. See ``SyncedSettings/changes()``.
///
/// ```swift
/// for await change in synced.changes() where change.names.contains("fontSize") { redraw() }
/// ```
public struct SyncedSettingsChange: Sendable, Hashable {
    /// Why they changed.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Another machine, or another program of this one, has set or removed them.
        case remoteChange
        /// The settings met those of the other machines for the first time. It is told even if none has changed.
        case firstSync
        /// There are too many settings, or too long ones. These were not given out, or not taken. Nothing else is lost.
        case quota
        /// This machine left a circle, and is in another one now. It is told even if none has changed.
        case otherCircle
    }

    /// The names of the settings.
    public let names: Set<String>
    /// Why they changed.
    public let reason: Reason

    /// For tests of an application. ``SyncedSettings/changes()`` has the real ones.
    public init(names: Set<String>, reason: Reason) {
        self.names = names
        self.reason = reason
    }
}

/// The changes of ``SyncedSettings``. They end when the reader's task is cancelled.
///
/// A reader that is slow gets several changes of one reason as one, so what waits for it is never more than all names.
/// ```swift
/// var changes = synced.changes().makeAsyncIterator()
/// let first = await changes.next()
/// ```
public struct SyncedSettingsChanges: AsyncSequence, Sendable {
    /// One change.
    public typealias Element = SyncedSettingsChange

    let queue: ChangeQueue
    let wakes: AsyncStream<Void>

    /// Reads the changes in their order.
    ///
    /// ```swift
    /// var changes = synced.changes().makeAsyncIterator()
    /// while let change = await changes.next() { print(change.names) }
    /// ```
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let queue: ChangeQueue
        fileprivate var wakes: AsyncStream<Void>.AsyncIterator

        /// The next change; nil when the reader's task is cancelled.
        public mutating func next() async -> SyncedSettingsChange? {
            if let change = queue.take() { return change }
            while await wakes.next() != nil {
                if let change = queue.take() { return change }
            }
            return nil
        }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(queue: queue, wakes: wakes.makeAsyncIterator())
    }
}
