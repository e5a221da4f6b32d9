import BrokerProtocol
import Platform
import Varlink

/// Why the broker did not do what it was asked.
enum BrokerFailure: Error, Equatable {
    /// The broker does not run, has ended, is too slow, or does not speak the protocol.
    case unreachable(String, advice: String = "")
    /// The broker refused.
    case refused(Fault)
}

/// The private connection to the broker. It is made only if the broker runs as the expected user.
struct BrokerConnection: ~Copyable {
    private var connection: VarlinkConnection

    /// - Parameter user: the uid that the broker runs as. The answers of a person would earn signatures for any other listener.
    init(path: String, user: UInt32, until deadline: ContinuousClock.Instant) throws(BrokerFailure) {
        connection = try Self.connect(path, user, deadline)
    }

    private static func connect(
        _ path: String, _ user: UInt32, _ deadline: ContinuousClock.Instant
    ) throws(BrokerFailure) -> VarlinkConnection {
        do throws(TransportFailure) {
            let connection = try VarlinkConnection(path: path, longestReply: BrokerLimits.answer, until: deadline)
            let peer = try connection.peer()
            guard peer.uid == user else {
                throw .unreachable("it runs as uid \(peer.uid), not \(user)")
            }
            return connection
        } catch {
            throw .unreachable(
                "the broker cannot be reached at \(path): \(error.reason)",
                advice: "check it with: systemctl status cofferd")
        }
    }

    /// The descriptor, for `poll`. The broker sends nothing but answers.
    var number: Int32 { connection.number }

    mutating func call<Method: VarlinkMethod>(
        _ method: Method, within limit: Duration
    ) throws(BrokerFailure) -> Method.Reply {
        let answer: VarlinkAnswer<Method.Reply>
        do throws(TransportFailure) {
            answer = try connection.call(method, until: .now + limit)
        } catch .notUnderstood {
            throw .unreachable("the broker's answer to \(Method.name) is malformed")
        } catch {
            throw .unreachable("the broker does not answer: \(error.reason)")
        }
        switch answer {
        case .reply(let reply, _): return reply
        case .fault(let fault): throw .refused(fault)
        }
    }
}
