import Synchronization

/// How soon after each other one user's connections are taken up. Taking one up costs the broker more than making it costs its user: whoever connects on and
/// on waits, with connections that count as his, so that others do not wait for him.
final class ConnectionPace: Sendable {
    /// Without a break, of one user: four milliseconds apart.
    private static let interval = Duration.milliseconds(4)
    /// At once, after a break.
    private static let burst = 128

    /// When the connections that were let in would have been made at that pace.
    private let due = Mutex<[UInt32: ContinuousClock.Instant]>([:])

    /// Counts a connection.
    /// - Returns: how long it waits.
    func delay(of uid: UInt32, at now: ContinuousClock.Instant = .now) -> Duration {
        due.withLock { due in
            let next = max(due[uid] ?? now, now) + Self.interval
            due[uid] = next
            return max(.zero, next - now - Self.interval * Self.burst)
        }
    }

    /// Forgets those who have had a break.
    func forget(at now: ContinuousClock.Instant = .now) {
        due.withLock { due in due = due.filter { $0.value > now } }
    }
}
