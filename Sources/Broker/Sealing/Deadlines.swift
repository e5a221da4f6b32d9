import Synchronization

/// Actions that run at their time unless they are removed. They share one timer, because each timer takes memory
/// until it fires, even if nobody needs it any longer.
final class Deadlines: Sendable {
    private struct State {
        var entries: [UInt64: (due: ContinuousClock.Instant, body: @Sendable () -> Void)] = [:]
        var last: UInt64 = 0
        /// When the running timer fires.
        var armed: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let clock: BrokerClock

    init(clock: BrokerClock) { self.clock = clock }

    /// - Returns: the number for ``remove(_:)``.
    func add(after time: Duration, _ body: @escaping @Sendable () -> Void) -> UInt64 {
        let due = clock.now() + time
        let number = state.withLock { state in
            state.last += 1
            state.entries[state.last] = (due, body)
            return state.last
        }
        arm(for: due)
        return number
    }

    func remove(_ number: UInt64) { state.withLock { $0.entries[number] = nil } }

    private func arm(for due: ContinuousClock.Instant) {
        let isSooner = state.withLock { state in
            if let armed = state.armed, armed <= due { return false }
            state.armed = due
            return true
        }
        guard isSooner else { return }
        clock.after(max(due - clock.now(), .milliseconds(1))) { [weak self] in self?.ring(due) }
    }

    private func ring(_ armed: ContinuousClock.Instant) {
        let now = clock.now()
        let (over, next) = state.withLock { state in
            if state.armed == armed { state.armed = nil }
            let over = state.entries.filter { $0.value.due <= now }
            for number in over.keys { state.entries[number] = nil }
            return (over.values.map(\.body), state.entries.values.map(\.due).min())
        }
        for body in over { body() }
        if let next { arm(for: next) }
    }
}
