import NIOCore
import Synchronization

/// The open connections, their callers, and since when they are idle.
final class OpenConnections: Sendable {
    private struct Entry {
        let channel: any Channel
        let caller: Caller
        var isBusy = false
        /// When the last call was answered, or the last bytes came.
        var since: ContinuousClock.Instant
        /// It was told to end, and no longer counts as its user's.
        var isEnding = false
    }

    private let entries = Mutex<[UInt64: Entry]>([:])
    private let last = Mutex<UInt64>(0)

    /// A number that no other connection has.
    func newNumber() -> UInt64 {
        last.withLock { last in
            last += 1
            return last
        }
    }

    func insert(_ channel: any Channel, of caller: Caller) {
        entries.withLock { $0[caller.connection] = Entry(channel: channel, caller: caller, since: ContinuousClock.now) }
    }

    /// - Returns: whether it still counted as its user's.
    func remove(_ caller: Caller) -> Bool {
        entries.withLock { $0.removeValue(forKey: caller.connection)?.isEnding == false }
    }

    /// Call this when something happens on a connection.
    /// - Parameter isBusy: whether a call is being answered from now on.
    func touch(_ caller: Caller, isBusy: Bool) {
        entries.withLock { entries in
            entries[caller.connection]?.isBusy = isBusy
            entries[caller.connection]?.since = ContinuousClock.now
        }
    }

    var all: [any Channel] { entries.withLock { $0.values.map(\.channel) } }

    /// Ends a connection, also if a call is being answered.
    func end(_ connection: UInt64) {
        let channel = entries.withLock { $0[connection]?.channel }
        channel?.close(promise: nil)
    }

    /// Ends the connections that were idle for this long.
    /// - Parameter awaits: whether a connection waits for a person.
    func endIdle(for time: Duration, unless awaits: (Caller) -> Bool) {
        let due = ContinuousClock.now - time
        for entry in idle(since: due) where !awaits(entry.caller) { entry.channel.close(promise: nil) }
    }

    /// Ends the user's connection that was idle longest. It no longer counts from now on.
    /// - Returns: false if no connection may be ended.
    func endIdlest(of uid: UInt32, unless awaits: (Caller) -> Bool) -> Bool {
        let candidates = idle(since: ContinuousClock.now).filter { $0.caller.uid == uid }.sorted { $0.since < $1.since }
        for candidate in candidates where !awaits(candidate.caller) {
            let isChosen = entries.withLock { entries in
                guard let entry = entries[candidate.caller.connection], !entry.isBusy, !entry.isEnding else {
                    return false
                }
                entries[candidate.caller.connection]?.isEnding = true
                return true
            }
            guard isChosen else { continue }
            candidate.channel.close(promise: nil)
            return true
        }
        return false
    }

    /// The process of this user that has the most connections, and how many.
    func most(of uid: UInt32) -> (pid: Int32, count: Int)? {
        let pids = entries.withLock { entries in
            entries.values.filter { $0.caller.uid == uid && !$0.isEnding }.map { $0.caller.process.pid }
        }
        let most = Dictionary(grouping: pids) { $0 }.max { $0.value.count < $1.value.count }
        return most.map { (pid: $0.key, count: $0.value.count) }
    }

    private func idle(since due: ContinuousClock.Instant) -> [Entry] {
        entries.withLock { entries in entries.values.filter { !$0.isBusy && !$0.isEnding && $0.since <= due } }
    }
}

/// Counts the running calls, so that a stop can wait for them.
final class RunningCalls: Sendable {
    private struct State {
        var count = 0
        var isStopping = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// - Returns: false once the broker is stopping.
    func begin() -> Bool {
        state.withLock { state in
            if state.isStopping { return false }
            state.count += 1
            return true
        }
    }

    func end() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Does a part of a call that a stop does not wait for.
    func aside(_ body: () async throws -> Void) async throws {
        end()
        defer { state.withLock { $0.count += 1 } }
        try await body()
    }

    /// Lets no more calls begin, and waits for the running ones.
    /// - Parameter limit: how long to wait at most.
    func drain(within limit: Duration) async {
        let timer = Task {
            // `try?`: the sleep is cancelled if all calls end in time, which is no failure.
            try? await Task.sleep(for: limit)
            release()
        }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isStopping = true
                if state.count > 0 { state.waiter = continuation }
                return state.count == 0
            }
            if isIdle { continuation.resume() }
        }
        timer.cancel()
    }

    private func release() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
