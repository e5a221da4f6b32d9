import NIOCore
import NIOPosix
import Platform
import TestSupport
import Testing

@testable import Broker

/// Which connection ends for want of use, and which one gives its place to somebody else.
@Suite(.timeLimit(.minutes(5)))
struct OpenConnectionsTests {
    /// The other end of a connection.
    private final class Peer: Sendable {
        private let socket: UnixSocket

        init(_ socket: consuming UnixSocket) { self.socket = socket }
    }

    /// Connections of one user and one of another, the oldest first.
    private final class Fixture {
        let connections = OpenConnections()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        private(set) var callers: [Caller] = []
        private(set) var channels: [any Channel] = []
        private var peers: [Peer] = []

        init(_ uids: [UInt32]) async throws {
            for uid in uids {
                var other: Descriptor?
                let own = try UnixSocket(pairedWith: &other)
                guard let end = other.take() else { throw WireClient.Closed() }
                let channel = try await ClientBootstrap(group: group).withConnectedSocket(end.release()).get()
                let caller = Caller(
                    uid: uid, process: ProcessIdentity(pid: 7, startTime: 70), connection: connections.newNumber())
                connections.insert(channel, of: caller)
                peers.append(Peer(own))
                channels.append(channel)
                callers.append(caller)
            }
        }

        /// Which of them still count as their users'. This takes them out.
        func counted() -> [Bool] { callers.map { connections.remove($0) } }

        func end() async throws {
            for channel in channels where channel.isActive { try await channel.close() }
            try await group.shutdownGracefully()
        }
    }

    @Test("each connection has a number of its own")
    func numbers() {
        let connections = OpenConnections()
        #expect(Set((0..<100).map { _ in connections.newNumber() }).count == 100)
    }

    @Test("a user's connection that was idle longest gives its place, and none that is busy or waits for a person")
    func idlest() async throws {
        let fixture = try await Fixture([1, 1, 1, 2, 1])
        let (connections, callers) = (fixture.connections, fixture.callers)
        // The first was used since, the second waits for a person, and the last is being answered.
        connections.touch(callers[0], isBusy: false)
        connections.touch(callers[4], isBusy: true)
        let awaits: (Caller) -> Bool = { $0 == callers[1] }
        #expect(connections.endIdlest(of: 1, unless: awaits))
        try await fixture.channels[2].closeFuture.get()
        #expect(fixture.channels.map { $0.isActive } == [true, true, false, true, true])
        #expect(connections.endIdlest(of: 1, unless: awaits))
        try await fixture.channels[0].closeFuture.get()
        // Both that are left of this user are in use.
        #expect(!connections.endIdlest(of: 1, unless: awaits))
        #expect(!connections.endIdlest(of: 3) { _ in false })
        // What has been answered is idle again.
        connections.touch(callers[4], isBusy: false)
        #expect(connections.endIdlest(of: 1, unless: awaits))
        try await fixture.channels[4].closeFuture.get()
        #expect(fixture.channels.map { $0.isActive } == [false, true, false, true, false])
        #expect(connections.all.count == 5)
        // Those that were ended have given their places back already.
        #expect(fixture.counted() == [false, true, false, true, false])
        #expect(connections.all.isEmpty)
        #expect(!connections.remove(callers[1]))
        try await fixture.end()
    }

    @Test("idle connections end after their time, and none that is busy, waits for a person or was used since")
    func idle() async throws {
        let fixture = try await Fixture([1, 1, 2])
        let (connections, callers) = (fixture.connections, fixture.callers)
        connections.endIdle(for: .seconds(3600)) { _ in false }
        connections.touch(callers[0], isBusy: true)
        connections.endIdle(for: .zero) { $0 == callers[1] }
        try await fixture.channels[2].closeFuture.get()
        #expect(fixture.channels.map { $0.isActive } == [true, true, false])
        // It still counts until it is gone: nobody has taken its place.
        #expect(fixture.counted() == [true, true, true])
        try await fixture.end()
    }
}
