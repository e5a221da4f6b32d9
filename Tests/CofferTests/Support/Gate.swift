import Foundation
import Synchronization

/// Lets tasks wait until a test opens it.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// How many tasks wait.
    var waiting: Int { state.withLock { $0.waiting.count } }

    var isOpen: Bool { state.withLock { $0.isOpen } }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// Counts what happens, or how often something ends.
final class Tally: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}

/// Waits until something is so. It never becomes so only if a protection is missing.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    let seconds = ProcessInfo.processInfo.environment["COFFER_TEST_PATIENCE"].flatMap(Int.init) ?? 600
    let end = ContinuousClock.now + .seconds(seconds)
    while !(try await condition()) {
        guard ContinuousClock.now < end else { return false }
        try await Task.sleep(for: .milliseconds(2))
    }
    return true
}
