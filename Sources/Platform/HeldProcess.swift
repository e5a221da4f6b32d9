import CLinux
import Glibc

/// A process that is held by a pidfd while it is looked at. A number can be given to another process; a pidfd cannot.
public struct HeldProcess: ~Copyable, Sendable {
    private let handle: Descriptor
    public let identity: ProcessIdentity

    /// - Parameter handle: a pidfd of the process with this number.
    /// - Throws: when it has ended.
    init(_ handle: consuming Descriptor, pid: Int32) throws(SystemError) {
        let startTime = try ProcessStat(pid: pid).startTime
        try Self.check(handle, pid)
        self.init(handle: handle, identity: ProcessIdentity(pid: pid, startTime: startTime))
    }

    private init(handle: consuming Descriptor, identity: ProcessIdentity) {
        self.handle = handle
        self.identity = identity
    }

    /// Holds whatever process has a number now.
    public init(observing pid: Int32) throws(SystemError) {
        let number = try checked("find process \(pid)") { coffer_pidfd_open(pid) }
        try self.init(Descriptor(adopting: number), pid: pid)
    }

    /// Whether what was read of it by its number until now was its own.
    /// - Throws: when it has ended.
    public func check() throws(SystemError) { try Self.check(handle, identity.pid) }

    private static func check(_ handle: borrowing Descriptor, _ pid: Int32) throws(SystemError) {
        // A pidfd becomes readable when its process ends.
        guard try !handle.hasInput() else { throw SystemError("find process \(pid)", errno: ESRCH) }
    }
}
