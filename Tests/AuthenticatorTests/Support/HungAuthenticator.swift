import Foundation
import Platform
import Synchronization

/// Something on the report socket that never lets a login go on by itself.
final class HungAuthenticator: Sendable {
    enum Kind: CaseIterable, Sendable {
        /// Listens, and never looks.
        case silent
        /// So many wait already that nobody else gets in.
        case full
        /// Answers, a byte at a time, for ever.
        case dripping
    }

    private let listener: UnixListener
    /// Who waits before everybody else.
    private let waiting: UnixSocket?
    private let stopped = Mutex(false)

    init(_ kind: Kind, path: String) throws {
        listener = try UnixListener(path: path, mode: 0o600, backlog: kind == .full ? 0 : 8)
        // A backlog of none has room for one.
        waiting = kind == .full ? try UnixSocket(connectingTo: path) : nil
        if kind == .dripping { Thread { [self] in drip() }.start() }
    }

    private func drip() {
        // Nobody came: the test fails by itself.
        guard let accepted = try? listener.accept() else { return }
        let connection = UnixSocket(adopting: accepted)
        // A login that has gone on has closed its end.
        while !stopped.withLock({ $0 }), (try? connection.send([0x20], until: .now + .seconds(1))) != nil {
            usleep(50_000)
        }
    }

    /// A thread that still waits for somebody wakes up.
    func stop() {
        stopped.withLock { $0 = true }
        shutdown(listener.number, Int32(SHUT_RDWR))
    }
}
