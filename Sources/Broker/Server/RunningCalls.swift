import Synchronization

/// Counts the running calls, so that a stop can wait for them.
final class RunningCalls: Sendable {
    private struct State {
        var count = 0
        var isStopping = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// - Returns: false once the broker is stopping.
    func begin() -> Bool {
        state.withLock { state in
            if state.isStopping { return false }
            state.count += 1
            return true
        }
    }

    func end() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Lets no more calls begin, and waits for the running ones.
    /// - Parameter limit: how long to wait at most.
    func drain(within limit: Duration) async {
        let timer = Task {
            // `try?`: the sleep is cancelled if all calls end in time, which is no failure.
            try? await Task.sleep(for: limit)
            release()
        }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isStopping = true
                if state.count > 0 { state.waiter = continuation }
                return state.count == 0
            }
            if isIdle { continuation.resume() }
        }
        timer.cancel()
    }

    private func release() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
