import CLinux
import Glibc

/// A connected Unix stream socket with blocking calls and deadlines, for programs that do one thing at a time.
public struct UnixSocket: ~Copyable, Sendable {
    private let descriptor: Descriptor
    private var received = MessageFramer()
    /// Whether descriptors are taken that come with a message. Otherwise the kernel closes them.
    private let takesDescriptors: Bool
    private var passed: Descriptor?

    /// MSG_DONTWAIT | MSG_NOSIGNAL. On some systems Swift imports these constants with other types.
    fileprivate static let neverBlocking: Int32 = 0x40 | 0x4000
    /// POLLRDHUP (which is hidden without _GNU_SOURCE), POLLHUP, POLLERR.
    static let closed: Int16 = 0x2000 | 0x10 | 0x8

    /// How many bytes are received at once. Most messages are short, and memory that is touched for the first time takes time.
    private static let (firstRoom, fullRoom) = (4096, 65536)

    /// Adopts a connected socket.
    /// - Parameter takesDescriptors: whether descriptors are taken that come with a message (unix(7), SCM_RIGHTS).
    public init(adopting descriptor: consuming Descriptor, takesDescriptors: Bool = false) {
        self.descriptor = descriptor
        self.takesDescriptors = takesDescriptors
    }

    /// Makes two sockets that are connected with each other. No other process has one of them.
    /// - Parameter other: becomes the second one.
    public init(pairedWith other: inout Descriptor?) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        try checked("make a pair of sockets") {
            unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
        }
        self.init(adopting: Descriptor(adopting: ends[0]))
        other = Descriptor(adopting: ends[1])
    }

    /// Connects to the socket at `path` (at most 107 bytes).
    public init(connectingTo path: String, until deadline: ContinuousClock.Instant? = nil) throws(SystemError) {
        self.init(adopting: try Self.connect(to: path, until: deadline))
    }

    private static func connect(to path: String, until deadline: ContinuousClock.Instant?) throws(SystemError)
        -> Descriptor
    {
        let number = try checked("make a socket") {
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        }
        let descriptor = Descriptor(adopting: number)
        var address = try SocketAddress.unix(path)
        while true {
            // If the listener's queue is full, a waiting call keeps its place in the order. Repeated tries might never succeed.
            if let deadline { try limitWait(of: number, until: deadline, path) }
            let result = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if result == 0 { break }
            guard errno == EINTR || errno == EAGAIN else { throw SystemError("connect to \(path)", errno: errno) }
        }
        let flags = try checked("look at the socket") { fcntl(number, F_GETFL) }
        try checked("set up the socket") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
        return descriptor
    }

    /// Sets how long connecting may wait (socket(7), SO_SNDTIMEO).
    private static func limitWait(
        of number: Int32, until deadline: ContinuousClock.Instant, _ path: String
    ) throws(SystemError) {
        let left = deadline - .now
        guard left > .zero else { throw SystemError("connect to \(path)", errno: ETIMEDOUT) }
        let (seconds, attoseconds) = left.components
        // Zero would mean forever.
        var time = timeval(tv_sec: Int(clamping: seconds), tv_usec: max(1, Int(attoseconds / 1_000_000_000_000)))
        try checked("set up the socket") {
            unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// The descriptor's number, for `poll` and similar calls. The socket still owns it.
    public var number: Int32 { descriptor.number }

    /// The process at the other end.
    public func peer() throws(SystemError) -> PeerCredentials { try PeerCredentials(ofSocket: descriptor.number) }

    /// Sends all bytes.
    public func send(_ bytes: [UInt8], until deadline: ContinuousClock.Instant? = nil) throws(SystemError) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(descriptor.number, $0.baseAddress! + sent, $0.count - sent, Self.neverBlocking)
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                guard try descriptor.wait(for: Int16(POLLOUT), until: deadline) else {
                    throw SystemError("send", errno: ETIMEDOUT)
                }
            } else if errno != EINTR {
                throw SystemError("send", errno: errno)
            }
        }
    }

    /// Sends all bytes. A descriptor goes along with the first, and the peer gets a copy of it.
    public func send(
        _ bytes: [UInt8], passing number: Int32, until deadline: ContinuousClock.Instant? = nil
    ) throws(SystemError) {
        while true {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe coffer_send_descriptor(descriptor.number, $0.baseAddress, $0.count, Self.neverBlocking, number)
            }
            if count >= 0 { return try send(Array(bytes[count...]), until: deadline) }
            if errno == EAGAIN {
                guard try descriptor.wait(for: Int16(POLLOUT), until: deadline) else {
                    throw SystemError("send", errno: ETIMEDOUT)
                }
            } else if errno != EINTR {
                throw SystemError("send", errno: errno)
            }
        }
    }

    /// The last descriptor that came with a message, and was not taken yet.
    public mutating func takePassed() -> Descriptor? { passed.take() }

    /// The path to which the peer's socket is bound; nil if it has none.
    public func peerPath() throws(SystemError) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let number = descriptor.number
        try checked("ask for the path at the other end") {
            unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getpeername(number, $0, &size)
                }
            }
        }
        guard address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let count = Int(size) - MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
        let bytes = unsafe withUnsafeBytes(of: &address.sun_path) { unsafe Array($0.prefix(max(0, count))) }
        // An abstract name begins with a zero byte.
        let path = bytes.prefix { $0 != 0 }
        return path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
    }

    /// Receives one message that ends with a zero byte.
    /// - Parameter limit: the most bytes that a message may have.
    /// - Returns: the message without its zero byte; nil if the peer has closed the connection between two messages.
    public mutating func receiveMessage(limit: Int, until deadline: ContinuousClock.Instant? = nil) throws(SystemError)
        -> [UInt8]?
    {
        var room = Self.firstRoom
        while true {
            switch received.next(limit: limit) {
            case .message(let message): return message
            case .tooLong: throw SystemError("receive", reason: "the message is longer than \(limit) bytes")
            case .incomplete: break
            }
            guard try descriptor.waitToRead(until: deadline) else { throw SystemError("receive", errno: ETIMEDOUT) }
            var chunk = [UInt8](repeating: 0, count: room)
            let count = receive(into: &chunk)
            if count > 0 {
                received.append(chunk[..<count])
            } else if count == 0 {
                if received.count == 0 { return nil }
                throw SystemError("receive", reason: "the connection was closed in the middle of a message")
            } else if errno != EINTR && errno != EAGAIN {
                throw SystemError("receive", errno: errno)
            }
            unsafe chunk.withUnsafeMutableBytes { unsafe explicit_bzero($0.baseAddress!, $0.count) }
            if count == room { room = Self.fullRoom }
        }
    }

    private mutating func receive(into chunk: inout [UInt8]) -> Int {
        let number = descriptor.number
        guard takesDescriptors else {
            return unsafe chunk.withUnsafeMutableBytes {
                unsafe recv(number, $0.baseAddress, $0.count, Self.neverBlocking)
            }
        }
        var came: Int32 = -1
        let count = unsafe chunk.withUnsafeMutableBytes {
            unsafe coffer_receive_descriptor(number, $0.baseAddress, $0.count, Self.neverBlocking, &came)
        }
        let code = errno
        if came >= 0 { passed = Descriptor(adopting: came) }
        errno = code
        return count
    }

    /// Whether the peer has not read all of what was sent (unix(7), SIOCOUTQ).
    public var isUnread: Bool {
        var count: Int32 = 0
        return unsafe ioctl(descriptor.number, 0x5411, &count) == 0 && count > 0
    }

    /// Whether a whole message has already been received. `poll` does not show this.
    public var hasMessage: Bool { received.hasMessage }

    /// Whether the peer has sent something, or closed its end. This takes nothing from the stream.
    public var hasInput: Bool {
        guard received.count == 0 else { return true }
        // A socket that cannot be looked at is as good as closed.
        do throws(SystemError) { return try descriptor.hasInput() } catch { return true }
    }

    /// Whether the peer has closed its end. This takes nothing from the stream.
    public func peerHasClosed() -> Bool { descriptor.peerHasClosed() }

    /// Ends both directions. A reader in another thread wakes up.
    public func shutDown() { shutdown(descriptor.number, Int32(SHUT_RDWR)) }

    /// Takes nothing more from the peer, and drops what it has sent. If anything were left unread, closing would reset the connection, and the peer
    /// would lose what was said to it last.
    public func endReceiving() {
        shutdown(descriptor.number, Int32(SHUT_RD))
        var dropped = [UInt8](repeating: 0, count: 4096)
        while unsafe recv(descriptor.number, &dropped, dropped.count, Self.neverBlocking) > 0 {}
    }
}

