import BrokerProtocol
import Cryptography
import Platform
import Varlink

/// The client's end of the wire: whole calls in, answers out.
struct ClientChannel: ~Copyable {
    /// The longest call that is taken, in bytes: the longest answer, each byte of it escaped, and room for the rest.
    static let longestCall = 8 << 10
    /// What a client has to send a call that it began.
    static let callLimit = Duration.seconds(5)

    enum Call {
        case begin(challenge: String)
        case authorize(seconds: Int64)
        case forget
        case renewSigningKey
        case `continue`(answer: String?)
        case cancel
        case biometry
        /// Answered already.
        case introspection
    }

    private var socket: UnixSocket

    init(adopting descriptor: consuming Descriptor) {
        socket = UnixSocket(adopting: descriptor)
    }

    var number: Int32 { socket.number }
    /// Whether a call can be taken without waiting.
    var hasCall: Bool { socket.hasMessage }

    /// Takes the next call.
    /// - Throws: ``ConversationError``: `gone` where the client is not there any more.
    mutating func receive() throws(ConversationError) -> Call {
        let bytes: [UInt8]
        do throws(SystemError) {
            guard
                let message = try socket.receiveMessage(limit: Self.longestCall, until: .now + Self.callLimit)
            else { throw SystemError("receive", reason: "the client closed the connection") }
            bytes = message
        } catch {
            // Too long, too slow or gone: nothing sensible can follow on this connection.
            throw socket.peerHasClosed() ? .gone : .refused(.invalidArgument("The call cannot be taken: \(error)."))
        }
        return try decode(bytes)
    }

    private static let interfaces = ServedInterfaces(
        product: "coffer-authenticator", version: ProductVersion.current,
        interfaces: [
            .init(name: BrokerProtocol.Authentication.interface, description: BrokerProtocol.Authentication.description)
        ],
        methods: [
            BrokerProtocol.Authentication.Begin.self, BrokerProtocol.Authentication.Authorize.self,
            BrokerProtocol.Authentication.Forget.self, BrokerProtocol.Authentication.RenewSigningKey.self,
            BrokerProtocol.Authentication.Continue.self, BrokerProtocol.Authentication.Cancel.self,
            BrokerProtocol.Authentication.Biometry.self,
        ])

    private func decode(_ bytes: [UInt8]) throws(ConversationError) -> Call {
        let call = try Self.call(bytes)
        if call.oneway {
            // A conversation is answers: who wants none is not in one, and is told nothing.
            guard !call.method.hasPrefix(BrokerProtocol.Authentication.interface + ".") else { throw .gone }
            return .introspection
        }
        let parameters: (any VarlinkMethod)?
        do throws(Fault) { parameters = try call.parameters() } catch {
            throw .refused(.init(fault: error, reason: "other"))
        }
        switch parameters {
        case let begin as BrokerProtocol.Authentication.Begin: return .begin(challenge: begin.challenge)
        case let authorize as BrokerProtocol.Authentication.Authorize: return .authorize(seconds: authorize.seconds)
        case is BrokerProtocol.Authentication.Forget: return .forget
        case is BrokerProtocol.Authentication.RenewSigningKey: return .renewSigningKey
        case let next as BrokerProtocol.Authentication.Continue: return .continue(answer: next.answer)
        case is BrokerProtocol.Authentication.Cancel: return .cancel
        case is BrokerProtocol.Authentication.Biometry: return .biometry
        default:
            introspect(parameters, call.method)
            return .introspection
        }
    }

    private static func call(_ bytes: [UInt8]) throws(ConversationError) -> IncomingCall {
        do {
            return try IncomingCall(VarlinkMessage(bytes), served: interfaces.methods)
        } catch let malformed as MalformedMessage {
            throw .refused(.invalidArgument("This is not a Varlink call: \(malformed.reason)."))
        } catch {
            throw .refused(.invalidArgument("This is not a Varlink call."))
        }
    }

    /// Answers what a socket says of itself, and refuses what it does not serve.
    private func introspect(_ parameters: (any VarlinkMethod)?, _ method: String) {
        do throws(Fault) {
            guard let answer = try Self.interfaces.answer(parameters, to: method) else { return }
            reply(answer)
        } catch { fail(error) }
    }

    func reply(_ parameters: some Codable & Sendable) { send(VarlinkReply(parameters)) }

    func fail(_ fault: Fault) { send(fault) }

    private func send(_ message: some Encodable) {
        // Nothing of these types can fail to be encoded; a client that does not take its answer is noticed at the next wait.
        guard let bytes = try? Varlink.encode(message) else { return }
        try? socket.send(bytes, until: .now + .seconds(2))
    }
}
