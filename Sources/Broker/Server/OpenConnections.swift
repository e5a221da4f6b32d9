import NIOCore
import Synchronization

/// The connections that are open: whose they are, and since when nothing happens on them.
final class OpenConnections: Sendable {
    private struct Entry {
        let channel: any Channel
        let caller: Caller
        var isBusy = false
        /// When the last call was answered, or the last bytes came.
        var since: ContinuousClock.Instant
        /// Told to end, and no longer counted as its user's.
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

    /// - Returns: whether it was still counted as its user's.
    func remove(_ caller: Caller) -> Bool {
        entries.withLock { $0.removeValue(forKey: caller.connection)?.isEnding == false }
    }

    /// Something happens on a connection.
    /// - Parameter isBusy: a call is being answered from now on.
    func touch(_ caller: Caller, isBusy: Bool) {
        entries.withLock { entries in
            entries[caller.connection]?.isBusy = isBusy
            entries[caller.connection]?.since = ContinuousClock.now
        }
    }

    var all: [any Channel] { entries.withLock { $0.values.map(\.channel) } }

    /// Ends the connections on which nothing happened for so long.
    /// - Parameter awaits: whether a connection waits for a person.
    func endIdle(for time: Duration, unless awaits: (Caller) -> Bool) {
        let due = ContinuousClock.now - time
        for entry in idle(since: due) where !awaits(entry.caller) { entry.channel.close(promise: nil) }
    }

    /// Ends the connection of a user on which nothing happens for the longest time. It is no longer counted from now on.
    /// - Returns: false where there is none that may be ended.
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

    private func idle(since due: ContinuousClock.Instant) -> [Entry] {
        entries.withLock { entries in entries.values.filter { !$0.isBusy && !$0.isEnding && $0.since <= due } }
    }
}
