import BrokerProtocol
import Logging
import NIOCore
import NIOPosix
import Platform
import Synchronization

/// A listening socket and the connections that came through it.
final class Listener: Sendable {
    private let channel: any Channel
    private let connections: OpenConnections

    private init(channel: any Channel, connections: OpenConnections) {
        self.channel = channel
        self.connections = connections
    }

    /// What every connection of a listener shares.
    struct Surroundings: Sendable {
        let served: any ServedInterface
        let census: ConnectionCensus
        let calls: RunningCalls
        let pace: Connection.Pace
        let logger: Logger
    }

    /// - Parameter socket: a bound, listening socket; it belongs to the listener from now on.
    static func start(on socket: Int32, group: MultiThreadedEventLoopGroup, _ surroundings: Surroundings) async throws
        -> Listener
    {
        let connections = OpenConnections()
        let channel = try await ServerBootstrap(group: group)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 << 10))
            .childChannelInitializer { channel in
                PeerQuestion.ask(channel).flatMapThrowing { credentials in
                    try admit(channel, credentials, surroundings, connections)
                }.flatMapError { error in
                    // Whoever cannot be named is not talked to.
                    surroundings.logger.info("connection without a nameable process refused")
                    return channel.eventLoop.makeFailedFuture(error)
                }
            }
            .withBoundSocket(socket).get()
        return Listener(channel: channel, connections: connections)
    }

    private static func admit(
        _ channel: any Channel, _ credentials: PeerCredentials, _ surroundings: Surroundings,
        _ connections: OpenConnections
    ) throws {
        let process = try credentials.process()
        let serial: UInt64
        do {
            guard surroundings.served.admits(uid: credentials.uid) else {
                throw Fault(.permissionDenied, "This socket is not for you.")
            }
            serial = try enter(credentials.uid, surroundings.census)
        } catch let fault as Fault {
            let caller = Caller(uid: credentials.uid, process: process, connection: 0)
            surroundings.logger.info("connection refused", metadata: LogFields.of(caller, outcome: fault.name))
            let reply = AnswerEncoder(allocator: channel.allocator).encode(fault)
            channel.eventLoop.execute {
                channel.writeAndFlush(reply).whenComplete { _ in channel.close(promise: nil) }
            }
            return
        }
        let caller = Caller(uid: credentials.uid, process: process, connection: serial)
        let wrapped = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
            wrappingChannelSynchronously: channel,
            configuration: .init(
                backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2), isOutboundHalfClosureEnabled: false))
        let connection = Connection(
            channel: wrapped, caller: caller, served: surroundings.served, census: surroundings.census,
            calls: surroundings.calls,
            pace: surroundings.pace, logger: surroundings.logger)
        connections.insert(channel, serial)
        Task {
            await connection.serve()
            connections.remove(serial)
            surroundings.census.leave(uid: credentials.uid)
        }
    }

    private static func enter(_ uid: UInt32, _ census: ConnectionCensus) throws(Fault) -> UInt64 {
        do throws(ConnectionCensus.Refusal) { return try census.enter(uid: uid) } catch {
            switch error {
            case .tooManyOfUser(let limit):
                throw Fault(
                    .limitExceeded,
                    "This user has \(limit) connections already: close some, or ask root for a higher “connections-per-user”."
                )
            case .tooMany(let limit):
                throw Fault(.limitExceeded, "The broker has \(limit) connections already; try again later.")
            }
        }
    }

    /// Takes no more connections; those that are there go on.
    func stopAccepting() async {
        // A socket that is closed already needs no closing.
        try? await channel.close().get()
    }

    /// Ends all connections.
    func closeConnections() {
        for channel in connections.all { channel.close(promise: nil) }
    }

    /// Waits until nothing uses the event loop for a connection any more.
    /// - Parameter limit: how long at most.
    func waitForConnections(within limit: Duration) async {
        let deadline = ContinuousClock.now + limit
        while !connections.all.isEmpty, ContinuousClock.now < deadline {
            // Cancelled: then the deadline ends the wait all the same.
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}

/// The connections that are open, so that they can be ended.
final class OpenConnections: Sendable {
    private let channels = Mutex<[UInt64: any Channel]>([:])

    func insert(_ channel: any Channel, _ serial: UInt64) { channels.withLock { $0[serial] = channel } }
    func remove(_ serial: UInt64) { _ = channels.withLock { $0.removeValue(forKey: serial) } }
    var all: [any Channel] { channels.withLock { Array($0.values) } }
}
