import BrokerProtocol
import Glibc
import NIOCore
import Platform
import Varlink

/// What a broker does that cannot start: it tells everybody who calls why, for a while, and then ends. The service manager listens for it and starts
/// it again, so without this, callers would wait in silence, and a lasting cause would fill the log every second. No call is read.
public struct StartRefusal: Sendable {
    private let message: [UInt8]

    public init(_ error: any Error) {
        let fault = Fault(.failed, "the broker cannot start: \(error)", advice: "see: systemctl status cofferd")
        message = [UInt8](buffer: AnswerEncoder(allocator: ByteBufferAllocator()).encode(fault))
    }

    /// - Parameter listener: the clients' socket, as the service manager has passed it.
    public func serve(_ listener: consuming UnixListener, for pause: Duration = StartLimits.pause) throws(SystemError) {
        try listener.stopBlocking()
        let end = ContinuousClock.now + pause
        while try Readiness.wait(for: [(listener.number, .input)], until: end)[0] {
            do throws(SystemError) {
                let socket = UnixSocket(adopting: try listener.accept())
                // `try?`: a client that does not read the message goes without it.
                try? socket.send(message, until: .now)
                socket.endReceiving()
            } catch {
                // A client that has gone already.
                guard error.errno == EAGAIN || error.errno == ECONNABORTED else { throw error }
            }
        }
    }
}
