import BrokerProtocol
import Platform

/// A call that failed below the protocol.
enum TransportFailure: Error {
    /// Nobody listens, or the connection broke.
    case unreachable(String)
    case deadline
    /// What came is not what the interface promises.
    case notUnderstood(String)
}

/// One connection that speaks Varlink: calls and answers in turn.
struct VarlinkConnection: ~Copyable {
    private var socket: UnixSocket

    /// What came back for a call: an answer, or an error of the interface.
    enum Reply<Answer: Sendable>: Sendable {
        case answer(Answer, continues: Bool)
        case fault(Fault)
    }

    init(path: String, until deadline: ContinuousClock.Instant?) throws(TransportFailure) {
        do {
            socket = try UnixSocket(connectingTo: path, until: deadline)
        } catch {
            throw TransportFailure(error)
        }
    }

    /// Who listens, by the kernel's word.
    func peer() throws(TransportFailure) -> PeerCredentials {
        do { return try socket.peer() } catch { throw TransportFailure(error) }
    }

    /// Becomes readable when the peer speaks or closes.
    var number: Int32 { socket.number }

    func send<Method: VarlinkMethod>(
        _ parameters: Method, more: Bool? = nil, until deadline: ContinuousClock.Instant?
    ) throws(TransportFailure) {
        let bytes: [UInt8]
        do {
            bytes = try Varlink.encode(VarlinkCall(parameters, more: more))
        } catch {
            throw .notUnderstood("the call could not be written as JSON")
        }
        do { try socket.send(bytes, until: deadline) } catch { throw TransportFailure(error) }
    }

    mutating func receive<Answer: Codable & Sendable>(
        _ type: Answer.Type, until deadline: ContinuousClock.Instant?
    ) throws(TransportFailure) -> Reply<Answer> {
        let message: [UInt8]?
        do {
            message = try socket.receiveMessage(limit: Varlink.longestMessage, until: deadline)
        } catch {
            throw TransportFailure(error)
        }
        guard let message else { throw .unreachable("the connection was closed without an answer") }
        do {
            let message = try VarlinkMessage(message)
            if try message.decode(VarlinkReplyHeader.self).error != nil {
                return .fault(try message.decode(Fault.self))
            }
            let reply = try message.decode(VarlinkReply<Answer>.self)
            return .answer(reply.parameters, continues: reply.continues ?? false)
        } catch {
            // The decoder's own words may quote the message, and that may hold a value.
            throw .notUnderstood("the answer is not what the interface promises")
        }
    }
}

extension TransportFailure {
    init(_ error: SystemError) {
        let timedOut: Int32 = 110  // ETIMEDOUT
        self = error.errno == timedOut ? .deadline : .unreachable(error.reason)
    }
}
