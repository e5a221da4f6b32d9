import BrokerProtocol
import Logging
import NIOCore
import Platform
import Synchronization
import Varlink

/// Tells those who get no connection why. Each user is logged once in a while, for a log is not to be filled by who connects on and on.
final class Refusals: Sendable {
    private let logged = Mutex<Set<UInt32>>([])
    /// What was said last: it is said again and again where somebody connects on and on.
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
        // Whoever does not take it is told nothing.
        try? UnixSocket(adopting: socket).send(bytes, until: .now)
    }

    /// From now on everybody is logged again.
    func forget() { logged.withLock { $0 = [] } }
}
