import NIOCore
import Platform

/// Asks the kernel who made a connection (unix(7), SO_PEERCRED). NIO keeps the descriptor to itself, so the answer comes by way of its socket options.
enum PeerQuestion {
    /// `struct ucred`, which Glibc hides.
    private struct Credentials: Sendable {
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
    }

    private static let peerCredentials = NIOBSDSocket.Option(rawValue: 17)

    /// - Returns: fails with `SystemError` when the kernel cannot name the user, or the process is gone.
    static func ask(_ channel: any Channel) -> EventLoopFuture<PeerCredentials> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(
                SystemError("ask who connected", reason: "the channel is no socket"))
        }
        let answer: EventLoopFuture<Credentials> = options.unsafeGetSocketOption(level: .socket, name: peerCredentials)
        return answer.flatMapThrowing { try PeerCredentials(uid: $0.uid, gid: $0.gid, pid: $0.pid) }
    }
}
