import Synchronization

/// Waits for some work for a limited time. The work goes on after that.
enum TimeLimit {
    /// - Returns: when `body` has ended or the time is over.
    static func wait(_ limit: Duration, for body: @escaping @Sendable () async -> Void) async {
        let shared = Shared()
        await withCheckedContinuation { continuation in
            shared.waiter.withLock { $0 = continuation }
            Task {
                await body()
                shared.end()
            }
            Task {
                // `try?`: nobody cancels this task, and cancelling would only shorten the wait.
                try? await Task.sleep(for: limit)
                shared.end()
            }
        }
    }

    private final class Shared: Sendable {
        let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)

        func end() {
            let taken = waiter.withLock { waiter in
                defer { waiter = nil }
                return waiter
            }
            taken?.resume()
        }
    }
}
