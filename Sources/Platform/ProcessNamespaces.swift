import Glibc

/// Which user, pid and mount namespace a process is in (namespaces(7)), by the kernel's numbers.
public struct ProcessNamespaces: Hashable, Sendable {
    public let user: String
    public let pid: String
    public let mount: String

    /// - Throws: where the process has ended, or is not ours to look at.
    public init(of process: Int32) throws(SystemError) {
        user = try ProcessLink.read("ns/user", of: process)
        pid = try ProcessLink.read("ns/pid", of: process)
        mount = try ProcessLink.read("ns/mnt", of: process)
    }

    /// Those of the machine itself: process 1's. Where even root may not look at that one, this process's own, which a service manager may have
    /// narrowed: the comparison is stricter then, never laxer.
    public static func initial() throws(SystemError) -> ProcessNamespaces {
        do { return try ProcessNamespaces(of: 1) } catch { return try ProcessNamespaces(of: getpid()) }
    }
}
