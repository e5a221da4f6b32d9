import BrokerProtocol
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

    /// Makes a call and waits for its one answer.
    ///
    /// If the caller's task is cancelled, a call that changes nothing ends at once, and so does one that was not sent yet. A
    /// call that changes something is waited for a moment longer, because the caller has to know whether the change was made.
    /// If the answer does not come in that moment, the error says that nobody knows.
    /// - Parameter late: gets the error that is answered after the call was given up. It may hold a challenge.
    /// - Throws: `.cancelled`, `.brokerSilent`, `.brokerUnreachable`, `.protocolViolation`.
    func call<Method: VarlinkMethod>(
        _ method: Method, late: @escaping @Sendable (Fault) async -> Void
    ) async throws(KeychainError) -> VarlinkAnswer<Method.Reply> {
        let first = FirstResult<CallEnd<Method.Reply>>()
        let progress = Mutex(CallProgress.waiting)
        // An unstructured task does not inherit the cancellation of the caller's. If it ended the connection, a challenge
        // in the answer could not be withdrawn.
        Task {
            await enter()
            let maySend = progress.withLock { progress in
                guard progress == .waiting else { return false }
                progress = .sent
                return true
            }
            let result = maySend ? await answer(to: method) : nil
            leave()
            let end: CallEnd<Method.Reply> = result.map { .answered($0) } ?? .cancelled
            guard !first.end(with: end),
                case .success(.fault(let fault)) = result
            else { return }
            await late(fault)
        }
        let end = await withTaskCancellationHandler {
            await first.value
        } onCancel: {
            let wasSent = progress.withLock { progress in
                defer { if progress == .waiting { progress = .givenUp } }
                return progress == .sent
            }
            guard wasSent, !(method is any ReadingMethod) else {
                first.end(with: .cancelled)
                return
            }
            Task {
                // `try?`: nobody cancels this.
                try? await Task.sleep(for: CallLimits.cancelledWrite)
                first.end(with: .unknown)
            }
        }
        switch end {
        case .cancelled: throw .cancelledByTask
        case .unknown: throw .cancelledMidway
        case .answered(let result):
            do throws(TransportFailure) { return try result.get() } catch {
                throw KeychainError(broker: error, path: path)
            }
        }
    }

    /// How far a call is.
    private enum CallProgress {
        case waiting, sent
        /// It was cancelled before it was sent, and will not be.
        case givenUp
    }

    /// How a call ends for its caller.
    private enum CallEnd<Reply: Codable & Sendable>: Sendable {
        case answered(Result<VarlinkAnswer<Reply>, TransportFailure>)
        /// Nothing was done, or nothing that matters.
        case cancelled
        /// The broker may still do it, or has done it.
        case unknown
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
                put(connection, after: fault)
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

    private func answer<Method: VarlinkMethod>(
        to method: Method
    ) async -> Result<VarlinkAnswer<Method.Reply>, TransportFailure> {
        let deadline = ContinuousClock.now + patience
        do {
            let connection = try await taken(until: deadline)
            let answer = try await connection.call(method, until: deadline)
            if case .fault(let fault) = answer { put(connection, after: fault) } else { keep(connection) }
            return .success(answer)
        } catch let failure as TransportFailure {
            return .failure(failure)
        } catch {
            // Nothing cancels this task, so no other error can come.
            return .failure(.unreachable("the call was cancelled"))
        }
    }

    /// The broker ends the connection after some errors, for example if a call is too long. That may be noticed only later,
    /// by the next call. So the connection is kept only after an error that never ends it.
    private func put(_ connection: AsyncVarlinkConnection, after fault: Fault) {
        switch fault.name {
        case .limitExceeded, .invalidArgument, .failed: connection.close()
        default: keep(connection)
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
