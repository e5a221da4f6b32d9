import CSystemd

/// Tells the service manager the service's state (sd_notify(3)). Without a service manager it does nothing.
public enum ServiceNotification: String, Sendable {
    case ready = "READY=1"
    case stopping = "STOPPING=1"

    public func send() {
        // A manager that does not listen is no failure, and nothing needs to be done.
        _ = unsafe sd_notify(0, rawValue)
    }
}
