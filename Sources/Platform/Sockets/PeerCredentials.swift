import CLinux
import Glibc

/// The process at the other end of a Unix socket, as the kernel names it (unix(7), SO_PEERCRED). For a server, it is the process that connected. For
/// a client, it is the one that listened.
public struct PeerCredentials: Hashable, Sendable {
    public let uid: UInt32
    public let gid: UInt32
    public let pid: Int32

    /// The overflow uid, which the kernel gives for a user that it cannot name.
    public static let unknownUser: UInt32 = 65534

    /// - Throws: ``SystemError`` if the socket has no peer, or if the kernel cannot name its user.
    public init(ofSocket descriptor: Int32) throws(SystemError) {
        var pid: pid_t = 0
        var uid: uid_t = 0
        var gid: gid_t = 0
        try checked("ask who is at the other end") { unsafe coffer_peer_credentials(descriptor, &pid, &uid, &gid) }
        try self.init(uid: uid, gid: gid, pid: pid)
    }

    /// Takes the kernel's answer if something else, such as an event loop, owns the descriptor.
    /// - Throws: ``SystemError`` if the kernel could not name the user.
    public init(uid: UInt32, gid: UInt32, pid: Int32) throws(SystemError) {
        guard uid != Self.unknownUser, uid != .max, pid > 0 else {
            throw SystemError(
                "ask who is at the other end", reason: "the kernel cannot name the user (uid \(uid), pid \(pid))")
        }
        self.uid = uid
        self.gid = gid
        self.pid = pid
    }

    /// Holds the peer's process while it is examined, so that it cannot be confused with a later one.
    ///
    /// - Parameters:
    ///   - descriptor: the socket of these credentials.
    ///   - option: the number of `SO_PEERPIDFD`; any other number acts like a kernel without it.
    /// - Throws: ``SystemError`` if the process has ended.
    public func hold(
        ofSocket descriptor: Int32, option: Int32 = PeerHandle.option
    ) throws(SystemError) -> HeldProcess {
        try hold(PeerHandle.of(descriptor, option: option))
    }

    /// Does the same with a pidfd that the kernel has already given.
    ///
    /// - Parameter handle: the kernel's pidfd of the peer; nil if the kernel cannot give one. Then the process that has the ID now counts as the
    ///   peer. That is wrong if the peer has ended and another process has got its ID.
    public func hold(_ handle: consuming Descriptor?) throws(SystemError) -> HeldProcess {
        guard let handle = consume handle else { return try HeldProcess(observing: pid) }
        return try HeldProcess(handle, pid: pid)
    }
}

/// The kernel's own pidfd of the process at the other end of a Unix socket (socket(7), SO_PEERPIDFD). It belongs to the very process that connected,
/// even if another process has its ID by now.
public enum PeerHandle {
    /// SO_PEERPIDFD exists since Linux 6.5. Glibc's headers may be older.
    public static let option: Int32 = 77

    /// Whether an error means that this kernel has no such option. Any other error means that there is no such process, and nothing else must be
    /// tried.
    public static func isMissing(errno: Int32) -> Bool { errno == ENOPROTOOPT }

    /// - Parameter option: another number acts like a kernel without the option.
    /// - Returns: nil if the kernel has no such option.
    static func of(_ socket: Int32, option: Int32 = PeerHandle.option) throws(SystemError) -> Descriptor? {
        var number: Int32 = -1
        var size = socklen_t(MemoryLayout<Int32>.size)
        do throws(SystemError) {
            try checked("ask which process is at the other end") {
                unsafe getsockopt(socket, SOL_SOCKET, option, &number, &size)
            }
        } catch {
            guard isMissing(errno: error.errno) else { throw error }
            return nil
        }
        return Descriptor(adopting: number)
    }
}
