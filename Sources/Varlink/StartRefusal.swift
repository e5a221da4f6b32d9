import Glibc
import Platform

/// What a server does that cannot start: it tells everybody who calls why, for a while, and then ends. The service manager
/// listens for it and starts it again, so without this, callers would wait in silence, and a lasting cause would fill the
/// log every second. No call is read.
public struct StartRefusal: Sendable {
    /// How long a server says why, before the service manager tries again.
    public static let pause = Duration.seconds(30)

    private let message: [UInt8]

    /// - Parameters:
    ///   - what: the beginning of the message: "the broker cannot start".
    ///   - unit: its unit's name, for the advice.
    ///   - fault: the error's name in the interface that the server serves.
    public init(_ error: any Error, saying what: String, unit: String, as fault: Fault.Name) throws {
        let reason = "\(error)"
        message = Varlink.encode(
            Fault(
                fault, "\(what): \(reason.hasSuffix(".") ? reason.dropLast() : reason[...])",
                advice: "see: systemctl status \(unit)"))
    }

    /// - Parameter listener: the clients' socket, as the service manager has passed it.
    public func serve(_ listener: consuming UnixListener, for pause: Duration = Self.pause) throws(SystemError) {
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
