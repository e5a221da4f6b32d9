import Glibc

/// The user, pid and mount namespaces of a process (namespaces(7)), as the kernel numbers them.
public struct ProcessNamespaces: Hashable, Sendable {
    public let user: String
    public let pid: String
    public let mount: String

    /// - Throws: ``SystemError`` if the process has ended, or if this process may not examine it.
    public init(of process: Int32) throws(SystemError) {
        user = try ProcessLink.read("ns/user", of: process)
        pid = try ProcessLink.read("ns/pid", of: process)
        mount = try ProcessLink.read("ns/mnt", of: process)
    }

    /// The machine's own namespaces, which are those of process 1. If even root may not examine that process, this process's own are used. A service
    /// manager may have narrowed these, which makes the comparison stricter, never laxer.
    public static func initial() throws(SystemError) -> ProcessNamespaces {
        do { return try ProcessNamespaces(of: 1) } catch { return try ProcessNamespaces(of: getpid()) }
    }
}
