import BrokerProtocol
import JSON
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

    /// How a call ended for its caller.
    private enum Outcome<Reply: JSONValue>: Sendable {
        case answered(Result<VarlinkAnswer<Reply>, TransportFailure>)
        /// It was given up. Nothing was changed.
        case cancelled
        /// It was given up after it was sent.
        case unknown
    }

    /// Makes a call and waits for its one answer.
    ///
    /// If the caller's task is cancelled, a call that changes nothing ends at once, and so does one that was not sent yet. A
    /// change that was sent is waited for a moment longer. Then the caller is told that it may have been made.
    /// - Parameter late: gets the error that is answered after the call was given up. It may hold a challenge.
    /// - Throws: `.cancelled`, `.outcomeUnknown`, `.brokerSilent`, `.brokerUnreachable`, `.protocolViolation`.
    func call<Method: VarlinkMethod>(
        _ method: Method, late: @escaping @Sendable (Fault) async -> Void
    ) async throws(KeychainError) -> VarlinkAnswer<Method.Reply> {
        let first = FirstResult<Outcome<Method.Reply>>()
        let sending = Sending()
        // An unstructured task does not inherit the cancellation of the caller's. If it ended the connection, a challenge
        // in the answer could not be withdrawn.
        Task {
            await enter()
            let result = await answer(to: method, sending)
            leave()
            guard let result, !first.end(with: .answered(result)), case .success(.fault(let fault)) = result else {
                return
            }
            await late(fault)
        }
        let changes = !(method is any ReadingMethod)
        let outcome = await withTaskCancellationHandler {
            await first.value
        } onCancel: {
            guard !sending.giveUp(), changes else {
                first.end(with: .cancelled)
                return
            }
            Task.detached {
                // `try?`: nobody cancels this task, so it always sleeps.
                try? await Task.sleep(for: CallLimits.lastAnswer)
                first.end(with: .unknown)
            }
        }
        switch outcome {
        case .cancelled: throw .cancelledByTask
        case .unknown: throw .outcomeUnknown
        case .answered(.success(let answer)): return answer
        case .answered(.failure(let failure)):
            throw KeychainError(broker: failure, path: path, mayBeDone: changes && sending.wasSent)
        }
    }

    /// Makes a call and waits for all of its replies. Nobody is asked, so a cancelled call ends its connection at once.
    /// - Throws: as ``call(_:late:)``, and what the broker answers.
    func replies<Method: ReadingMethod>(to method: Method) async throws(KeychainError) -> [Method.Reply] {
        let first = FirstResult<Result<[Method.Reply], KeychainError>?>()
        // A task of its own, because nothing ends the wait for a turn.
        let reading = Task {
            await enter()
            var result: Result<[Method.Reply], KeychainError>?
            if !Task.isCancelled {
                do throws(KeychainError) { result = .success(try await allReplies(to: method)) } catch {
                    result = .failure(error)
                }
            }
            leave()
            first.end(with: result)
        }
        let result = await withTaskCancellationHandler {
            await first.value
        } onCancel: {
            reading.cancel()
            first.end(with: nil)
        }
        guard let result else { throw .cancelledByTask }
        return try result.get()
    }

    private func allReplies<Method: ReadingMethod>(
        to method: Method
    ) async throws(KeychainError) -> [Method.Reply] {
        let deadline = ContinuousClock.now + patience
        do {
            let connection = try await taken(until: deadline)
            var replies: [Method.Reply] = []
            do {
                for try await reply in connection.replies(to: method, until: deadline, pause: patience) {
                    replies.append(reply)
                }
            } catch let fault as Fault {
                if fault.mayEndConnection { connection.close() } else { keep(connection) }
                throw fault
            }
            keep(connection)
            return replies
        } catch let fault as Fault {
            throw KeychainError(brokerFault: fault)
        } catch let failure as TransportFailure {
            throw KeychainError(broker: failure, path: path)
        } catch { throw .cancelledByTask }
    }

    /// - Returns: nil if the call was given up before it was sent.
    private func answer<Method: VarlinkMethod>(
        to method: Method, _ sending: Sending
    ) async -> Result<VarlinkAnswer<Method.Reply>, TransportFailure>? {
        let deadline = ContinuousClock.now + patience
        do {
            guard !sending.isGivenUp else { return nil }
            let connection = try await taken(until: deadline)
            guard sending.begin() else {
                keep(connection)
                return nil
            }
            let answer = try await connection.call(method, until: deadline)
            // The broker ends the connection after some errors, which may be noticed only by the next call.
            if answer.mayEndConnection { connection.close() } else { keep(connection) }
            return .success(answer)
        } catch let failure as TransportFailure {
            return .failure(failure)
        } catch {
            // Nothing cancels this task, so no other error can come.
            return .failure(.broken("the call was cancelled"))
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
            if !kept.isEnded { return kept }
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

/// Whether a call was sent, or given up before.
private final class Sending: Sendable {
    private enum State { case waiting, sent, givenUp }

    private let state = Mutex(State.waiting)

    var wasSent: Bool { state.withLock { $0 == .sent } }
    var isGivenUp: Bool { state.withLock { $0 == .givenUp } }

    /// - Returns: false if the call was given up.
    func begin() -> Bool {
        state.withLock { state in
            if state == .waiting { state = .sent }
            return state == .sent
        }
    }

    /// - Returns: false if the call was sent.
    func giveUp() -> Bool {
        state.withLock { state in
            if state == .waiting { state = .givenUp }
            return state == .givenUp
        }
    }
}

/// A method that changes nothing, so that a call of it can be given up at any time.
protocol ReadingMethod: VarlinkMethod {}

extension Wire.InVault: ReadingMethod where Method: ReadingMethod {}
extension Wire.Get: ReadingMethod {}
extension Wire.GetAll: ReadingMethod {}
extension Wire.Exists: ReadingMethod {}
extension Wire.Show: ReadingMethod {}
extension Wire.List: ReadingMethod {}
extension Wire.Search: ReadingMethod {}
extension Wire.History: ReadingMethod {}
extension Wire.Status: ReadingMethod {}
