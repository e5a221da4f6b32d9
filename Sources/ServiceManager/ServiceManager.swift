import CSystemd
import Platform

/// Tells the service manager the service's state (sd_notify(3)). Without a service manager it does nothing.
public enum ServiceNotification: String, Sendable {
    case ready = "READY=1"
    case stopping = "STOPPING=1"

    public func send() {
        // A manager that does not listen is no failure, and nothing needs to be done.
        _ = unsafe sd_notify(0, rawValue)
    }
}

/// Takes the sockets that the service manager has opened for this process (sd_listen_fds(3)).
public enum ActivationSockets {
    /// - Returns: descriptor numbers in the order of the socket units, or none if the process was started without activation. They belong to the
    ///   caller.
    public static func take() throws(SystemError) -> [Int32] {
        let count = sd_listen_fds(1)
        guard count >= 0 else { throw SystemError("take over the service manager's sockets", errno: -count) }
        return (0..<count).map { 3 + $0 }
    }
}
