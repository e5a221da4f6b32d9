import CLinux
import Glibc

/// Whether anybody takes connections at an address now. Nothing is sent.
public enum Reachability {
    /// - Parameter path: of a Unix socket.
    public static func answers(path: String) -> Bool {
        guard let address = try? SocketAddress.unix(path) else { return false }  // Such a path has no socket.
        return connects(address, MemoryLayout<sockaddr_un>.size)
    }

    /// - Parameter name: in the abstract namespace of Unix sockets.
    public static func answers(abstract name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard !bytes.isEmpty, bytes.count < SocketAddress.longestPath else { return false }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: [0] + bytes) }
        return connects(address, MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + 1 + bytes.count)
    }

    /// - Parameter port: a TCP port of this machine's loopback address.
    public static func answers(loopbackPort port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return connects(address, MemoryLayout<sockaddr_in>.size)
    }

    private static func connects<Address>(_ address: Address, _ size: Int) -> Bool {
        var address = address
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
                let number = unsafe socket(Int32(pointer.pointee.sa_family), type, 0)
                guard number >= 0 else { return false }
                defer { close(number) }
                // On this machine, a connection is made or refused at once. A full queue counts as nobody: it could stay full.
                if unsafe connect(number, pointer, socklen_t(size)) == 0 { return true }
                return errno == EINPROGRESS && isConnected(number)
            }
        }
    }

    /// How long the kernel has for a handshake of TCP, in milliseconds. It needs no time if somebody listens.
    private static let patience: Int32 = 1000

    /// Whether a connection that was begun is made. TCP begins it first, also on this machine.
    private static func isConnected(_ number: Int32) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&entry, 1, patience) > 0 else { return false }
        var (failure, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        return unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0
    }
}
