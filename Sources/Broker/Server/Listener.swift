import BrokerProtocol
import Logging
import NIOCore
import NIOPosix
import Platform
import Synchronization
import Varlink

/// A listening socket and the connections that came through it.
final class Listener: Sendable {
    private let acceptor: Acceptor
    private let connections: Connections
    private let sweeping: RepeatedTask

    private init(acceptor: Acceptor, connections: Connections, sweeping: RepeatedTask) {
        self.acceptor = acceptor
        self.connections = connections
        self.sweeping = sweeping
    }

    /// The connections of a listener, by what they are for.
    private struct Connections: Sendable {
        let ordinary = OpenConnections()
        /// Those that may only lock.
        let locking = OpenConnections()

        var all: [any Channel] { ordinary.all + locking.all }

        func those(of place: ConnectionBudget.Place) -> OpenConnections {
            switch place {
            case .ordinary: ordinary
            case .lock: locking
            }
        }
    }

    /// What all connections of a listener share.
    struct Dependencies: Sendable {
        let served: any ServedInterface
        let budgets: UserBudgets
        /// nil if every admitted uid is known.
        let users: KnownUsers?
        let calls: RunningCalls
        let pace: Connection.Pace
        let threads: UserThreads
        let logger: Logger
        let refusals = Refusals()
        let trim = HeapTrim()
        var arrivals = ConnectionPace(burst: ConnectionLimits.burst, interval: ConnectionLimits.interval)
        /// The same for connections that may only lock.
        var locks = ConnectionPace(burst: ConnectionLimits.lockBurst, interval: ConnectionLimits.lockInterval)
    }

    static func start(
        on socket: consuming UnixListener, group: MultiThreadedEventLoopGroup, _ dependencies: Dependencies
    ) throws(SystemError) -> Listener {
        let connections = Connections()
        let acceptor = try Acceptor(socket, logger: dependencies.logger) {
            receive($0, dependencies, connections)
        }
        let sweep = dependencies.pace.sweep
        let sweeping = group.next().scheduleRepeatedTask(initialDelay: sweep, delay: sweep) { _ in
            endIdle(connections.ordinary, dependencies)
        }
        return Listener(acceptor: acceptor, connections: connections, sweeping: sweeping)
    }

    /// Cheap checks come first. A user who connects endlessly is counted and refused before anything is made or
    /// looked up.
    private static func receive(
        _ socket: consuming Descriptor, _ dependencies: Dependencies, _ connections: Connections
    ) {
        let credentials: PeerCredentials
        do throws(SystemError) { credentials = try PeerCredentials(ofSocket: socket.number) } catch {
            return refuseNameless(nil, dependencies)
        }
        let place: ConnectionBudget.Place
        do throws(Fault) {
            try ConnectionAdmission.check(credentials.uid, dependencies.served)
            // A number without an account takes no place, not even for the moment of its refusal.
            if let users = dependencies.users, users.isUnknown(credentials.uid) {
                try ConnectionAdmission.check(.unknown)
            }
            place = try budget(dependencies, connections).enter(credentials.uid)
        } catch {
            return dependencies.refusals.refuse(
                socket, credentials.uid, credentials.pid, error, dependencies.logger)
        }
        let peer: Peer
        // Read now and not at the connection's turn, because the process ID may belong to another process by then.
        do throws(SystemError) { peer = try Peer(ofSocket: socket.number) } catch {
            dependencies.budgets.give(back: 1, of: place.resource, for: credentials.uid)
            return refuseNameless(credentials.uid, dependencies)
        }
        let arrival = Arrival(peer, socket, place)
        let threads = dependencies.threads.enter(uid: peer.uid)
        Task(executorPreference: dependencies.served.keepsUsersApart ? threads.executor : nil) {
            if await serve(arrival, on: threads.loop, dependencies, connections) {
                dependencies.budgets.give(back: 1, of: place.resource, for: peer.uid)
            }
            dependencies.threads.leave(uid: peer.uid)
        }
    }

    private static func budget(_ dependencies: Dependencies, _ connections: Connections) -> ConnectionBudget {
        ConnectionBudget(
            budgets: dependencies.budgets, connections: connections.ordinary, locking: connections.locking,
            awaits: dependencies.served.awaits)
    }

    /// A process that the kernel cannot name is not served.
    private static func refuseNameless(_ uid: UInt32?, _ dependencies: Dependencies) {
        dependencies.refusals.noteNameless(uid, dependencies.logger)
    }

