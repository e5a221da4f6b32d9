import Glibc

/// Converts a path to the kernel's form of a socket address.
public enum SocketAddress {
    /// The longest path that fits into `sun_path` with its final zero, in bytes.
    public static let longestPath = 107

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
