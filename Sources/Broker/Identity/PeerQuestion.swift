import NIOCore
import NIOPosix
import Platform

/// Asks the kernel who made a connection (unix(7), SO_PEERCRED, and SO_PEERPIDFD where there is one). NIO keeps the descriptor to itself, so the answer comes by way of its socket options.
enum PeerQuestion {
    /// `struct ucred`, which Glibc hides.
    private struct Credentials: Sendable {
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
    }

    /// Who it was.
    struct Peer: Sendable, Equatable {
        let uid: UInt32
        let process: ProcessIdentity
    }

    private static let peerCredentials = NIOBSDSocket.Option(rawValue: 17)

    /// - Parameter handleOption: the number of `SO_PEERPIDFD`; another one does as on a kernel that does not have it.
    /// - Returns: fails with `SystemError` when the kernel cannot name the user, or the process is gone.
    static func ask(
        _ channel: any Channel, handleOption: Int32 = PeerHandle.option
    ) -> EventLoopFuture<Peer> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(
                SystemError("ask who connected", reason: "the channel is no socket"))
        }
        let answer: EventLoopFuture<Credentials> = options.unsafeGetSocketOption(level: .socket, name: peerCredentials)
        return answer.flatMap { credentials in
            let handle: EventLoopFuture<Int32> = options.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: handleOption))
            return handle.map { Int32?.some($0) }.flatMapErrorThrowing { error in
                // Only where the kernel has no such thing. Otherwise the process is gone, and whoever has its number now is somebody else.
                guard let error = error as? IOError, PeerHandle.isMissing(errno: error.errnoCode) else { throw error }
                return nil
            }.flatMapThrowing { number in
                let handle = number.map { Descriptor(adopting: $0) }
                let peer = try PeerCredentials(uid: credentials.uid, gid: credentials.gid, pid: credentials.pid)
                return Peer(uid: peer.uid, process: try peer.hold(handle).identity)
            }
        }
    }
}
