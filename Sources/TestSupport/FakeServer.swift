import BrokerProtocol
import Foundation
import JSON
import Platform
import Synchronization
import Varlink

/// A server that speaks the real protocol and gives a test's answers. Every method has a queue of replies. The last one
/// is repeated.
public final class FakeServer: Sendable {
    public enum Step: Sendable {
        case reply([UInt8])
        /// Several replies to one call.
        case replies([[UInt8]])
        /// One reply in several parts. Before each is sent, the test gets its number and the connection's descriptor.
        case parts([[UInt8]], @Sendable (Int, Int32) -> Void)
        /// Leaves the caller waiting.
        case silence
        /// Ends the connection without an answer.
        case close
        /// Sends something unasked after the answer before it, then ends.
        case replyThenLate([UInt8], late: [UInt8]?)

        public static func answer(_ answer: some JSONWritable) -> Step { .reply(encode(VarlinkReply(answer))) }
        public static func fault(_ name: Fault.Name, _ details: Fault.Details = .init()) -> Step {
            .reply(encode(Fault(name, details)))
        }
        public static func fault(_ name: Fault.Name, _ message: String) -> Step {
            .fault(name, .init(message: message))
        }
    }

    public struct Call: Sendable {
        public var method: String
        public var message: [UInt8]

        public func parameters<Method: VarlinkMethod>(_ type: Method.Type) throws -> Method? {
            try IncomingCall(message, served: ServedMethods([type])).parameters() as? Method
        }
    }

    private let calls = Mutex<[Call]>([])
    private let accepted = Mutex(0)
    private let script: Mutex<[String: [Step]]>

    public init(path: String, _ script: [String: [Step]]) throws {
        self.script = Mutex(script)
        let listener = try UnixListener(path: path, mode: 0o666)
        let number = listener.release()
        // It ends with the test process. A test's folder removes the socket.
        Thread.detachNewThread { [self] in
            let listener = UnixListener(adopting: Descriptor(adopting: number))
            while let connection = try? listener.accept() {  // A closed listener is how this ends.
                accepted.withLock { $0 += 1 }
                let peer = connection.release()
                Thread.detachNewThread {
                    self.serve(UnixSocket(adopting: Descriptor(adopting: peer), takesDescriptors: true))
                }
            }
        }
    }

    /// How many connections were made so far.
    public var connections: Int { accepted.withLock { $0 } }

    /// The calls so far, by method.
    public func calls(_ method: String) -> [Call] { calls.withLock { $0.filter { $0.method.hasSuffix("." + method) } } }

    public static func encode(_ message: some JSONWritable) -> [UInt8] { Varlink.encode(message) }

    private func serve(_ connection: consuming UnixSocket) {
        var socket = connection
        let limit = ContinuousClock.now + patience
        // `try?`: an error ends the connection. The test sees that from its other end.
        while let message = try? socket.receiveMessage(limit: 4 << 20, until: limit),
            let call = try? IncomingCall(message, served: ServedMethods([]))
        {
            // An agent's conversation goes on over the connection that came with its call.
            let passed = socket.takePassed()
            if let passed = consume passed, Self.namesChannel(message) { socket = UnixSocket(adopting: passed) }
            calls.withLock { $0.append(Call(method: call.method, message: message)) }
            switch next(call.method) {
            case .reply(let bytes): send(bytes, socket)
            case .replies(let several): for bytes in several { send(bytes, socket) }
            case .parts(let parts, let prepare):
                for (index, part) in parts.enumerated() {
                    prepare(index, socket.number)
                    send(part, socket)
                }
            case .silence: continue
            case .close: return
            case .replyThenLate(let bytes, let late):
                send(bytes, socket)
                if let late { send(late, socket) }
                return
            }
        }
    }

    private static func namesChannel(_ message: [UInt8]) -> Bool {
        // `try?`: another call names none.
        let begin = try? Call(method: "", message: message).parameters(Authentication.Begin.self)
        return begin?.channel != nil
    }

    private func send(_ bytes: [UInt8], _ socket: borrowing UnixSocket) {
        // The client has gone, which is its own matter.
        try? socket.send(bytes)
    }

    private func next(_ method: String) -> Step {
        script.withLock { script in
            let name = String(method.split(separator: ".").last ?? "")
            guard let queue = script[name], let first = queue.first else {
                return .fault(.methodNotFound, .init(method: method))
            }
            if queue.count > 1 { script[name]?.removeFirst() }
            return first
        }
    }
}
