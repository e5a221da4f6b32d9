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
