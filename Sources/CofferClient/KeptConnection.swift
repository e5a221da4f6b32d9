import Synchronization
import Varlink

/// A connection between two calls of a command. The broker looks its caller up once for each connection.
final class KeptConnection: Sendable {
    private let connection = Mutex<VarlinkConnection?>(nil)

    /// - Returns: nil if there is none, another call has it, or the broker has closed it.
    func take() -> VarlinkConnection? {
        let taken = connection.withLock { $0.take() }
        guard let taken, !taken.isEnded else { return nil }
        return taken
    }

    func keep(_ free: consuming VarlinkConnection) {
        var free: VarlinkConnection? = free
        connection.withLock { $0 = free.take() }
    }
}

extension Fault {
    /// Whether the broker may end the connection after this error, for example because the call was too long.
    var mayEndConnection: Bool {
        switch name {
        case .limitExceeded, .invalidArgument, .failed: true
        default: false
        }
    }
}

extension VarlinkAnswer {
    /// Whether the broker may end the connection after this answer.
    var mayEndConnection: Bool {
        guard case .fault(let fault) = self else { return false }
        return fault.mayEndConnection
    }
}
