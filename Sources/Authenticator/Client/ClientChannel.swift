import BrokerProtocol
import Cryptography
import JSON
import Platform
import Varlink

/// The connection to the client: receives whole calls, sends answers. A client that got its connection from another process moves to one that this
/// process has no copy of.
struct ClientChannel: ~Copyable {
    enum Call {
        /// - code: of a machine that is added, as the person typed it.
        /// - purposes: what the challenge may be for; nil if the person is shown that.
        case begin(challenge: String, code: String?, attested: Bool, purposes: [String]?)
        case authorize(seconds: Int64)
        case forget
        case renewSigningKey
        case setAside(BrokerProtocol.Authentication.SetAside)
        case `continue`(answer: String?)
        case cancel
        case biometry
        case challenge(BrokerProtocol.Authentication.Challenge)
        /// Of no method of a conversation; nil if it wants no answer.
        case introspection(Question?)
    }

    /// A call about the interfaces, or of a method that is not served.
    struct Question {
        let method: String
        /// nil for a method that is not served.
        let parameters: (any VarlinkMethod)?
    }

    private var socket: UnixSocket

    init(adopting descriptor: consuming Descriptor) {
        socket = UnixSocket(adopting: descriptor, takesDescriptors: true)
    }

    var number: Int32 { socket.number }
    /// Whether a call can be taken without waiting.
    var hasCall: Bool { socket.hasMessage }

    /// Takes the next call.
    /// - Parameter deadline: by when all of it must have come.
    /// - Throws: ``ConversationError``: `gone` if the client has closed the connection.
    mutating func receive(until deadline: ContinuousClock.Instant) throws(ConversationError) -> Call {
        let bytes: [UInt8]
        do throws(SystemError) {
            guard
                let message = try socket.receiveMessage(limit: ClientLimits.call, until: deadline)
            else { throw SystemError("receive", reason: "the client closed the connection") }
            bytes = message
        } catch {
            // The call was too long or too slow, or the client is gone. Nothing useful can follow on this connection.
            throw socket.peerHasClosed() ? .gone : .refused(.invalidArgument("the call cannot be taken: \(error)"))
        }
        // A descriptor that came with another call is closed here.
        let passed = socket.takePassed()
        let parameters: (any VarlinkMethod)?
        let call = try Self.call(bytes)
        do throws(Fault) { parameters = call.oneway ? nil : try call.parameters() } catch {
            throw .refused(.init(fault: error, reason: "other"))
        }
        if let begin = parameters as? BrokerProtocol.Authentication.Begin, let number = begin.channel {
            try move(to: passed, number)
        }
        return try decode(call, parameters)
    }

    /// Goes on over a connection that only the client has.
    private mutating func move(to passed: consuming Descriptor?, _ number: Int64) throws(ConversationError) {
        guard number == 0, let passed = consume passed else {
            throw .refused(.invalidArgument("no connection came with the call"))
        }
        let channel = UnixSocket(adopting: passed)
        do throws(SystemError) {
            // It also has to be a Unix socket for this. A user can tell their own secrets to themselves only.
            guard try channel.peer().uid == socket.peer().uid else {
                throw SystemError("look at the connection", reason: "it is another user's")
            }
        } catch { throw .refused(.invalidArgument("the connection cannot be used: \(error.reason)")) }
        socket = channel
    }

    private static let interfaces = ServedInterfaces(
        product: "coffer-authenticator", version: ProductVersion.current,
        interfaces: [
            .init(name: BrokerProtocol.Authentication.interface, description: BrokerProtocol.Authentication.description)
        ],
        methods: [
            BrokerProtocol.Authentication.Begin.self, BrokerProtocol.Authentication.Authorize.self,
            BrokerProtocol.Authentication.Forget.self, BrokerProtocol.Authentication.RenewSigningKey.self,
            BrokerProtocol.Authentication.SetAside.self,
            BrokerProtocol.Authentication.Continue.self, BrokerProtocol.Authentication.Cancel.self,
            BrokerProtocol.Authentication.Biometry.self, BrokerProtocol.Authentication.Challenge.self,
        ])

    private func decode(_ call: IncomingCall, _ parameters: (any VarlinkMethod)?) throws(ConversationError) -> Call {
        if call.oneway {
            // A conversation needs answers. A client that wants none gets an end without an error.
            guard !call.method.hasPrefix(BrokerProtocol.Authentication.interface + ".") else { throw .gone }
            return .introspection(nil)
        }
        switch parameters {
        case let begin as BrokerProtocol.Authentication.Begin:
            return .begin(
                challenge: begin.challenge, code: begin.code, attested: begin.attested ?? false,
                purposes: begin.purposes)
        case let authorize as BrokerProtocol.Authentication.Authorize: return .authorize(seconds: authorize.seconds)
        case is BrokerProtocol.Authentication.Forget: return .forget
        case is BrokerProtocol.Authentication.RenewSigningKey: return .renewSigningKey
        case let call as BrokerProtocol.Authentication.SetAside: return .setAside(call)
        case let next as BrokerProtocol.Authentication.Continue: return .continue(answer: next.answer)
        case is BrokerProtocol.Authentication.Cancel: return .cancel
        case is BrokerProtocol.Authentication.Biometry: return .biometry
        case let call as BrokerProtocol.Authentication.Challenge: return .challenge(call)
        default: return .introspection(Question(method: call.method, parameters: parameters))
        }
    }

    private static func call(_ bytes: [UInt8]) throws(ConversationError) -> IncomingCall {
        // It may hold a password. Nobody else has it.
        defer { Wipe.storage(of: bytes) }
        do throws(JSONFailure) { return try IncomingCall(bytes, served: interfaces.methods) } catch {
            let reason = error.malformation.map { ": \($0)" } ?? ""
            throw .refused(.invalidArgument("this is not a Varlink call\(reason)"))
        }
    }

    /// Answers a call about the interfaces, and refuses a method that is not served.
    func answer(_ question: Question?) {
        guard let question else { return }
        do throws(Fault) {
            guard let answer = try Self.interfaces.answer(question.parameters, to: question.method) else { return }
            reply(answer)
        } catch { fail(error) }
    }

    func reply(_ parameters: some JSONWritable) { send(VarlinkReply(parameters)) }

    func fail(_ fault: Fault) { send(fault) }

    private func send(_ message: some JSONWritable) {
        // `try?`: the next wait notices a client that does not take its answer.
        try? socket.send(Varlink.encode(message), until: .now + ClientLimits.answer)
    }
}
