import Synchronization

/// Locks a vault that was not used for a while. The dispatch table decides which calls count as use.
final class IdleWatch: Sendable {
    private struct Entry {
        var lastUse: ContinuousClock.Instant
        var lastUnlock: ContinuousClock.Instant?
        /// Since when all of the user's sessions are idle, according to logind.
        var idleSince: ContinuousClock.Instant?
        var isTimed = false

        /// While the person is away, programs must not be able to put off the lock by using the vault.
        var begin: ContinuousClock.Instant {
            guard let idleSince else { return lastUse }
            return min(lastUse, lastUnlock.map { max($0, idleSince) } ?? idleSince)
        }
    }

    private let limit: @Sendable () -> Duration?
    private let clock: BrokerClock
    private let lock: @Sendable (UInt32) async -> Void
    private let entries = Mutex<[UInt32: Entry]>([:])

    /// - Parameters:
    ///   - limit: how long a vault may stay unused; nil for no limit.
    ///   - lock: locks a user's vault.
    init(
        limit: @escaping @Sendable () -> Duration?, clock: BrokerClock, lock: @escaping @Sendable (UInt32) async -> Void
    ) {
        self.limit = limit
        self.clock = clock
        self.lock = lock
    }

    /// Locks the vault if its time is already over. Timers stand still while the machine sleeps, but this clock does
    /// not.
    func apply(_ uid: UInt32) async {
        guard let limit = limit() else { return }
        let now = clock.now()
        let isOver = entries.withLock { $0[uid].map { now - $0.begin >= limit } ?? false }
        if isOver { await lock(uid) }
    }

    /// Call this when the vault was used.
    func used(_ uid: UInt32) { note(uid) { $0.lastUse = $1 } }

    /// Call this when a person has unlocked the vault.
    func unlocked(_ uid: UInt32) {
        note(uid) {
            $0.lastUse = $1
            $0.lastUnlock = $1
        }
    }

    func sessions(of uid: UInt32, areIdle: Bool) {
        let now = clock.now()
        entries.withLock { entries in
            if areIdle {
                entries[uid, default: Entry(lastUse: now)].idleSince = entries[uid]?.idleSince ?? now
            } else {
                entries[uid]?.idleSince = nil
            }
        }
    }

    private func note(_ uid: UInt32, _ change: (inout Entry, ContinuousClock.Instant) -> Void) {
        let now = clock.now()
        entries.withLock { entries in
            var entry = entries[uid] ?? Entry(lastUse: now)
            change(&entry, now)
            entries[uid] = entry
        }
        time(uid)
    }

    /// Sets the user's timer, unless it is set already. There is one timer per user.
    private func time(_ uid: UInt32) {
        guard let limit = limit() else { return }
        let now = clock.now()
        let left: Duration? = entries.withLock { entries in
            guard let entry = entries[uid], !entry.isTimed else { return nil }
            entries[uid]?.isTimed = true
            return max(.seconds(1), limit - (now - entry.begin))
        }
        guard let left else { return }
        clock.after(left) { [weak self] in self?.ring(uid) }
    }

    private func ring(_ uid: UInt32) {
        let now = clock.now()
        let limit = limit()
        let isOver = entries.withLock { entries in
            entries[uid]?.isTimed = false
            guard let limit, let entry = entries[uid] else { return false }
            return now - entry.begin >= limit
        }
        if isOver { Task { await lock(uid) } } else { time(uid) }
    }
}
