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
