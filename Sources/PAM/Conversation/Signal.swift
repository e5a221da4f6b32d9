internal import Glibc

/// A wake-up call between two threads that `poll` can wait for. It is a pair of sockets that holds a byte while a call is pending.
final class Signal: Sendable {
    let descriptor: CInt
    private let sender: CInt

    init?() {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        descriptor = ends[0]
        sender = ends[1]
    }

    deinit {
        close(descriptor)
        close(sender)
    }

    func raise() {
        var byte: UInt8 = 1
        // This fails only if the socket is full of calls, and then the other side wakes up anyway.
        _ = unsafe write(sender, &byte, 1)
    }

    func clear() {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        while unsafe read(descriptor, &bytes, 8) > 0 {}
    }

    /// Waits for a call and takes it. Returns false if the deadline came first.
    func wait(until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return false }
            let milliseconds = min(left / .milliseconds(1), 60_000).rounded(.up)
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&entry, 1, CInt(milliseconds))
            if ready > 0 {
                clear()
                return true
            }
            guard ready == 0 || errno == EINTR else { return false }
        }
    }
}
