import Glibc
import JSON
import Platform

/// A client's connection with blocking calls, for a program that does one thing at a time.
public struct VarlinkConnection: ~Copyable, Sendable {
    private var socket: UnixSocket
    private let longestReply: Int

    /// - Parameter longestReply: the most bytes of one reply.
    /// - Throws: ``TransportFailure``.
    public init(
        path: String, longestReply: Int = Varlink.longestMessage, until deadline: ContinuousClock.Instant?
    ) throws(TransportFailure) {
        do { socket = try UnixSocket(connectingTo: path, until: deadline) } catch { throw TransportFailure(error) }
        self.longestReply = longestReply
    }

    /// Adopts a socket that another process has connected.
    public init(adopting socket: consuming UnixSocket) {
        self.socket = socket
        longestReply = Varlink.longestMessage
    }

    /// The path to which the listener's socket is bound; nil if it has none.
    /// - Throws: ``TransportFailure``.
    public func peerPath() throws(TransportFailure) -> String? {
        do { return try socket.peerPath() } catch { throw TransportFailure(error) }
    }

    /// The process that listens, as the kernel names it.
    /// - Throws: ``TransportFailure``; `.unnamed` if somebody listens, and the kernel does not say here who it is.
    public func peer() throws(TransportFailure) -> PeerCredentials {
        do throws(SystemError) { return try socket.peer() } catch {
            // Without a number, the kernel has answered, and its answer names nobody.
            guard error.errno == 0 else { throw TransportFailure(error) }
            throw .unnamed(error.reason)
        }
    }

    /// The descriptor, which becomes readable when the peer sends something or closes.
    public var number: Int32 { socket.number }

    /// Whether the peer has not read all calls that were sent.
    public var isUnread: Bool { socket.isUnread }

    /// Whether no further call can be made: the peer has closed its end, or has sent what nobody asked for, which would
    /// pass for the next answer.
    public var isEnded: Bool { socket.hasInput }

    /// What ends the connection from another thread.
    /// - Throws: ``TransportFailure``.
    public func end() throws(TransportFailure) -> ConnectionEnd {
        do { return try ConnectionEnd(of: socket) } catch { throw TransportFailure(error) }
    }

    /// Sends a call.
    /// - Parameter descriptor: goes along with the call; the peer gets a copy.
    /// - Throws: ``TransportFailure``.
    public func send<Method: VarlinkMethod>(
        _ parameters: Method, more: Bool? = nil, passing descriptor: Int32? = nil,
        until deadline: ContinuousClock.Instant?
    ) throws(TransportFailure) {
        let bytes = Varlink.encode(VarlinkCall(parameters, more: more))
        // It may hold a secret. Nobody else has it.
        defer { Wipe.storage(of: bytes) }
        do throws(SystemError) {
            if let descriptor {
                try socket.send(bytes, passing: descriptor, until: deadline)
            } else {
                try socket.send(bytes, until: deadline)
            }
        } catch { throw TransportFailure(broken: error) }
    }

    /// Waits for the next answer.
    /// - Throws: ``TransportFailure``.
    public mutating func receive<Reply: JSONValue>(
        _ type: Reply.Type, until deadline: ContinuousClock.Instant?
    ) throws(TransportFailure) -> VarlinkAnswer<Reply> {
        let message: [UInt8]?
        do {
            message = try socket.receiveMessage(limit: longestReply, until: deadline)
        } catch {
            throw TransportFailure(broken: error)
        }
        guard let message else { throw .broken("it was closed without an answer") }
        // It may hold a secret. Nobody else has it.
        defer { Wipe.storage(of: message) }
        do throws(JSONFailure) {
            return try Varlink.decode(VarlinkAnswer<Reply>.self, from: message)
        } catch {
            throw .notUnderstood("the answer is not what the interface promises")
        }
    }

    /// Calls a method and waits for its one answer.
    /// - Throws: ``TransportFailure``.
    public mutating func call<Method: VarlinkMethod>(
        _ parameters: Method, until deadline: ContinuousClock.Instant?
    ) throws(TransportFailure) -> VarlinkAnswer<Method.Reply> {
        do throws(TransportFailure) { try send(parameters, until: deadline) } catch {
            // `try?`: a peer that refuses everything says why before it ends the connection, or the first error is the one to tell.
            guard case .broken = error, let reason = try? receive(Method.Reply.self, until: deadline),
                case .fault = reason
            else { throw error }
            return reason
        }
        return try receive(Method.Reply.self, until: deadline)
    }
}

/// A call that got no valid answer of its interface.
public enum TransportFailure: Error, Sendable {
    /// Nobody listens, or who listens is not the one who was meant.
    case unreachable(String)
    /// Somebody listened, and the connection ended before its answer.
    case broken(String)
    /// Somebody listens, and the kernel does not say here who it is, as in a user namespace or a container.
    case unnamed(String)
    case deadline
    /// The answer does not match the interface.
    case notUnderstood(String)

    /// The reason, as the end of a sentence.
    public var reason: String {
        switch self {
        case .unreachable(let reason), .unnamed(let reason), .notUnderstood(let reason): reason
        case .broken(let reason): "the connection broke: \(reason)"
        case .deadline: "it took too long"
        }
    }

    public init(_ error: SystemError) {
        self = error.errno == ETIMEDOUT ? .deadline : .unreachable(error.reason)
    }

    /// What ended a connection that was there.
    init(broken error: SystemError) { self = error.errno == ETIMEDOUT ? .deadline : .broken(error.reason) }
}
