import BrokerProtocol
import Logging
import NIOCore
import Platform
import Synchronization
import Varlink

/// Tells refused clients why they get no connection. Each user is logged once in a while, so that endless connecting
/// does not fill the log.
final class Refusals: Sendable {
    private let logged = Mutex<Set<UInt32>>([])
    /// The last message. A client that connects endlessly gets the same one each time.
    private let last = Mutex<(fault: Fault, bytes: [UInt8])?>(nil)

    func refuse(_ socket: consuming Descriptor, _ uid: UInt32, _ pid: Int32, _ fault: Fault, _ logger: Logger) {
        if logged.withLock({ $0.insert(uid).inserted }) {
            logger.info(
                "connection refused",
                metadata: ["uid": "\(uid)", "pid": "\(pid)", "outcome": "\(fault.name.rawValue)"])
        }
        let bytes = last.withLock { last in
            if let last, last.fault == fault { return last.bytes }
            let bytes = [UInt8](buffer: AnswerEncoder(allocator: ByteBufferAllocator()).encode(fault))
            last = (fault, bytes)
            return bytes
        }
        // `try?`: a client that does not read the message goes without it.
        try? UnixSocket(adopting: socket).send(bytes, until: .now)
    }

    /// From now on, each user's next refusal is logged again.
    func forget() { logged.withLock { $0 = [] } }
}

/// The only facts that are logged about a call: the caller, the method and the outcome. Names, values, attributes and
/// challenges are never logged. A method is logged only if Coffer serves it, because callers choose that text.
enum LogFields {
    static func of(_ caller: Caller, method: String? = nil, outcome: Fault.Name? = nil) -> Logger.Metadata {
        var fields: Logger.Metadata = ["uid": "\(caller.uid)", "pid": "\(caller.process.pid)"]
        let isServed = outcome != .methodNotFound && outcome != .interfaceNotFound
        if let method { fields["method"] = isServed ? "\(method)" : "unknown" }
        if let outcome { fields["outcome"] = "\(outcome.rawValue)" }
        return fields
    }
}
