import Authorization
import Dispatch
import Synchronization
import Vault

/// The one thread that uses the TPM. Callers wait for it, but never on a thread that others need. They wait no longer
/// than `patience`, however long the TPM takes.
final class SealerThread: Sendable {
    private let queue = DispatchQueue(label: "coffer.sealer")
    private let waiting = Mutex(0)
    private let patience: Duration
    private let deadlines: Deadlines

    /// - Parameter patience: the time from the request to an answer or an error.
    init(patience: Duration = .seconds(10), clock: BrokerClock = .system) {
        self.patience = patience
        deadlines = Deadlines(clock: clock)
    }

    /// Runs a blocking use of the sealer.
    ///
    /// - Parameters:
    ///   - limit: the time from the request to an answer or an error; nil for `patience`.
    ///   - undo: gets a result that came too late for its caller; runs on the sealer's thread.
    /// - Throws: `SealerError` with code `deadline` if the time is over or too many uses wait; any error of `body`.
    func run<Value: Sendable>(
        within limit: Duration? = nil, _ body: @escaping @Sendable () throws(SealerError) -> Value,
        undo: (@Sendable (Value) -> Void)? = nil
    ) async throws(SealerError) -> Value {
        let isWelcome = waiting.withLock { count in
            guard count < SealerLimits.queue else { return false }
            count += 1
            return true
        }
        guard isWelcome else { throw SealerError(.deadline, "the TPM is too busy", advice: "try again") }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, SealerError>, Never>) in
            let once = Once(continuation)
            let deadline = deadlines.add(after: limit ?? patience) {
                let advice = "try again, and restart the machine if that does not help"
                _ = once.resolve(.failure(SealerError(.deadline, "the TPM did not answer in time", advice: advice)))
            }
            queue.async { [self] in
                defer {
                    deadlines.remove(deadline)
                    waiting.withLock { $0 -= 1 }
                }
                // The caller has stopped waiting.
                if once.isResolved { return }
                let made = Result(catching: body)
                if !once.resolve(made), case .success(let value) = made { undo?(value) }
            }
        }
        return try result.get()
    }

    /// Resumes a continuation with the first result.
    private final class Once<Value: Sendable>: Sendable {
        private let continuation: Mutex<CheckedContinuation<Result<Value, SealerError>, Never>?>

        init(_ continuation: CheckedContinuation<Result<Value, SealerError>, Never>) {
            self.continuation = Mutex(continuation)
        }

        var isResolved: Bool { continuation.withLock { $0 == nil } }

        /// - Returns: false if there was a result already.
        func resolve(_ result: Result<Value, SealerError>) -> Bool {
            let taken = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            taken?.resume(returning: result)
            return taken != nil
        }
    }
}

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
