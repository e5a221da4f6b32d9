import Authorization
import Dispatch
import Synchronization
import Vault

/// The one thread that talks to the TPM. Callers wait for it, but never on a thread that others need; and never longer than `patience`, however long the
/// TPM takes.
final class SealerThread: Sendable {
    private let queue = DispatchQueue(label: "coffer.sealer")
    private let waiting = Mutex(0)
    private let patience: Duration
    private let deadlines: Deadlines

    /// More than this many waiting at once are refused: with a TPM that hangs they would only pile up.
    private static let longestQueue = 64

    /// - Parameter patience: from asking to an answer or an error.
    init(patience: Duration = .seconds(10), clock: BrokerClock = .system) {
        self.patience = patience
        deadlines = Deadlines(clock: clock)
    }

    /// Runs a blocking use of the sealer.
    ///
    /// - Parameters:
    ///   - limit: from asking to an answer or an error; nil for the usual.
    ///   - undo: gets what comes too late, when nobody waits for it any more; on the sealer's thread.
    func run<Value: Sendable>(
        within limit: Duration? = nil, _ body: @escaping @Sendable () throws(SealerError) -> Value,
        undo: (@Sendable (Value) -> Void)? = nil
    ) async throws(SealerError) -> Value {
        let isWelcome = waiting.withLock { count in
            guard count < Self.longestQueue else { return false }
            count += 1
            return true
        }
        guard isWelcome else { throw SealerError(.deadline, "the TPM is too busy; try again") }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, SealerError>, Never>) in
            let once = Once(continuation)
            let deadline = deadlines.add(after: limit ?? patience) {
                let words = "the TPM did not answer in time; try again, and restart the machine if that does not help"
                _ = once.resolve(.failure(SealerError(.deadline, words)))
            }
            queue.async { [self] in
                defer {
                    deadlines.remove(deadline)
                    waiting.withLock { $0 -= 1 }
                }
                // Nobody waits for it any more.
                if once.isResolved { return }
                let made = Result(catching: body)
                if !once.resolve(made), case .success(let value) = made { undo?(value) }
            }
        }
        return try result.get()
    }

    /// Answers a continuation with whatever comes first.
    private final class Once<Value: Sendable>: Sendable {
        private let continuation: Mutex<CheckedContinuation<Result<Value, SealerError>, Never>?>

        init(_ continuation: CheckedContinuation<Result<Value, SealerError>, Never>) {
            self.continuation = Mutex(continuation)
        }

        var isResolved: Bool { continuation.withLock { $0 == nil } }

        /// - Returns: false where something else had come before.
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
