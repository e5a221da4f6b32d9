import Synchronization

/// A clock that only a test advances.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var time: Swift.Duration

        func advanced(by duration: Swift.Duration) -> Instant { Instant(time: time + duration) }

        func duration(to other: Instant) -> Swift.Duration { other.time - time }

        static func < (one: Instant, other: Instant) -> Bool { one.time < other.time }
    }

    private let time = Mutex(Swift.Duration.zero)

    var now: Instant { Instant(time: time.withLock { $0 }) }

    var minimumResolution: Swift.Duration { .nanoseconds(1) }

    /// Nobody sleeps by this clock.
    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws { throw CancellationError() }

    func advance(by duration: Swift.Duration) { time.withLock { $0 += duration } }
}
