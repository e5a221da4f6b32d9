import CLinux
import Glibc

/// A listening Unix socket, made here or passed on by systemd.
public struct UnixListener: ~Copyable, Sendable {
    private let descriptor: Descriptor

    public init(adopting descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Binds and listens. A socket file that nobody answers on is replaced. One that somebody answers on is an error.
    /// - Parameter mode: the permission bits of the socket file.
    public init(path: String, mode: mode_t, backlog: Int32 = 128) throws(SystemError) {
        self.init(adopting: try Self.open(path, mode: mode, backlog: backlog))
    }

    private static func open(_ path: String, mode: mode_t, backlog: Int32) throws(SystemError) -> Descriptor {
        if (try? UnixSocket(connectingTo: path)) != nil {  // Failing to connect is the good case.
            throw SystemError("listen on \(path)", errno: EADDRINUSE)
        }
        var information = stat()
        if unsafe lstat(path, &information) == 0 {
            guard information.st_mode & S_IFMT == S_IFSOCK else {
                throw SystemError(
                    "listen on \(path)", reason: "something that is not a socket is there",
                    advice: "find out what it is, and move it away")
            }
            try checked("remove the dead socket \(path)") { unsafe unlink(path) }
        }
        let number = try checked("make a socket") {
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        }
        let descriptor = Descriptor(adopting: number)
        var address = try SocketAddress.unix(path)
        // The kernel makes the file with the socket's mode. Changing the process's umask instead would affect files that other threads and their
        // children make at that moment.
        try checked("set the mode of \(path)") { fchmod(number, mode) }
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw SystemError("listen on \(path)", errno: errno) }
        // The umask may have removed permission bits.
        try checked("set the mode of \(path)") { unsafe chmod(path, mode) }
        try checked("listen on \(path)") { listen(number, backlog) }
        return descriptor
    }

    public var number: Int32 { descriptor.number }

    /// Takes the next connection, and waits for one if needed.
    public func accept() throws(SystemError) -> Descriptor {
        let number = try checked("accept a connection") { coffer_accept(descriptor.number) }
        return Descriptor(adopting: number)
    }

    /// From now on, `accept` does not wait. Without a connection it throws `EAGAIN`.
    public func stopBlocking() throws(SystemError) {
        let flags = try checked("look at the socket") { fcntl(number, F_GETFL) }
        try checked("set up the socket") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
    }

    /// Gives the socket to another owner without closing it.
    public consuming func release() -> Int32 { descriptor.release() }
}

/// Converts a path to the kernel's form of a socket address.
public enum SocketAddress {
    /// - Throws: ``SystemError`` if the path is empty, is too long, or has a zero byte.
    public static func unix(_ path: String) throws(SystemError) -> sockaddr_un {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= longestPath, !bytes.contains(0) else {
            throw SystemError("use the socket path \(path)", reason: "it must have 1 to \(longestPath) bytes")
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return address
    }
}
