import BrokerProtocol
import Dispatch
import Glibc
import JSON
import Platform
import Varlink

/// A client that sends anything a test wants. Its blocking calls run on a thread of its own, never on the threads that the broker's tasks need.
public final class WireClient: Sendable {
    private let queue = DispatchQueue(label: "wire-client")
    private let holder: SocketHolder

    // @unchecked Sendable: only the client's own queue uses the socket.
    private final class SocketHolder: @unchecked Sendable {
        var socket: UnixSocket?
        init(_ socket: consuming UnixSocket) { self.socket = consume socket }
    }

    public struct Closed: Error, Sendable {
        public init() {}
    }

    public init(_ path: String) throws {
        holder = SocketHolder(try UnixSocket(connectingTo: path, until: .now + patience))
    }

    /// Calls a method and waits for its one answer.
    public func call<Method: VarlinkMethod>(_ method: Method) async throws -> Method.Reply {
        try await send(Varlink.encode(VarlinkCall(method)))
        return try await reply(Method.Reply.self)
    }

    /// Waits for an answer.
    /// - Throws: the ``Fault`` in the answer, or ``Closed``.
    public func reply<Reply: JSONValue>(_ type: Reply.Type) async throws -> Reply {
        switch try Varlink.decode(VarlinkAnswer<Reply>.self, from: await message()) {
        case .reply(let reply, _): return reply
        case .fault(let fault): throw fault
        }
    }

    /// Sends bytes unchanged.
    public func send(_ bytes: [UInt8]) async throws {
        try await perform { try $0.send(bytes, until: .now + patience) }
    }

    /// The next message, without its zero byte.
    /// - Throws: ``Closed`` if the broker has closed the connection.
    public func message() async throws -> [UInt8] {
        let message = try await perform { (socket: inout UnixSocket) in
            try socket.receiveMessage(limit: 64 << 20, until: .now + patience)
        }
        guard let message else { throw Closed() }
        return message
    }

    public func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [holder] in
                holder.socket = nil
                continuation.resume()
            }
        }
    }

    /// Ends this direction of the connection. Answers still come.
    public func halfClose() async {
        // This fails only if the connection has ended already, and the next read shows that.
        try? await perform { _ = shutdown($0.number, Int32(SHUT_WR)) }
    }

    private func perform<Value: Sendable>(_ body: @escaping @Sendable (inout UnixSocket) throws -> Value) async throws
        -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [holder] in
                guard var socket = holder.socket.take() else {
                    continuation.resume(throwing: Closed())
                    return
                }
                continuation.resume(with: Result { try body(&socket) })
                holder.socket = consume socket
            }
        }
    }
}
