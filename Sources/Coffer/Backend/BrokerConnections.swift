import Platform
import Synchronization
import Varlink

/// Connections to the broker that are kept for the next call. Each serves one call at a time.
final class BrokerConnections: Sendable {
    let path: String
    private let patience: Duration
    private let state = Mutex(State())

    private struct State {
        /// The last one was used last.
        var idle: [AsyncVarlinkConnection] = []
        /// Connections in use or being made.
        var busy = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    init(path: String, patience: Duration = CallLimits.broker) {
        self.path = path
        self.patience = patience
    }

    /// Makes a call and waits for its one answer. The call is never cancelled on the way: the answer may hold a challenge that must be withdrawn.
    func call<Method: VarlinkMethod>(_ method: Method) async throws(KeychainError) -> VarlinkAnswer<Method.Reply> {
        await enter()
        defer { leave() }
        // An unstructured task does not inherit the cancellation of the caller's.
        let result = await Task { await self.answer(to: method) }.value
        do throws(TransportFailure) { return try result.get() } catch { throw KeychainError(broker: error, path: path) }
    }

    private func answer<Method: VarlinkMethod>(
        to method: Method
    ) async -> Result<VarlinkAnswer<Method.Reply>, TransportFailure> {
        let deadline = ContinuousClock.now + patience
        do {
            let connection = try await taken(until: deadline)
            let answer = try await connection.call(method, until: deadline)
            keep(connection)
            return .success(answer)
        } catch let failure as TransportFailure {
            return .failure(failure)
        } catch {
            // Nothing cancels this task, so no other error can come.
            return .failure(.unreachable("the call was cancelled"))
        }
    }

    /// Keeps the connection for a call that waits, or else one connection in all. A program may have many keychains, and
    /// its user's other programs need connections, too.
    private func keep(_ connection: AsyncVarlinkConnection) {
        let isKept = state.withLock { state in
            guard state.idle.isEmpty || !state.waiting.isEmpty else { return false }
            state.idle.append(connection)
            return true
        }
        if !isKept { connection.close() }
    }

    /// An open connection. The broker may have closed the kept ones, for example because it was restarted.
    private func taken(until deadline: ContinuousClock.Instant) async throws -> AsyncVarlinkConnection {
        while let kept = state.withLock({ $0.idle.popLast() }) {
            if !kept.isClosed { return kept }
        }
        return try await AsyncVarlinkConnection.connect(path: path, until: deadline)
    }

    /// Waits until fewer than ``CallLimits/connections`` calls are made at once.
    private func enter() async {
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                guard state.busy < CallLimits.connections else {
                    state.waiting.append(continuation)
                    return false
                }
                state.busy += 1
                return true
            }
            if mayGo { continuation.resume() }
        }
    }

    /// The place passes to the call that waits longest.
    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.busy -= 1
            return nil
        }
        next?.resume()
    }
}
