import Glibc

/// Waits for the first of several descriptors.
public enum Readiness {
    /// The event to wait for.
    public enum Interest: Sendable {
        /// Something to read, or the end.
        case input
        /// The other end has closed, even if there is still something to read.
        case hangUp
    }

    /// POLLRDHUP, which is hidden without _GNU_SOURCE.
    private static let hangUp: Int32 = 0x2000

    /// - Returns: for each entry, whether it is ready; all false if the deadline came first.
    public static func wait(
        for entries: [(descriptor: Int32, interest: Interest)], until deadline: ContinuousClock.Instant?
    ) throws(SystemError) -> [Bool] {
        var polled = entries.map { entry in
            pollfd(
                fd: entry.descriptor, events: Int16(entry.interest == .input ? POLLIN | hangUp : hangUp), revents: 0)
        }
        while true {
            var milliseconds: Int32 = -1
            if let deadline {
                let left = deadline - .now
                if left <= .zero { return entries.map { _ in false } }
                milliseconds = Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
            }
            let ready = unsafe poll(&polled, nfds_t(polled.count), milliseconds)
            if ready > 0 { return polled.map { $0.revents != 0 } }
            if ready < 0, errno != EINTR { throw SystemError("wait for a descriptor", errno: errno) }
        }
    }
}
