import CLinux
import Glibc

/// A process that a pidfd holds while it is examined. The kernel may give its process ID to another process, but a pidfd stays with this one.
public struct HeldProcess: ~Copyable, Sendable {
    private let handle: Descriptor
    public let identity: ProcessIdentity

    /// - Parameter handle: a pidfd of the process with this ID.
    /// - Throws: ``SystemError`` if the process has ended.
    init(_ handle: consuming Descriptor, pid: Int32) throws(SystemError) {
        let startTime = try ProcessStat(pid: pid).startTime
        try Self.check(handle, pid)
        self.init(handle: handle, identity: ProcessIdentity(pid: pid, startTime: startTime))
    }

    private init(handle: consuming Descriptor, identity: ProcessIdentity) {
        self.handle = handle
        self.identity = identity
    }

    /// Holds the process that has this ID now.
    public init(observing pid: Int32) throws(SystemError) {
        let number = try checked("find process \(pid)") { coffer_pidfd_open(pid) }
        try self.init(Descriptor(adopting: number), pid: pid)
    }

    /// Checks that everything read by process ID until now belonged to this process.
    /// - Throws: ``SystemError`` if the process has ended.
    public func check() throws(SystemError) { try Self.check(handle, identity.pid) }

    private static func check(_ handle: borrowing Descriptor, _ pid: Int32) throws(SystemError) {
        // A pidfd becomes readable when its process ends.
        guard try !handle.hasInput() else { throw SystemError("find process \(pid)", errno: ESRCH) }
    }
}
