import Glibc

/// The links that the kernel keeps about a process in `/proc/PID` (proc(5)).
public enum ProcessLink {
    /// - Parameter name: the link's name, such as `exe` or `ns/user`.
    /// - Throws: ``SystemError`` if the process has ended, or if this process may not examine it.
    public static func read(_ name: String, of pid: Int32) throws(SystemError) -> String {
        let path = "/proc/\(pid)/\(name)"
        var bytes = [UInt8](repeating: 0, count: KernelFileLimits.link)
        let count = try checked("read \(path)") {
            unsafe bytes.withUnsafeMutableBytes { buffer in
                Int32(
                    clamping: unsafe readlink(
                        path, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count))
            }
        }
        // A path that fills the buffer may have been cut off.
        guard count < KernelFileLimits.link else { throw SystemError("read \(path)", errno: ENAMETOOLONG) }
        return String(decoding: bytes[..<Int(count)], as: UTF8.self)
    }
}

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
