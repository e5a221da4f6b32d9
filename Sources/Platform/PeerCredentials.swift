import CLinux
import Glibc

/// Who is at the other end of a Unix socket, by the kernel's word (unix(7), SO_PEERCRED): for a server the process that connected, for a client the one that listened.
public struct PeerCredentials: Hashable, Sendable {
    public let uid: UInt32
    public let gid: UInt32
    public let pid: Int32

    /// The overflow uid: what the kernel says when it cannot say who somebody is.
    public static let unknownUser: UInt32 = 65534

    /// - Throws: when the socket has no peer, or the kernel cannot name its user.
    public init(ofSocket descriptor: Int32) throws(SystemError) {
        var pid: pid_t = 0
        var uid: uid_t = 0
        var gid: gid_t = 0
        try checked("ask who is at the other end") { unsafe coffer_peer_credentials(descriptor, &pid, &uid, &gid) }
        try self.init(uid: uid, gid: gid, pid: pid)
    }

    /// Takes the kernel's answer where the descriptor is in other hands, an event loop's for one.
    /// - Throws: when the kernel could not name the user.
    public init(uid: UInt32, gid: UInt32, pid: Int32) throws(SystemError) {
        guard uid != Self.unknownUser, uid != .max, pid > 0 else {
            throw SystemError(
                "ask who is at the other end", reason: "the kernel cannot name the user (uid \(uid), pid \(pid))")
        }
        self.uid = uid
        self.gid = gid
        self.pid = pid
    }

    /// The peer as a process that cannot be confused with a later one, held while it is looked at.
    ///
    /// - Parameters:
    ///   - descriptor: the socket that these credentials are of.
    ///   - option: the number of `SO_PEERPIDFD`; another one does as on a kernel that does not have it.
    /// - Throws: when the process has ended.
    public func hold(
        ofSocket descriptor: Int32, option: Int32 = PeerHandle.option
    ) throws(SystemError) -> HeldProcess {
        try hold(PeerHandle.of(descriptor, option: option))
    }

    /// The same where the kernel's answer is there already.
    ///
    /// - Parameter handle: the kernel's pidfd of the peer; nil where the kernel has none to give. Then whoever has the number now is taken for it: one that
    ///   got the number after the peer had ended, and before this moment, would be as well.
    public func hold(_ handle: consuming Descriptor?) throws(SystemError) -> HeldProcess {
        guard let handle = consume handle else { return try HeldProcess(observing: pid) }
        return try HeldProcess(handle, pid: pid)
    }
}
