/// The replies of one call that may have several, as they come.
///
/// ```swift
/// for try await reply in connection.replies(to: Keychain.Monitor()) { show(reply.events) }
/// ```
///
/// Nothing is read ahead. Replies that are not asked for wait in the kernel's buffer and then with the server, which may
/// drop some and say so. The sequence ends after the last reply. If it is not read to its end, or its task is cancelled,
/// the connection ends, because further replies would be taken for the next call's.
///
/// Each iteration is a call of its own. It throws ``Fault`` for an error of the interface, ``TransportFailure``, or
/// `CancellationError`.
public struct VarlinkReplies<Method: VarlinkMethod>: AsyncSequence, Sendable {
    public typealias Element = Method.Reply

    fileprivate let connection: AsyncVarlinkConnection
    fileprivate let parameters: Method
    fileprivate let deadline: ContinuousClock.Instant?
    fileprivate let pause: Duration?

    public func makeAsyncIterator() -> Iterator { Iterator(series: ReplySeries(self)) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let series: ReplySeries<Method>

        public mutating func next() async throws -> Method.Reply? { try await series.next() }
    }
}

extension AsyncVarlinkConnection {
    /// Calls a method with the “more” flag. The call is sent when the first reply is asked for, and the connection serves
    /// no other call until the last reply.
    /// - Parameters:
    ///   - deadline: for sending the call and for the first reply.
    ///   - pause: how long each further reply may take; nil for any time.
    public func replies<Method: VarlinkMethod>(
        to parameters: Method, until deadline: ContinuousClock.Instant? = nil, pause: Duration? = nil
    ) -> VarlinkReplies<Method> {
        VarlinkReplies(connection: self, parameters: parameters, deadline: deadline, pause: pause)
    }
}

/// One iteration. It is a class, so that it notices when nobody asks for replies any longer.
private final class ReplySeries<Method: VarlinkMethod> {
    private enum Progress {
        case unsent, open, ended
    }

    private let call: VarlinkReplies<Method>
    private let number: UInt64
    private var progress = Progress.unsent

    init(_ call: VarlinkReplies<Method>) {
        self.call = call
        number = call.connection.newSeries()
    }

    deinit { if progress == .open { call.connection.close() } }

    func next() async throws -> Method.Reply? {
        let answer: VarlinkAnswer<Method.Reply>
        switch progress {
        case .ended: return nil
        case .unsent:
            let (parameters, deadline) = (call.parameters, call.deadline)
            answer = try await receive { (connection) throws(TransportFailure) in
                try connection.send(parameters, more: true, until: deadline)
                return try connection.receive(Method.Reply.self, until: deadline)
            }
        case .open:
            let pause = call.pause
            answer = try await receive { (connection) throws(TransportFailure) in
                try connection.receive(Method.Reply.self, until: pause.map { ContinuousClock.now + $0 })
            }
        }
        switch answer {
        case .reply(let reply, continues: true): return reply
        case .reply(let reply, continues: false):
            end()
            return reply
        case .fault(let fault):
            end()
            throw fault
        }
    }

    private func receive(
        _ body: @escaping @Sendable (inout VarlinkConnection) throws(TransportFailure) -> VarlinkAnswer<Method.Reply>
    ) async throws -> VarlinkAnswer<Method.Reply> {
        let isOpen = progress == .open
        progress = .open
        do { return try await call.connection.perform(in: number, body) } catch {
            progress = .ended
            // The next reply is still to come. A call that was never sent leaves the connection as it is.
            if isOpen { call.connection.close() }
            throw error
        }
    }

    private func end() {
        progress = .ended
        call.connection.end(series: number)
    }
}
