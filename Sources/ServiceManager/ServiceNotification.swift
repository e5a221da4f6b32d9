import CSystemd

/// Tells the service manager how the service is (sd_notify(3)); does nothing when there is none.
public enum ServiceNotification: String, Sendable {
    case ready = "READY=1"
    case stopping = "STOPPING=1"

    public func send() {
        // There is nothing to do when the manager does not listen, and it is no failure.
        _ = unsafe sd_notify(0, rawValue)
    }
}
