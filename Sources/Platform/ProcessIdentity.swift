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
        let rest = String(decoding: bytes[(closing + 1)...], as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard rest.count > 19, let session = Int32(rest[3]), let terminal = Int32(rest[4]), let start = UInt64(rest[19])
        else { throw SystemError("read \(path)", reason: "it is not in the expected form") }
        self.command = String(decoding: bytes[(opening + 1)..<closing], as: UTF8.self)
        self.session = session
        self.terminal = terminal
        self.startTime = start
    }

    /// The control group of a process in the unified hierarchy (cgroups(7)): `/user.slice/…`.
    /// - Returns: nil if it has none.
    public static func controlGroup(pid: Int32) throws(SystemError) -> String? {
        let bytes = try DurableFile.read("/proc/\(pid)/cgroup", limit: KernelFileLimits.controlGroup)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) }
    }
}
