import BrokerProtocol
import Logging
import NIOCore
import Platform
import Synchronization
import Varlink

/// Tells refused clients why they get no connection. A few users are logged, each once in a while, so that endless
/// connecting does not fill the log. One user may have thousands of numbers without an account.
final class Refusals: Sendable {
    private struct Lines {
        var users: Set<UInt32> = []
        /// How many refusals have no line.
        var counted = 0
    }

    private let lines = Mutex(Lines())
    /// The last message. A client that connects endlessly gets the same one each time.
    private let last = Mutex<(fault: Fault, bytes: [UInt8])?>(nil)

    func refuse(_ socket: consuming Descriptor, _ uid: UInt32, _ pid: Int32, _ fault: Fault, _ logger: Logger) {
        note(uid, pid, fault.name, logger)
        let bytes = last.withLock { last in
            if let last, last.fault == fault { return last.bytes }
            let bytes = [UInt8](buffer: AnswerEncoder(allocator: ByteBufferAllocator()).encode(fault))
            last = (fault, bytes)
            return bytes
        }
        // `try?`: a client that does not read the message goes without it.
        try? UnixSocket(adopting: socket).send(bytes, until: .now)
    }

    /// Logs that a user's connection was refused, or ended by an error.
    func note(_ uid: UInt32, _ pid: Int32, _ outcome: Fault.Name, _ logger: Logger) {
        guard takeLine(of: uid) else { return }
        logger.info(
            "connection refused", metadata: ["uid": "\(uid)", "pid": "\(pid)", "outcome": "\(outcome.rawValue)"])
    }

    /// Logs that a process got no connection because the kernel cannot name it.
    /// - Parameter uid: nil if the kernel does not name the user either.
    func noteNameless(_ uid: UInt32?, _ logger: Logger) {
        guard takeLine(of: uid ?? PeerCredentials.unknownUser) else { return }
        let fields: Logger.Metadata? = uid.map { ["uid": "\($0)"] }
        logger.info("connection without a nameable process refused", metadata: fields)
    }

    private func takeLine(of uid: UInt32) -> Bool {
        lines.withLock { lines in
            if !lines.users.contains(uid), lines.users.count < LogLimits.refusedUsers {
                lines.users.insert(uid)
                return true
            }
            lines.counted += 1
            return false
        }
    }

    /// From now on, each user's next refusal is logged again. A line says how many were not.
    func forget(_ logger: Logger) {
        let counted = lines.withLock { lines in
            defer { lines = Lines() }
            return lines.counted
        }
        guard counted > 0 else { return }
        logger.info("refusals: more were not logged one by one", metadata: ["count": "\(counted)"])
    }
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
