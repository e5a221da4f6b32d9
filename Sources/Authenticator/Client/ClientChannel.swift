import BrokerProtocol
import Cryptography
import Platform

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
        do {
            return try decode(bytes)
        } catch let ending as ConversationError {
            throw ending
        } catch let error as DecodingError {
            throw .refused(.init(fault: Fault(parameters: error), reason: "other"))
        } catch {
            throw .refused(.invalidArgument("This is not a Varlink call."))
        }
    }

    private func decode(_ bytes: [UInt8]) throws -> Call {
        let message: VarlinkMessage
        let header: VarlinkCallHeader
        do {
            message = try VarlinkMessage(bytes)
            header = try message.decode(VarlinkCallHeader.self)
        } catch let malformed as MalformedMessage {
            throw ConversationError.refused(.invalidArgument("This is not a Varlink call: \(malformed.reason)."))
        } catch {
            throw ConversationError.refused(.invalidArgument("This is not a Varlink call."))
        }
        let method = header.method
        if header.oneway == true {
            // A conversation is answers: who wants none is not in one, and is told nothing.
            guard !method.hasPrefix(BrokerProtocol.Authentication.interface + ".") else { throw ConversationError.gone }
            return .introspection
        }
        switch method {
        case BrokerProtocol.Authentication.Begin.name:
            return .begin(challenge: try parameters(BrokerProtocol.Authentication.Begin.self, message).challenge)
        case BrokerProtocol.Authentication.Authorize.name:
            return .authorize(seconds: try parameters(BrokerProtocol.Authentication.Authorize.self, message).seconds)
        case BrokerProtocol.Authentication.Forget.name:
            return .forget
        case BrokerProtocol.Authentication.RenewSigningKey.name:
            return .renewSigningKey
        case BrokerProtocol.Authentication.Continue.name:
            return .continue(answer: try parameters(BrokerProtocol.Authentication.Continue.self, message).answer)
        case BrokerProtocol.Authentication.Cancel.name:
            return .cancel
        case BrokerProtocol.Authentication.Biometry.name:
            return .biometry
        case VarlinkService.GetInfo.name:
            reply(
                VarlinkService.GetInfo.Reply(
                    vendor: "Coffer", product: "coffer-authenticator", version: ProductVersion.current, url: "",
                    interfaces: [VarlinkService.interface, BrokerProtocol.Authentication.interface]))
            return .introspection
        case VarlinkService.GetInterfaceDescription.name:
            let name = try parameters(VarlinkService.GetInterfaceDescription.self, message).interface
            if let text = InterfaceText.named(name) {
                reply(VarlinkService.GetInterfaceDescription.Reply(description: text))
            } else {
                fail(Fault(.interfaceNotFound, Fault.Details(interface: PromptText.escaped(name, limit: 100))))
            }
            return .introspection
        default:
            fail(Fault(unknownMethod: method) { InterfaceText.named($0) != nil })
            return .introspection
        }
    }

    private func parameters<Method: VarlinkMethod>(_ type: Method.Type, _ message: VarlinkMessage) throws -> Method {
        if let parameters = try message.decode(VarlinkParameters<Method>.self).parameters {
            return parameters
        }
        return try Varlink.decode(Method.self, from: Array("{}".utf8))
    }

    func reply(_ parameters: some Codable & Sendable) { send(VarlinkReply(parameters)) }

    func fail(_ fault: Fault) { send(fault) }

    private func send(_ message: some Encodable) {
        // Nothing of these types can fail to be encoded; a client that does not take its answer is noticed at the next wait.
        guard let bytes = try? Varlink.encode(message) else { return }
        try? socket.send(bytes, until: .now + .seconds(2))
    }
}
