import CLinux
import Glibc

/// A process, told apart from a later one with the same number by the time it started.
public struct ProcessIdentity: Hashable, Sendable {
    public let pid: Int32
    /// Field 22 of `/proc/PID/stat`: clock ticks after boot.
    public let startTime: UInt64

    public init(pid: Int32, startTime: UInt64) {
        self.pid = pid
        self.startTime = startTime
    }

    /// Reads the start time while a pidfd holds the process: the number cannot have been given to another meanwhile.
    public init(observing pid: Int32) throws(SystemError) {
        let number = try checked("find process \(pid)") { coffer_pidfd_open(pid) }
        let held = Descriptor(adopting: number)
        let stat = try ProcessStat(pid: pid)
        // A pidfd becomes readable when its process ends.
        if try held.waitToRead(until: .now + .microseconds(1)) {
            throw SystemError("find process \(pid)", errno: ESRCH)
        }
        self.init(pid: pid, startTime: stat.startTime)
    }

    /// This process.
    public static func current() throws(SystemError) -> ProcessIdentity { try ProcessIdentity(observing: getpid()) }
}
