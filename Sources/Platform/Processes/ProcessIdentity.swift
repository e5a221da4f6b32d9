import CLinux
import Glibc

/// A process, identified by its process ID and its start time, which differ from those of any later process.
public struct ProcessIdentity: Hashable, Sendable {
    public let pid: Int32
    /// Field 22 of `/proc/PID/stat`: clock ticks after boot.
    public let startTime: UInt64

    public init(pid: Int32, startTime: UInt64) {
        self.pid = pid
        self.startTime = startTime
    }

    /// Reads the start time while a pidfd holds the process, so that the process ID cannot pass to another one meanwhile.
    public init(observing pid: Int32) throws(SystemError) {
        let held = try HeldProcess(observing: pid)
        self = held.identity
    }

    /// This process.
    public static func current() throws(SystemError) -> ProcessIdentity { try ProcessIdentity(observing: getpid()) }
}

/// The fields of `/proc/PID/stat` (proc(5)) that are used here.
public struct ProcessStat: Sendable {
    /// At most 15 bytes; the process chooses it itself.
    public let command: String
    /// The process that started it, or that has adopted it since.
    public let parent: Int32
    public let session: Int32
    /// The device number of the controlling terminal; 0 for none.
    public let terminal: Int32
    public let startTime: UInt64

    public init(pid: Int32) throws(SystemError) {
        let path = "/proc/\(pid)/stat"
        try self.init(parsing: try DurableFile.read(path, limit: KernelFileLimits.stat), of: path)
    }

    /// - Parameter path: the file's path, for the error.
    init(parsing bytes: [UInt8], of path: String) throws(SystemError) {
        // The command is in parentheses, and may itself contain some.
        guard let opening = bytes.firstIndex(of: UInt8(ascii: "(")),
            let closing = bytes.lastIndex(of: UInt8(ascii: ")")),
            opening < closing
        else { throw SystemError("read \(path)", reason: "it is not in the expected form") }
        // Split as bytes, because this is done for every call and `Character.isWhitespace` is slow.
        let rest = bytes[(closing + 1)...].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard rest.count > 19, let parent = Int32(Self.text(rest[1])), let session = Int32(Self.text(rest[3])),
            let terminal = Int32(Self.text(rest[4])),
            let start = UInt64(Self.text(rest[19]))
        else { throw SystemError("read \(path)", reason: "it is not in the expected form") }
        self.command = String(decoding: bytes[(opening + 1)..<closing], as: UTF8.self)
        self.parent = parent
        self.session = session
        self.terminal = terminal
        self.startTime = start
    }

    /// The control group of a process in the unified hierarchy (cgroups(7)): `/user.slice/…`.
    /// - Returns: nil if it has none.
    public static func controlGroup(pid: Int32) throws(SystemError) -> String? {
        let lines = try DurableFile.read("/proc/\(pid)/cgroup", limit: KernelFileLimits.controlGroup).split(
            separator: UInt8(ascii: "\n"))
        return lines.first { $0.starts(with: "0::".utf8) }.map { Self.text($0.dropFirst(3)) }
    }

    /// A process's numbers in its PID namespaces, from that of the mounted /proc to its own (proc_pid_status(5), NSpid).
    static func numbers(pid: Int32) throws(SystemError) -> [Int32] {
        let path = "/proc/\(pid)/status"
        let lines = try DurableFile.read(path, limit: KernelFileLimits.status).split(separator: UInt8(ascii: "\n"))
        guard let line = lines.first(where: { $0.starts(with: "NSpid:".utf8) }) else {
            throw SystemError("read \(path)", reason: "it does not tell the PID namespaces")
        }
        let words = line.split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }.dropFirst()
        let numbers = words.compactMap { Int32(Self.text($0)) }
        guard !numbers.isEmpty, numbers.count == words.count else {
            throw SystemError("read \(path)", reason: "it is not in the expected form")
        }
        return numbers
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// A process that a pidfd holds while it is examined. The kernel may give its process ID to another process, but a pidfd stays with this one.
public struct HeldProcess: ~Copyable, Sendable {
    private let handle: Descriptor
    public let identity: ProcessIdentity
    /// The name that it gave itself (`ProcessStat.command`), when it was first held.
    public let command: String

    /// - Parameter handle: a pidfd of the process with this ID.
    /// - Throws: ``SystemError`` if the process has ended.
    init(_ handle: consuming Descriptor, pid: Int32) throws(SystemError) {
        let stat = try ProcessStat(pid: pid)
        try Self.check(handle, pid)
        self.handle = handle
        identity = ProcessIdentity(pid: pid, startTime: stat.startTime)
        command = stat.command
    }

    /// Holds the process that has this ID now.
    public init(observing pid: Int32) throws(SystemError) {
        let number = try checked("find process \(pid)") { coffer_pidfd_open(pid) }
        try self.init(Descriptor(adopting: number), pid: pid)
    }

    /// The pidfd's number, for waiting. It becomes readable when the process ends.
    public var number: Int32 { handle.number }

    /// Checks that everything read by process ID until now belonged to this process.
    /// - Throws: ``SystemError`` if the process has ended.
    public func check() throws(SystemError) { try Self.check(handle, identity.pid) }

    private static func check(_ handle: borrowing Descriptor, _ pid: Int32) throws(SystemError) {
        // A pidfd becomes readable when its process ends.
        guard try !handle.hasInput() else { throw SystemError("find process \(pid)", errno: ESRCH) }
    }
}

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
