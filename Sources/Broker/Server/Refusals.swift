import BrokerProtocol
import Logging
import NIOCore
import Platform
import Synchronization

/// Tells those who get no connection why. Each user is logged once in a while, for a log is not to be filled by who connects on and on.
final class Refusals: Sendable {
    private let logged = Mutex<Set<UInt32>>([])
    /// What was said last: it is said again and again where somebody connects on and on.
    private let last = Mutex<(fault: Fault, bytes: ByteBuffer)?>(nil)

    func refuse(_ channel: any Channel, _ peer: PeerQuestion.Peer, _ fault: Fault, _ logger: Logger) {
        if logged.withLock({ $0.insert(peer.uid).inserted }) {
            logger.info(
                "connection refused",
                metadata: ["uid": "\(peer.uid)", "pid": "\(peer.process.pid)", "outcome": "\(fault.name.rawValue)"])
        }
        let bytes = last.withLock { last in
            if let last, last.fault == fault { return last.bytes }
            let bytes = AnswerEncoder(allocator: channel.allocator).encode(fault)
            last = (fault, bytes)
            return bytes
        }
        channel.eventLoop.execute {
            channel.writeAndFlush(bytes).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    /// From now on everybody is logged again.
    func forget() { logged.withLock { $0 = [] } }
}
