import Synchronization

/// How fast one user's connections are served. Serving a connection costs the broker more than making it costs the
/// user. A user who connects endlessly waits, and the waiting connections count as theirs. Others do not wait.
final class ConnectionPace: Sendable {
    /// The shortest time between two connections of one user, without a break.
    private static let interval = Duration.milliseconds(4)
    /// How many connections a user may make at once after a break.
    private static let burst = 128

    /// When the connections so far would have been made at that pace, by uid.
    private let due = Mutex<[UInt32: ContinuousClock.Instant]>([:])

    /// Counts a connection.
    /// - Returns: how long it must wait.
    func delay(of uid: UInt32, at now: ContinuousClock.Instant = .now) -> Duration {
        due.withLock { due in
            let next = max(due[uid] ?? now, now) + Self.interval
            due[uid] = next
            return max(.zero, next - now - Self.interval * Self.burst)
        }
    }

    /// Forgets the users who have had a break.
    func forget(at now: ContinuousClock.Instant = .now) {
        due.withLock { due in due = due.filter { $0.value > now } }
    }
}
