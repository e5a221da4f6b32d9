import Dispatch
import JSON
import Platform
import Synchronization

/// A client's connection with `async` calls, for a program that does other things meanwhile. It makes one call after the
/// other, in the order in which they were begun.
///
/// A call can be cancelled by its task. If it was sent already, that ends the connection, as every failure does: its
/// answer would be taken for the next call's.
public final class AsyncVarlinkConnection: Sendable {
    /// Calls block a thread of this queue, never one that Swift's tasks need.
    private let queue = DispatchQueue(label: "coffer.varlink")
    private let connection: Mutex<VarlinkConnection>
    private let end: ConnectionEnd
    private let calls = Mutex(Calls())

    private struct Calls {
        var last: UInt64 = 0
        var running: UInt64?
        /// Calls that were cancelled and have not ended yet.
        var cancelled: Set<UInt64> = []
        /// The call whose replies come one after the other now. No other call has its turn until the last of them.
        var series: UInt64?
    }

    /// Connects, and waits for that no longer than until `deadline`.
    /// - Parameter longestReply: the most bytes of one reply.
    /// - Throws: ``TransportFailure``.
    public static func connect(
        path: String, longestReply: Int = Varlink.longestMessage, until deadline: ContinuousClock.Instant?
    ) async throws -> AsyncVarlinkConnection {
        let connecting = DispatchQueue(label: "coffer.varlink.connecting")
        return try await withCheckedThrowingContinuation { continuation in
            connecting.async {
                continuation.resume(
                    with: Result {
                        try AsyncVarlinkConnection(
                            VarlinkConnection(path: path, longestReply: longestReply, until: deadline))
                    })
            }
        }
    }

    private init(_ connection: consuming VarlinkConnection) throws(TransportFailure) {
        end = try connection.end()
        do throws(TransportFailure) { named = .success(try connection.peer()) } catch { named = .failure(error) }
        number = connection.number
        self.connection = Mutex(connection)
    }

    deinit { end.close() }

    /// Ends the connection. A call that runs fails.
    public func close() { end.close() }

    /// In a user namespace, such as rootless podman's, the kernel cannot name other users. Only who asks for the peer is told so.
    private let named: Result<PeerCredentials, TransportFailure>

    /// The process that listens, as the kernel names it.
    /// - Throws: ``TransportFailure`` if the kernel cannot name its user.
    public func peer() throws(TransportFailure) -> PeerCredentials { try named.get() }

    /// The descriptor. Outside of a call it becomes readable when the peer closes. It is valid as long as this object.
    public let number: Int32

    /// Outside of a call: whether no further one can be made, because the peer has closed its end, or has sent what nobody
    /// asked for. That would pass for the next answer.
    public var isEnded: Bool { connection.withLock { $0.isEnded } }

    /// Outside of a call: whether the peer has said something, or has closed the connection.
    public var hasAnswer: Bool { end.isReadable }

    /// Calls a method and waits for its one answer.
    /// - Throws: ``TransportFailure``, or `CancellationError` if the task was cancelled.
    public func call<Method: VarlinkMethod>(
        _ parameters: Method, until deadline: ContinuousClock.Instant? = nil
    ) async throws -> VarlinkAnswer<Method.Reply> {
        try await perform { (connection) throws(TransportFailure) in try connection.call(parameters, until: deadline) }
    }

    /// A number for a call that has several replies.
    func newSeries() -> UInt64 { newNumber() }

    /// The series has had its last reply, so that other calls have their turn again.
    func end(series: UInt64) { calls.withLock { if $0.series == series { $0.series = nil } } }

    private func newNumber() -> UInt64 {
        calls.withLock { calls in
            calls.last += 1
            return calls.last
        }
    }

    /// Uses the connection when its turn has come, on a thread that may block. A failure ends the connection.
    /// - Parameter series: the call that this is a part of, and that keeps the connection from now on; nil if this is a
    ///   whole call.
    func perform<Value: Sendable>(
        in series: UInt64? = nil,
        _ body: @escaping @Sendable (inout VarlinkConnection) throws(TransportFailure) -> Value
    ) async throws -> Value {
        let number = newNumber()
        defer { calls.withLock { _ = $0.cancelled.remove(number) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(with: Result { try run(number, in: series, body) })
                }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Waits for an answer that no call asked for: the reason that a peer gives before it ends the connection.
    /// - Throws: ``TransportFailure``. The connection has ended then.
    public func lastAnswer<Reply: JSONValue>(
        _ type: Reply.Type, until deadline: ContinuousClock.Instant
    ) async throws(TransportFailure) -> VarlinkAnswer<Reply> {
        let result = await withCheckedContinuation { continuation in
            queue.async { [self] in
                let result = Result { () throws(TransportFailure) in
                    try connection.withLock { (connection) throws(TransportFailure) in
                        try connection.receive(type, until: deadline)
                    }
                }
                if case .failure = result { end.close() }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    private func run<Value: Sendable>(
        _ number: UInt64, in series: UInt64?,
        _ body: (inout VarlinkConnection) throws(TransportFailure) -> Value
    ) throws -> Value {
        let isWanted = try calls.withLock { calls in
            guard !calls.cancelled.contains(number) else { return false }
            guard calls.series == nil || calls.series == series else {
                throw TransportFailure.broken("it is still used for the replies of an earlier call")
            }
            calls.running = number
            calls.series = series
            return true
        }
        guard isWanted else { throw CancellationError() }
        let result = Result { () throws(TransportFailure) -> Value in
            try connection.withLock { (connection) throws(TransportFailure) in try body(&connection) }
        }
        // A late answer would be taken for the next call's.
        if case .failure = result { end.close() }
        let isCancelled = calls.withLock { calls in
            calls.running = nil
            return calls.cancelled.contains(number)
        }
        if isCancelled { throw CancellationError() }
        return try result.get()
    }

    private func cancel(_ number: UInt64) {
        calls.withLock { calls in
            calls.cancelled.insert(number)
            if calls.running == number { end.close() }
        }
    }
}
