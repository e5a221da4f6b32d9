import Authorization
import Dispatch
import Synchronization
import Vault

/// The one thread that uses the TPM. One use at a time has the turn, and users take turns (`SealerTurns`). Callers wait
/// without a thread, and no longer than `patience`, however long the TPM takes.
final class SealerThread: Sendable {
    private let queue = DispatchQueue(label: "coffer.sealer")
    private let turns = Mutex(SealerTurns())
    private let patience: Duration
    let deadlines: Deadlines

    /// - Parameter patience: the time from the request to an answer or an error.
    init(patience: Duration = .seconds(10), clock: BrokerClock = .system) {
        self.patience = patience
        deadlines = Deadlines(clock: clock)
    }

    /// How many uses wait for their turn.
    var waitingCount: Int { turns.withLock { $0.count } }

    /// Runs a blocking use of the sealer, in its turn.
    ///
    /// - Parameters:
    ///   - user: whose use it is.
    ///   - limit: the time from the request to an answer or an error; nil for `patience`.
    ///   - undo: gets a result that came too late for its caller; runs on the sealer's thread.
    /// - Throws: `SealerError` with code `deadline` if the time is over or too many uses wait; any error of `body`.
    func run<Value: Sendable>(
        for user: SealerUser = .broker, within limit: Duration? = nil,
        _ body: @escaping @Sendable () throws(SealerError) -> Value, undo: (@Sendable (Value) -> Void)? = nil
    ) async throws(SealerError) -> Value {
        try await answer(within: limit) { [self] once in
            inTurn(once, of: user) { [self] in
                defer { endTurn() }
                let made = Result(catching: body)
                if !once.resolve(made), case .success(let value) = made { undo?(value) }
            }
        }
    }

    /// Begins a use that needs a signature, in its turn. Nobody else has a turn until the use has ended.
    ///
    /// - Parameters:
    ///   - user: whose use it is.
    ///   - time: how long the use waits for the signature.
    /// - Throws: as ``run(for:within:_:undo:)``.
    func begin(
        for user: SealerUser = .broker, waiting time: Duration,
        _ body: @escaping @Sendable () throws(SealerError) -> any PendingUse
    ) async throws(SealerError) -> SigningExchange {
        try await answer(within: nil) { [self] once in
            inTurn(once, of: user) { [self] in
                do throws(SealerError) {
                    let exchange = SigningExchange(try body(), on: self, for: time)
                    if !once.resolve(.success(exchange)) { exchange.cancel() }
                } catch {
                    endTurn()
                    _ = once.resolve(.failure(error))
                }
            }
        }
    }

    /// Finishes a use that was begun, and ends its turn.
    func finish<Value: Sendable>(
        _ body: @escaping @Sendable () throws(SealerError) -> Value
    ) async throws(SealerError) -> Value {
        try await answer(within: nil) { [self] once in
            queue.async { [self] in
                defer { endTurn() }
                _ = once.resolve(Result(catching: body))
            }
        }
    }

    /// Gives up a use that was begun, and ends its turn. Does not wait for it.
    func giveUp(_ body: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            defer { endTurn() }
            body()
        }
    }

    /// Waits for an answer until the time is over.
    private func answer<Value: Sendable>(
        within limit: Duration?, _ start: (Once<Value>) -> Void
    ) async throws(SealerError) -> Value {
        var deadline: UInt64?
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, SealerError>, Never>) in
            let once = Once(continuation)
            deadline = deadlines.add(after: limit ?? patience) {
                let advice = "try again, and restart the machine if that does not help"
                _ = once.resolve(.failure(SealerError(.deadline, "the TPM did not answer in time", advice: advice)))
            }
            start(once)
        }
        if let deadline { deadlines.remove(deadline) }
        return try result.get()
    }

    /// Runs a use on the thread when it has the turn, unless its caller has stopped waiting. The use ends its own turn.
    private func inTurn<Value: Sendable>(
        _ once: Once<Value>, of user: SealerUser, _ use: @escaping @Sendable () -> Void
    ) {
        let waiter = SealerTurns.Waiter(
            begin: use, isOver: { once.isResolved }, refuse: { error in _ = once.resolve(.failure(error)) })
        let arrival = turns.withLock { $0.enter(waiter, of: user) }
        switch arrival {
        case .begins: queue.async(execute: use)
        case .waits: break
        case .displaces(let other): other.refuse(SealerTurns.busy)
        case .refused(let error): waiter.refuse(error)
        }
    }

    /// Passes the turn on.
    private func endTurn() {
        let next = turns.withLock { $0.next() }
        if let next { queue.async(execute: next.begin) }
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
