import BrokerProtocol
import Foundation
import JSON
import Platform
import TestSupport
import Varlink

/// A client of the authenticator, as a program would be.
struct TestClient: ~Copyable {
    typealias Step = BrokerProtocol.Authentication.Step
    private var socket: UnixSocket

    init(_ path: String) throws {
        socket = try UnixSocket(connectingTo: path, until: .now + patience)
    }

    init(adopting socket: consuming UnixSocket) { self.socket = socket }

    /// - Parameter challenge: each is used once, as a broker's challenges are.
    mutating func begin(
        _ challenge: String = UUID().uuidString, code: String? = nil, attested: Bool? = nil,
        purposes: [String]? = nil
    ) throws -> Result<Step, Fault> {
        try call(
            BrokerProtocol.Authentication.Begin(
                challenge: challenge, code: code, attested: attested, purposes: purposes))
    }

    mutating func go(_ answer: String? = nil) throws -> Result<Step, Fault> {
        try call(BrokerProtocol.Authentication.Continue(answer: answer))
    }

    mutating func cancel() throws -> Result<Nothing, Fault> {
        try call(BrokerProtocol.Authentication.Cancel())
    }

    mutating func call<Method: VarlinkMethod>(_ method: Method) throws -> Result<Method.Reply, Fault> {
        try socket.send(Varlink.encode(VarlinkCall(method)))
        return try receive(Method.Reply.self)
    }

    func send(_ bytes: [UInt8]) throws { try socket.send(bytes, until: .now + patience) }

    /// The authenticator's next message, unasked or not.
    mutating func receive<Reply: JSONValue>(_ type: Reply.Type) throws -> Result<Reply, Fault> {
        guard let bytes = try socket.receiveMessage(limit: 1 << 20, until: .now + patience) else {
            throw SystemError("receive", reason: "the authenticator closed the connection")
        }
        switch try Varlink.decode(VarlinkAnswer<Reply>.self, from: bytes) {
        case .reply(let reply, _): return .success(reply)
        case .fault(let fault): return .failure(fault)
        }
    }

    /// Whether the authenticator closes the connection.
    mutating func seesEnd() throws -> Bool {
        try socket.receiveMessage(limit: 1 << 20, until: .now + patience) == nil
    }

    /// Passes the notice, answers the password prompt, and takes the next message.
    mutating func authenticate(_ password: String, code: String? = nil) throws -> Result<Step, Fault> {
        var step = try begin(code: code)
        while case .success(let now) = step, let message = now.message, !now.done {
            step = try go(message.style == .secret ? password : nil)
        }
        return step
    }
}

extension Result where Failure == Fault {
    var fault: Fault? { if case .failure(let fault) = self { fault } else { nil } }
    var name: Fault.Name? { fault?.name }
}

extension Result where Success == BrokerProtocol.Authentication.Step, Failure == Fault {
    // A fault has no message and no end.
    var message: BrokerProtocol.Authentication.Message? { try? get().message }
    var isDone: Bool { (try? get().done) ?? false }
}
