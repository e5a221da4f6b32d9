import Dispatch
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
        peer = try connection.peer()
        number = connection.number
        self.connection = Mutex(connection)
    }

    deinit { end.close() }

    /// Ends the connection. A call that runs fails.
    public func close() { end.close() }

    /// The process that listens, as the kernel names it.
    public let peer: PeerCredentials

    /// The descriptor. Outside of a call it becomes readable when the peer closes. It is valid as long as this object.
    public let number: Int32

    /// Whether the peer has closed the connection.
    public var isClosed: Bool { end.isClosed }

    /// Outside of a call: whether the peer has said something, or has closed the connection.
    public var hasAnswer: Bool { end.isReadable }

    /// Calls a method and waits for its one answer.
    /// - Throws: ``TransportFailure``, or `CancellationError` if the task was cancelled.
    public func call<Method: VarlinkMethod>(
        _ parameters: Method, until deadline: ContinuousClock.Instant? = nil
    ) async throws -> VarlinkAnswer<Method.Reply> {
        let number = calls.withLock { calls in
            calls.last += 1
            return calls.last
        }
        defer { calls.withLock { _ = $0.cancelled.remove(number) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(with: Result { try run(number, parameters, until: deadline) })
                }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Waits for an answer that no call asked for: the reason that a peer gives before it ends the connection.
    /// - Throws: ``TransportFailure``. The connection has ended then.
    public func lastAnswer<Reply: Codable & Sendable>(
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

    private func run<Method: VarlinkMethod>(
        _ number: UInt64, _ parameters: Method, until deadline: ContinuousClock.Instant?
    ) throws -> VarlinkAnswer<Method.Reply> {
        let isWanted = calls.withLock { calls in
            guard !calls.cancelled.contains(number) else { return false }
            calls.running = number
            return true
        }
        guard isWanted else { throw CancellationError() }
        let result = Result { () throws(TransportFailure) -> VarlinkAnswer<Method.Reply> in
            try connection.withLock { (connection) throws(TransportFailure) in
                try connection.call(parameters, until: deadline)
            }
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