/// Ends a connection while another thread waits for it. It has a descriptor of its own, so that the number cannot come
/// to name another file meanwhile.
public final class ConnectionEnd: Sendable {
    private let descriptor: Descriptor

    /// - Throws: ``SystemError`` if there is no room for another descriptor.
    public init(of socket: borrowing UnixSocket) throws(SystemError) {
        let number = socket.number
        descriptor = Descriptor(adopting: try checked("hold the connection") { fcntl(number, F_DUPFD_CLOEXEC, 0) })
    }

    /// Ends the connection in both directions. Every call that waits for it fails.
    public func close() { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }

    /// Whether the peer has sent something that nobody has read, or has closed its end.
    public var isReadable: Bool {
        let events = UnixSocket.closed | Int16(POLLIN)
        var entry = pollfd(fd: descriptor.number, events: events, revents: 0)
        return unsafe poll(&entry, 1, 0) > 0 && entry.revents & events != 0
    }
}

/// Sends on a connection that others read and close. It has a descriptor of its own, so that the number cannot come to
/// name another file meanwhile.
public final class SocketSender: Sendable {
    private let descriptor: Descriptor

    /// - Throws: ``SystemError`` if there is no room for another descriptor.
    public init(of socket: borrowing Descriptor) throws(SystemError) {
        let number = socket.number
        descriptor = Descriptor(adopting: try checked("hold the connection") { fcntl(number, F_DUPFD_CLOEXEC, 0) })
    }

    /// Sends as much as the kernel takes at once.
    /// - Returns: how many bytes it took, from the first on.
    public func send(_ bytes: some Collection<UInt8>) throws(SystemError) -> Int {
        while true {
            let count = bytes.withContiguousStorageIfAvailable {
                unsafe Glibc.send(descriptor.number, $0.baseAddress, $0.count, UnixSocket.neverBlocking)
            }
            guard let count else { return 0 }
            if count >= 0 { return count }
            if errno == EAGAIN { return 0 }
            guard errno == EINTR else { throw SystemError("send", errno: errno) }
        }
    }

    /// Ends the connection in both directions.
    public func shutDown() { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }
}
