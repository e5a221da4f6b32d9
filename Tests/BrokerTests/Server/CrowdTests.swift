import NIOCore
import NIOPosix
import Platform
import TestSupport
import Testing

@testable import Broker

/// Idle connections have less time when there are many.
@Suite(.timeLimit(.minutes(5)))
struct CrowdTests {
    /// The client's end of a connection.
    private final class Client: Sendable {
        private let socket: UnixSocket

        init(_ path: String) throws { socket = try UnixSocket(connectingTo: path) }

        var isEnded: Bool { socket.peerHasClosed() }
    }

    @Test("idle connections end early if more than half of all places are taken, and not if it is half")
    func crowd() async throws {
        let fixture = try VaultFixture()
        let path = fixture.folder.path + "/s"
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let budgets = UserBudgets(limits: .clients(connectionsPerUser: 8, connections: 8))
        var pace = Connection.Pace()
        pace.crowdedIdle = .zero
        let listener = try Listener.start(
            on: UnixListener(path: path, mode: 0o600), group: group,
            Listener.Dependencies(
                served: KeychainInterface(core: fixture.core()), budgets: budgets, users: nil, calls: RunningCalls(),
                pace: pace, threads: UserThreads(group), logger: LogLines().logger))
        let half = try (0..<4).map { _ in try Client(path) }
        try await until("they are taken") { budgets.total(.connections) == 4 }
        // It comes after the next look for idle connections, because they share the thread.
        try await group.next().scheduleTask(in: pace.sweep + .milliseconds(1)) {}.futureResult.get()
        #expect(half.allSatisfy { !$0.isEnded })
        let another = try Client(path)
        try await until("they are ended") { half.allSatisfy(\.isEnded) }
        try await until("their places are free") { budgets.total(.connections) <= 1 }
        withExtendedLifetime(another) {}
        await listener.stopAccepting()
        listener.closeConnections()
        await listener.waitForConnections(within: patience)
        listener.close()
        try await group.shutdownGracefully()
    }
}
