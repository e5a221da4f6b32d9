import BrokerProtocol
import Platform
import Varlink

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

    private var connection: VarlinkConnection

    /// - Parameter user: the uid that the broker runs as. Whoever else listens there would be told for what a person answers.
    init(path: String, user: UInt32, until deadline: ContinuousClock.Instant) throws(BrokerFailure) {
        connection = try Self.connect(path, user, deadline)
    }

    private static func connect(
        _ path: String, _ user: UInt32, _ deadline: ContinuousClock.Instant
    ) throws(BrokerFailure) -> VarlinkConnection {
        do throws(TransportFailure) {
            let connection = try VarlinkConnection(path: path, longestReply: longestAnswer, until: deadline)
            let peer = try connection.peer()
            guard peer.uid == user else {
                throw .unreachable("it runs as uid \(peer.uid), not \(user)")
            }
            return connection
        } catch {
            throw .unreachable("The broker cannot be reached at \(path): \(error.reason). Is cofferd running?")
        }
    }

    /// For `poll`: nothing is to come from the broker but answers.
    var number: Int32 { connection.number }

    mutating func call<Method: VarlinkMethod>(
        _ method: Method, within limit: Duration
    ) throws(BrokerFailure) -> Method.Reply {
        let answer: VarlinkAnswer<Method.Reply>
        do throws(TransportFailure) {
            answer = try connection.call(method, until: .now + limit)
        } catch .notUnderstood {
            throw .unreachable("The broker's answer to \(Method.name) makes no sense.")
        } catch {
            throw .unreachable("The broker does not answer: \(error.reason).")
        }
        switch answer {
        case .reply(let reply, _): return reply
        case .fault(let fault): throw .refused(fault)
        }
    }
}
