import BrokerProtocol
import NIOPosix
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker

/// What a broker that is about to end says.
@Suite(.timeLimit(.minutes(5)))
struct StoppingTests {
    @Test func aCallThatComesTooLateIsToldThatTheBrokerStops() async throws {
        let fixture = try VaultFixture()
        let path = fixture.folder.path + "/s"
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let budgets = UserBudgets(limits: .clients(connectionsPerUser: 8, connections: 8))
        let calls = RunningCalls()
        let listener = try Listener.start(
            on: UnixListener(path: path, mode: 0o600), group: group,
            Listener.Dependencies(
                served: KeychainInterface(core: fixture.core()), budgets: budgets, users: nil, calls: calls,
                pace: Connection.Pace(), threads: UserThreads(group), logger: LogLines().logger))
        let client = try WireClient(path)
        await calls.drain(within: .zero)
        let refusal = try await fault { try await client.call(Keychain.List()) }
        #expect(refusal.name == .failed && refusal.details.kind == "stopping")
        #expect(refusal.details.message == "the broker is stopping")
        await #expect(throws: WireClient.Closed.self) { _ = try await client.message() }
        await client.close()
        await listener.stopAccepting()
        listener.closeConnections()
        await listener.waitForConnections(within: patience)
        listener.close()
        try await group.shutdownGracefully()
    }
}
