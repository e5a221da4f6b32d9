import BrokerProtocol
import Logging
import NIOCore
import NIOPosix
import Platform
import Synchronization

/// A listening socket and the connections that came through it.
final class Listener: Sendable {
    private let acceptor: Acceptor
    private let connections: OpenConnections
    private let sweeping: RepeatedTask

    private init(acceptor: Acceptor, connections: OpenConnections, sweeping: RepeatedTask) {
        self.acceptor = acceptor
        self.connections = connections
        self.sweeping = sweeping
    }

    /// What every connection of a listener shares.
    struct Surroundings: Sendable {
        let served: any ServedInterface
        let budgets: UserBudgets
        /// nil where whoever is admitted is known.
        let users: KnownUsers?
        let calls: RunningCalls
        let pace: Connection.Pace
        let threads: UserThreads
        let logger: Logger
        let refusals = Refusals()
        let arrivals = ConnectionPace()
    }

    static func start(
        on socket: consuming UnixListener, group: MultiThreadedEventLoopGroup, _ surroundings: Surroundings
    ) throws(SystemError) -> Listener {
        let connections = OpenConnections()
        let acceptor = try Acceptor(socket, logger: surroundings.logger) {
            receive($0, surroundings, connections)
        }
        let sweep = surroundings.pace.sweep
        let sweeping = group.next().scheduleRepeatedTask(initialDelay: sweep, delay: sweep) { _ in
            endIdle(connections, surroundings)
        }
        return Listener(acceptor: acceptor, connections: connections, sweeping: sweeping)
    }

    /// First what costs little: whoever connects on and on is counted and refused before anything is made or looked up.
    private static func receive(
        _ socket: consuming Descriptor, _ surroundings: Surroundings, _ connections: OpenConnections
    ) {
        let credentials: PeerCredentials
        do throws(SystemError) { credentials = try PeerCredentials(ofSocket: socket.number) } catch {
            return refuseNameless(surroundings)
        }
        do throws(Fault) {
            guard surroundings.served.admits(uid: credentials.uid) else {
                throw Fault(.permissionDenied, "This socket is not for you.")
            }
            try enter(credentials.uid, surroundings, connections)
        } catch {
            return surroundings.refusals.refuse(
                socket, credentials.uid, credentials.pid, error, surroundings.logger)
        }
        let peer: Peer
        // Now, and not when it is his turn: his number may be another process's by then.
        do throws(SystemError) { peer = try Peer(ofSocket: socket.number) } catch {
            surroundings.budgets.give(back: 1, of: .connections, for: credentials.uid)
            return refuseNameless(surroundings)
        }
        let arrival = Arrival(peer, socket)
        let threads = surroundings.threads.enter(uid: peer.uid)
        Task(executorPreference: surroundings.served.keepsUsersApart ? threads.executor : nil) {
            if await serve(arrival, on: threads.loop, surroundings, connections) {
                surroundings.budgets.give(back: 1, of: .connections, for: peer.uid)
            }
            surroundings.threads.leave(uid: peer.uid)
        }
    }

    /// Whoever cannot be named is not talked to.
    private static func refuseNameless(_ surroundings: Surroundings) {
        surroundings.logger.info("connection without a nameable process refused")
    }

    /// A connection that was taken and is not served yet.
    private final class Arrival: Sendable {
        let peer: Peer
        private let socket: Mutex<Descriptor?>

        init(_ peer: Peer, _ socket: consuming Descriptor) {
            self.peer = peer
            self.socket = Mutex(socket)
        }

        /// Gives the socket away, once.
        func take() -> Descriptor? { socket.withLock { $0.take() } }
    }

