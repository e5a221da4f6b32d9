import Glibc
import Synchronization

/// Tells a person at a terminal, once, that the command waits for the broker, which does not take calls: it may be starting, or cannot start.
enum BrokerWait {
    private static let isTold = Mutex(false)

    static func tell() {
        guard isatty(STDERR_FILENO) == 1 else { return }
        let isFirst = isTold.withLock { told in
            defer { told = true }
            return !told
        }
        if isFirst { Output.note(text) }
    }

    private static let text =
        "coffer: waiting for the broker, which takes no calls yet; to see why: systemctl status cofferd"
}
