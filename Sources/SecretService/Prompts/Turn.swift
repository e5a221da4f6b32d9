import Synchronization

/// Lets one task after the other in, in the order in which they came. A task that is cancelled while it waits goes away.
final class Turn: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Runs `body` when its turn has come.
    /// - Returns: nil if the task was cancelled before.
    func run<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value? {
        guard await enter() else { return nil }
        defer { leave() }
        return try await body()
    }

    /// - Returns: false if the task was cancelled.
    private func enter(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
            }
            waiting?.resume(returning: false)
        }
    }

    /// The turn passes to the task that waits longest.
    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.isTaken = false
            return nil
        }
        next?.resume(returning: true)
    }
}
