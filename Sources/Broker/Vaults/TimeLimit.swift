import Synchronization

/// Waits for something that goes on by itself when the waiting is over.
enum TimeLimit {
    /// - Returns: when `body` has ended, or the time is over.
    static func wait(_ limit: Duration, for body: @escaping @Sendable () async -> Void) async {
        let shared = Shared()
        await withCheckedContinuation { continuation in
            shared.waiter.withLock { $0 = continuation }
            Task {
                await body()
                shared.end()
            }
            Task {
                // Cancelled by nobody; and if it were, the wait would only be shorter.
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