    /// From its turn to its end.
    /// - Returns: whether it is still counted as its user's.
    private static func serve(
        _ arrival: Arrival, on loop: any EventLoop, _ surroundings: Surroundings, _ connections: OpenConnections
    ) async -> Bool {
        let peer = arrival.peer
        if surroundings.served.keepsUsersApart {
            let delay = surroundings.arrivals.delay(of: peer.uid)
            // Nobody cancels it.
            if delay > .zero { try? await Task.sleep(for: delay) }
        }
        let standing = await standing(of: peer.uid, surroundings)
        guard let socket = arrival.take() else { return true }
        do throws(Fault) { try check(standing) } catch {
            surroundings.refusals.refuse(socket, peer.uid, peer.process.pid, error, surroundings.logger)
            return true
        }
        let caller = Caller(uid: peer.uid, process: peer.process, connection: connections.newNumber())
        let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
        do { channel = try await open(socket, on: loop) } catch {
            // The broker stops, or the caller has gone.
            surroundings.logger.debug("connection ended early", metadata: LogFields.of(caller))
            return true
        }
        let connection = Connection(
            channel: channel, caller: caller, served: surroundings.served, budgets: surroundings.budgets,
            connections: connections, calls: surroundings.calls, pace: surroundings.pace, logger: surroundings.logger)
        connections.insert(channel.channel, of: caller)
        await connection.serve()
        return connections.remove(caller)
    }

    private static func open(
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

    private static func tooMany(_ surroundings: Surroundings) -> Fault {
        let limit = surroundings.budgets.limits.connections.user
        return Fault(
            .limitExceeded,
            "This user has \(limit) connections already; close some, or ask root for a higher “connections-per-user”.")
    }

    private static func standing(of uid: UInt32, _ surroundings: Surroundings) async -> KnownUsers.Answer {
        guard let users = surroundings.users else { return .known }
        return await withCheckedContinuation { continuation in users.ask(uid) { continuation.resume(returning: $0) } }
    }

    /// Ends connections on which nothing happens; sooner where there are many.
    private static func endIdle(_ connections: OpenConnections, _ surroundings: Surroundings) {
        surroundings.refusals.forget()
        surroundings.arrivals.forget()
        let budgets = surroundings.budgets
        let isCrowded = budgets.total(.connections) > budgets.limits.connections.all / 2
        let pace = surroundings.pace
        connections.endIdle(for: isCrowded ? min(pace.idle, pace.crowdedIdle) : pace.idle) {
            surroundings.served.awaits($0)
        }
    }

    private static func check(_ standing: KnownUsers.Answer) throws(Fault) {
        switch standing {
        case .known: return
        case .unknown:
            throw Fault(
                .notPermitted, "Your user number has no account on this machine, so it cannot have a vault.")
        case .unanswered: throw Faults.noNames
        }
    }

    private static func enter(
        _ uid: UInt32, _ surroundings: Surroundings, _ connections: OpenConnections
    ) throws(Fault) {
        let budgets = surroundings.budgets
        do throws(UserBudgets.Refusal) {
            do throws(UserBudgets.Refusal) { return try budgets.take(1, of: .connections, for: uid) } catch {
                // Who has few gets the place of one who has many and does not use it.
                guard case .ofAll = error, budgets.held(.connections, by: uid) < budgets.limits.connections.ensured,
                    makeRoom(for: uid, surroundings, connections)
                else { throw error }
                try budgets.take(1, of: .connections, for: uid)
            }
        } catch {
            switch error {
            case .ofUser: throw tooMany(surroundings)
            case .ofAll(let limit):
                throw Fault(
                    .limitExceeded,
                    "The broker has room for \(limit) connections, and keeps the last ones for users who have few; try again later."
                )
            }
        }
    }

    private static func makeRoom(
        for uid: UInt32, _ surroundings: Surroundings, _ connections: OpenConnections
    ) -> Bool {
        let budgets = surroundings.budgets
        for greedy in budgets.greediest(.connections) where greedy != uid {
            guard budgets.held(.connections, by: greedy) > budgets.limits.connections.ensured else { return false }
            if connections.endIdlest(of: greedy, unless: { surroundings.served.awaits($0) }) {
                budgets.give(back: 1, of: .connections, for: greedy)
                return true
            }
        }
        return false
    }

    /// Takes no more connections; those that are there go on.
    func stopAccepting() async {
        sweeping.cancel()
        await acceptor.stop()
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
