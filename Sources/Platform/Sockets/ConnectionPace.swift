import Synchronization

/// How fast one user's connections are served. Serving a connection costs a server more than making it costs the user. A user who connects endlessly
/// waits, and the waiting connections count as theirs. Others do not wait.
public final class ConnectionPace: Sendable {
    private let burst: Int
    private let interval: Duration
    /// When the connections so far would have been made at that pace, by uid.
    private let due = Mutex<[UInt32: ContinuousClock.Instant]>([:])

    /// - Parameters:
    ///   - burst: how many connections a user may make at once after a break.
    ///   - interval: the shortest time between two of them without a break.
    public init(burst: Int, interval: Duration) {
        self.burst = burst
        self.interval = interval
    }

    /// Counts a connection.
    /// - Returns: how long it must wait.
    public func delay(of uid: UInt32, at now: ContinuousClock.Instant = .now) -> Duration {
        due.withLock { due in
            let next = max(due[uid] ?? now, now) + interval
            due[uid] = next
            return max(.zero, next - now - interval * burst)
        }
    }

    /// Forgets the users who have had a break.
    public func forget(at now: ContinuousClock.Instant = .now) {
        due.withLock { due in due = due.filter { $0.value > now } }
    }
}
