import CPAMModule

/// A connection to a socket. Nothing on it blocks beyond the deadline, and nothing raises a signal.
struct Connection: ~Copyable {
    private let descriptor: CInt
    private let deadline: Deadline

    /// - Returns: nil if nobody answers in time.
    init?(to path: UnsafePointer<CChar>, until deadline: Deadline) {
        let descriptor = coffer_socket()
        guard descriptor >= 0 else { return nil }
        guard unsafe Self.connect(descriptor, path, until: deadline) else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.deadline = deadline
    }

    deinit { close(descriptor) }

    /// The user at the other end, as the kernel names them.
    var peer: uid_t { coffer_peer(descriptor) }

    private static func connect(_ descriptor: CInt, _ path: UnsafePointer<CChar>, until deadline: Deadline) -> Bool {
        while true {
            if unsafe coffer_connect(descriptor, path) == 0 { return true }
            let reason = coffer_errno()
            // A full queue gives no event to wait for, so try again shortly.
            guard reason == EAGAIN || reason == EINTR, deadline.left > 0 else { return false }
            if reason == EAGAIN { poll(nil, 0, min(20, deadline.left)) }
        }
    }

    /// - Returns: true if the message was complete and all of it was sent.
    func send(_ message: Message) -> Bool {
        guard message.isWhole else { return false }
        var sent = 0
        while sent < message.count {
            let count = unsafe coffer_send(descriptor, message.buffer.baseAddress! + sent, message.count - sent)
            if count > 0 {
                sent += count
            } else {
                let reason = coffer_errno()
                guard reason == EINTR || reason == EAGAIN, wait(POLLOUT) else { return false }
            }
        }
        return true
    }

    /// - Returns: one message without its zero byte; nil if none comes in time, if it does not fit, or if unexpected bytes follow it.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer? {
        var filled = 0
        while filled < buffer.count, wait(POLLIN) {
            let count = unsafe coffer_receive(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
            if count > 0 {
                for index in filled..<filled + count where unsafe buffer[index] == 0 {
                    guard index == filled + count - 1 else { return nil }
                    return unsafe UnsafeRawBufferPointer(rebasing: buffer[..<index])
                }
                filled += count
            } else if count == 0 || (coffer_errno() != EINTR && coffer_errno() != EAGAIN) {
                return nil
            }
        }
        return nil
    }

    /// - Returns: true if the descriptor is ready or has an error; false if the time is over.
    private func wait(_ event: CInt) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while deadline.left > 0 {
            let ready = unsafe poll(&entry, 1, deadline.left)
            if ready > 0 { return true }
            if ready < 0 && coffer_errno() != EINTR { return false }
        }
        return false
    }
}
