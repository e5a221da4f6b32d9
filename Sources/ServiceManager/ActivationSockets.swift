import CSystemd
import Platform

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
