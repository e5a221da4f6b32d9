import BrokerProtocol
import Platform

/// A broker that did not do what it was asked.
enum BrokerFailure: Error, Equatable {
    /// Not there, gone, too slow, or it does not speak the protocol.
    case unreachable(String)
    /// It said no.
    case refused(Fault)
}

/// The private line to the broker. Made only to a broker that is who it should be.
struct BrokerConnection: ~Copyable {
    /// The longest answer that is taken, in bytes; a registry record has about 2 KiB.
    static let longestAnswer = 64 << 10

    private var socket: UnixSocket

    /// - Parameter user: the uid that the broker runs as. Whoever else listens there would be told for what a person answers.
    init(path: String, user: UInt32, until deadline: ContinuousClock.Instant) throws(BrokerFailure) {
        socket = try Self.connect(path, user, deadline)
    }

    private static func connect(
        _ path: String, _ user: UInt32, _ deadline: ContinuousClock.Instant
    ) throws(BrokerFailure) -> UnixSocket {
        do throws(SystemError) {
            let socket = try UnixSocket(connectingTo: path, until: deadline)
            let peer = try socket.peer()
            guard peer.uid == user else {
                throw SystemError("trust the broker at \(path)", reason: "it runs as uid \(peer.uid), not \(user)")
            }
            return socket
        } catch {
            throw .unreachable("The broker cannot be reached: \(error). Is cofferd running?")
        }
    }

    /// For `poll`: nothing is to come from the broker but answers.
    var number: Int32 { socket.number }

    mutating func call<Method: VarlinkMethod>(
        _ method: Method, within limit: Duration
    ) throws(BrokerFailure) -> Method.Reply {
        let deadline = ContinuousClock.now + limit
        let answer: [UInt8]
        do throws(SystemError) {
            // Nothing of these types can fail to be encoded.
            guard let bytes = try? Varlink.encode(VarlinkCall(method)) else {
                throw SystemError("call \(Method.name)", reason: "it cannot be encoded")
            }
            try socket.send(bytes, until: deadline)
            guard let message = try socket.receiveMessage(limit: Self.longestAnswer, until: deadline) else {
                throw SystemError("call \(Method.name)", reason: "the broker closed the connection")
            }
            answer = message
        } catch {
            throw .unreachable("The broker does not answer: \(error).")
        }
        do {
            let message = try VarlinkMessage(answer)
            if try message.decode(VarlinkReplyHeader.self).error != nil {
                throw BrokerFailure.refused(try message.decode(Fault.self))
            }
            return try message.decode(VarlinkReply<Method.Reply>.self).parameters
        } catch let failure as BrokerFailure {
            throw failure
        } catch {
            throw .unreachable("The broker's answer to \(Method.name) makes no sense.")
        }
    }
}
