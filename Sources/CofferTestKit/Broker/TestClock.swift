import Broker
import Synchronization

/// A clock that only a test advances.
public final class TestClock: Sendable {
    private struct State {
        var now = ContinuousClock.now
        var later: [(ContinuousClock.Instant, @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var clock: BrokerClock {
        BrokerClock(
            now: { self.state.withLock { $0.now } },
            after: { duration, body in self.state.withLock { $0.later.append(($0.now + duration, body)) } })
    }

    /// Advances the clock and runs everything that is due then.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let now = state.now
            let due = state.later.filter { $0.0 <= now }
            state.later.removeAll { $0.0 <= now }
            return due
        }
        for (_, body) in due { body() }
    }
}
