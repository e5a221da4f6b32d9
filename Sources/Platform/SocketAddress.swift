import Glibc

/// Makes the kernel's form of a socket path.
public enum SocketAddress {
    /// The longest path that fits `sun_path` with its final zero, in bytes.
    public static let longestPath = 107

    /// - Throws: when the path is empty, too long, or has a zero byte.
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
