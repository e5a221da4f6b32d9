import Foundation
import Platform
import Synchronization

/// A server on the report socket that never lets a login go on by itself.
final class HungAuthenticator: Sendable {
    enum Kind: CaseIterable, Sendable {
        /// It listens, and never accepts.
        case silent
        /// So many connections wait that nobody else gets in.
        case full
        /// It answers one byte at a time, without end.
        case dripping
    }

    private let listener: UnixListener
    /// The connection that waits before all others.
    private let waiting: UnixSocket?
    private let stopped = Mutex(false)

    init(_ kind: Kind, path: String) throws {
        listener = try UnixListener(path: path, mode: 0o600, backlog: kind == .full ? 0 : 8)
        // A backlog of 0 has room for one.
        waiting = kind == .full ? try UnixSocket(connectingTo: path) : nil
        if kind == .dripping { Thread { [self] in drip() }.start() }
    }

    private func drip() {
        // If nobody comes, the test fails by itself.
        guard let accepted = try? listener.accept() else { return }
        let connection = UnixSocket(adopting: accepted)
        // A login that has gone on has closed its end.
        while !stopped.withLock({ $0 }), (try? connection.send([0x20], until: .now + .seconds(1))) != nil {
            usleep(50_000)
        }
    }

    /// A thread that still waits wakes up.
    func stop() {
        stopped.withLock { $0 = true }
        shutdown(listener.number, Int32(SHUT_RDWR))
    }
}
