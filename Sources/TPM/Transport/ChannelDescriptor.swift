import CTSS2
import Glibc

/// The system calls under a channel. Their pointers never leave this type.
enum ChannelDescriptor {
    /// Opens the device non-blocking. The kernel then runs the command by itself, and `poll` tells when its answer is
    /// there.
    static func openDevice(_ path: String) throws(TPMError) -> CInt {
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreachable(path, errno) }
        return descriptor
    }

    /// Connects to a stream socket. If its queue is full, waits at most `limit`.
    static func connect(_ path: String, limit: Duration) throws(TPMError) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = [UInt8](path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < capacity, !bytes.contains(0) else {
            throw TPMError(
                .unavailable, "the socket path \(path) is longer than \(capacity - 1) bytes",
                advice: "choose a shorter one")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }

        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw unreachable(path, errno) }
        // A Unix socket cannot be polled while its listener's queue is full. The send timeout limits that wait.
        let (seconds, attoseconds) = limit.components
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                retrying { unsafe Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) }
            }
        }
        guard result == 0 else {
            let number = errno
            _ = close(descriptor)
            if number == EAGAIN { throw TPMError(.deadline, "the TPM at \(path) took no connection within \(limit)") }
            throw unreachable(path, number)
        }
        guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0 else {
            let number = errno
            _ = close(descriptor)
            throw unreachable(path, number)
        }
        return descriptor
    }

    static func write(_ descriptor: CInt, _ bytes: ArraySlice<UInt8>) -> Int {
        unsafe bytes.withUnsafeBytes { buffer in
            // A peer that has gone must cause an error and not SIGPIPE. `send` does not work on a device.
            let count = unsafe send(descriptor, buffer.baseAddress, buffer.count, CInt(MSG_NOSIGNAL))
            if count < 0, errno == ENOTSOCK { return unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count) }
            return count
        }
    }

    /// Appends the available bytes, at most `limit`. Returns the result of `read`.
    static func read(_ descriptor: CInt, into bytes: inout [UInt8], limit: Int) -> Int {
        var result = 0
        bytes += unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            result = unsafe Glibc.read(descriptor, buffer.baseAddress, limit)
            count = max(0, result)
        }
        return result
    }

    static func poll(_ descriptor: CInt, _ events: Int32, milliseconds: Int32) -> CInt {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return unsafe Glibc.poll(&entry, 1, milliseconds)
    }

    static func text(_ number: CInt) -> String { unsafe String(cString: strerror(number)) }

    private static func retrying(_ call: () -> CInt) -> CInt {
        while true {
            let result = call()
            if result == 0 || errno != EINTR { return result }
        }
    }

    private static func unreachable(_ path: String, _ number: CInt) -> TPMError {
        let advice =
            switch number {
            case ENOENT, ENODEV, ENXIO:
                "switch the TPM on in the firmware settings, or correct “tcti” in cofferd.conf"
            case EACCES, EPERM: "add the service's user to the group that owns it (tss)"
            case EBUSY: "end the other program that uses it"
            default: "check that it runs"
            }
        return TPMError(.unavailable, "the TPM at \(path) cannot be used (\(text(number)))", advice: advice)
    }
}
