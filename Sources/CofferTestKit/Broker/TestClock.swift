import Broker
import Synchronization

/// Time that passes when a test says so.
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

    /// Lets time pass, and what was put off until then happen.
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