    /// A connection that was accepted and is not served yet.
    private final class Arrival: Sendable {
        let peer: Peer
        let place: ConnectionBudget.Place
        private let socket: Mutex<Descriptor?>

        init(_ peer: Peer, _ socket: consuming Descriptor, _ place: ConnectionBudget.Place) {
            self.peer = peer
            self.place = place
            self.socket = Mutex(socket)
        }

        /// Gives the socket away, once.
        func take() -> Descriptor? { socket.withLock { $0.take() } }
    }

    /// Serves a connection from its turn to its end.
    /// - Returns: whether it still counts as its user's.
    private static func serve(
        _ arrival: Arrival, on loop: any EventLoop, _ dependencies: Dependencies, _ connections: Connections
    ) async -> Bool {
        let (peer, place) = (arrival.peer, arrival.place)
        // Before the wait for a turn, in which a number without an account would keep its place.
        let standing = await ConnectionAdmission.standing(of: peer.uid, dependencies.users, dependencies.served)
        do throws(Fault) { try ConnectionAdmission.check(standing) } catch {
            guard let socket = arrival.take() else { return true }
            dependencies.refusals.refuse(socket, peer.uid, peer.process.pid, error, dependencies.logger)
            return true
        }
        if dependencies.served.keepsUsersApart {
            // A lock does not wait because the user has made many other connections.
            let pace = place.refusal == nil ? dependencies.arrivals : dependencies.locks
            let delay = pace.delay(of: peer.uid)
            // `try?`: nobody cancels this task.
            if delay > .zero { try? await Task.sleep(for: delay) }
        }
        guard let socket = arrival.take() else { return true }
        let caller = Caller(
            uid: peer.uid, process: peer.process, connection: connections.ordinary.newNumber(),
            traits: peer.traits)
        let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
        let sender: SocketSender
        do {
            sender = try SocketSender(of: socket)
            channel = try await open(socket, on: loop)
        } catch {
            // The broker is stopping, or the caller has gone.
            dependencies.logger.debug("connection ended early", metadata: LogFields.of(caller))
            return true
        }
        // Without this, the client would see the end only after its last call has ended.
        channel.channel.closeFuture.whenComplete { _ in sender.shutDown() }
        let ofKind = connections.those(of: place)
        let connection = Connection(
            channel: channel, sender: sender, caller: caller, refusal: place.refusal, served: dependencies.served,
            budgets: dependencies.budgets,
            connections: ofKind, calls: dependencies.calls, trim: dependencies.trim, pace: dependencies.pace,
            refusals: dependencies.refusals, logger: dependencies.logger)
        ofKind.insert(channel.channel, of: caller)
        await connection.serve()
        return ofKind.remove(caller)
    }

    /// - Parameter socket: the server's end of a connection.
    static func open(
        _ socket: consuming Descriptor, on loop: any EventLoop
    ) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: loop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 << 10))
            .withConnectedSocket(socket.release()) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(
                            backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2),
                            isOutboundHalfClosureEnabled: false))
                }
            }
    }

    /// Ends idle connections. The limit is shorter if there are many connections.
    private static func endIdle(_ connections: OpenConnections, _ dependencies: Dependencies) {
        dependencies.refusals.forget(dependencies.logger)
        dependencies.arrivals.forget()
        dependencies.locks.forget()
        let budgets = dependencies.budgets
        let isCrowded = budgets.total(.connections) > budgets.limits.connections.all / 2
        let pace = dependencies.pace
        connections.endIdle(for: isCrowded ? min(pace.idle, pace.crowdedIdle) : pace.idle) {
            dependencies.served.awaits($0)
        }
    }

    /// Accepts no more connections. Open ones go on.
    func stopAccepting() async {
        sweeping.cancel()
        await acceptor.stop()
    }

    /// Ends one connection that may do more than lock.
    func end(_ connection: UInt64) { connections.ordinary.end(connection) }

    /// Ends all connections.
    func closeConnections() {
        for channel in connections.all { channel.close(promise: nil) }
    }

    /// Closes the listening socket. Call this after ``stopAccepting()``.
    func close() { acceptor.close() }

    /// Waits until no connection uses the event loop.
    /// - Parameter limit: how long to wait at most.
    func waitForConnections(within limit: Duration) async {
        let deadline = ContinuousClock.now + limit
        while !connections.all.isEmpty, ContinuousClock.now < deadline {
            // `try?`: the deadline ends the wait even if the task is cancelled.
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
