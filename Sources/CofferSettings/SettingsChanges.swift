import Synchronization

/// Settings that have changed.
///
/// ```swift
/// for await change in settings.changes() where change.names.contains("theme") { redraw() }
/// ```
public struct SettingsChange: Sendable, Equatable {
    /// Who changed them.
    public enum Origin: Sendable {
        /// This process.
        case here
        /// Another process.
        case elsewhere
    }

    /// The names of the settings that have other values now, or none.
    public let names: Set<String>
    /// Who changed them. Changes of both kinds at the same moment count as those of others.
    public let origin: Origin
}

/// The changes of settings since this sequence was made, by whichever process.
///
/// Changes that come while nobody takes the next element become one element, so that a slow reader misses no name and
/// needs little memory. The sequence is for one reader. It ends with that reader's task.
///
/// ```swift
/// for await change in settings.changes() { print(change.names) }
/// ```
public struct SettingsChanges: AsyncSequence, Sendable {
    /// The names that changed.
    public typealias Element = SettingsChange

    /// Without them, nobody would look for changes.
    let settings: Settings
    let observer: SettingsObserver
    let wakes: AsyncStream<Void>

    /// Waits for changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let settings: Settings
        fileprivate let observer: SettingsObserver
        fileprivate var wakes: AsyncStream<Void>.AsyncIterator

        /// Waits for the next changes.
        /// - Returns: nil if the task was cancelled.
        public mutating func next() async -> SettingsChange? {
            while await wakes.next() != nil {
                if let change = observer.take() { return change }
            }
            return nil
        }
    }

    /// Begins with the next change.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(settings: settings, observer: observer, wakes: wakes.makeAsyncIterator())
    }
}

/// What one reader has not taken yet.
final class SettingsObserver: Sendable {
    private struct Missed {
        var names: Set<String> = []
        var origin = SettingsChange.Origin.here
    }

    let wake: AsyncStream<Void>.Continuation
    private let missed = Mutex(Missed())

    init(wake: AsyncStream<Void>.Continuation) { self.wake = wake }

    func add(_ names: Set<String>, _ origin: SettingsChange.Origin) {
        missed.withLock { missed in
            missed.names.formUnion(names)
            if origin == .elsewhere { missed.origin = .elsewhere }
        }
    }

    func take() -> SettingsChange? {
        missed.withLock { missed in
            guard !missed.names.isEmpty else { return nil }
            defer { missed = Missed() }
            return SettingsChange(names: missed.names, origin: missed.origin)
        }
    }
}

/// Who observes a ``Settings``.
struct SettingsObservers: Sendable {
    private var changes: [UInt64: SettingsObserver] = [:]
    private var failures: [UInt64: AsyncStream<SettingsError>.Continuation] = [:]
    private var last: UInt64 = 0

    var observesChanges: Bool { !changes.isEmpty }

    mutating func add(_ observer: SettingsObserver) -> UInt64 {
        last += 1
        changes[last] = observer
        return last
    }

    mutating func add(_ observer: AsyncStream<SettingsError>.Continuation) -> UInt64 {
        last += 1
        failures[last] = observer
        return last
    }

    mutating func remove(_ number: UInt64) {
        changes[number] = nil
        failures[number] = nil
    }

    func note(_ names: Set<String>, _ origin: SettingsChange.Origin) -> [SettingsObserver] {
        guard !names.isEmpty else { return [] }
        for observer in changes.values { observer.add(names, origin) }
        return Array(changes.values)
    }

    func note(_ error: SettingsError) {
        for observer in failures.values { observer.yield(error) }
    }
}
