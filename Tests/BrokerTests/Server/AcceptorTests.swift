import Platform
import Synchronization
import TestSupport
import Testing

@testable import Broker

/// Connections are taken one after the other, until nobody wants more.
@Suite(.timeLimit(.minutes(5)))
struct AcceptorTests {
    /// Counts connections, and closes each.
    private final class Taken: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        func take(_ socket: consuming Descriptor) { number.withLock { $0 += 1 } }
    }

    /// Waits until the other end is closed. Children that other tests begin may hold it for a moment.
    private func expectClosed(_ socket: borrowing UnixSocket) async throws {
        let deadline = ContinuousClock.now + patience
        while !socket.peerHasClosed() {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test("connections are taken until accepting stops, and later ones wait until the socket is closed")
    func stop() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s"
        let (taken, log) = (Taken(), LogLines())
        let acceptor = try Acceptor(UnixListener(path: path, mode: 0o600), logger: log.logger) { taken.take($0) }
        for _ in 0..<3 { _ = try UnixSocket(connectingTo: path) }
        try await until("they are taken") { taken.count == 3 }
        // The socket is ready once more after it had nothing.
        _ = try UnixSocket(connectingTo: path)
        try await until("the last is taken") { taken.count == 4 }
        await acceptor.stop()
        let late = try UnixSocket(connectingTo: path)
        let wasClosed = late.peerHasClosed()
        #expect(!wasClosed)
        acceptor.close()
        try await expectClosed(late)
        #expect(throws: SystemError.self) { _ = try UnixSocket(connectingTo: path) }
        #expect(taken.count == 4)
        // That no more connections wait is no failure.
        #expect(log.all.isEmpty)
    }

    @Test("a socket that goes on failing is logged once, and accepting can still be stopped")
    func failing() async throws {
        var other: Descriptor?
        let peer = try UnixSocket(pairedWith: &other)
        guard let end = other.take() else { throw WireClient.Closed() }
        // It always has something to read, and does not listen.
        try peer.send([1])
        let (taken, log) = (Taken(), LogLines())
        let acceptor = try Acceptor(UnixListener(adopting: end), logger: log.logger) { taken.take($0) }
        try await until("the failure is logged") { !log.all.isEmpty }
        // Some more attempts fail meanwhile. If there were none, this would only prove less.
        try await Task.sleep(for: .seconds(1))
        await acceptor.stop()
        acceptor.close()
        #expect(log.all.count == 1)
        #expect(log.all.first?.hasPrefix("error a connection was not taken") == true)
        #expect(taken.count == 0)
        try await expectClosed(peer)
    }
}
