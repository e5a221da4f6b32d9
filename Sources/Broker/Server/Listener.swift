import BrokerProtocol
import Logging
import NIOCore
import NIOPosix
import Platform

/// A listening socket and the connections that came through it.
final class Listener: Sendable {
    private let channel: any Channel
    private let connections: OpenConnections
    private let sweeping: RepeatedTask

    private init(channel: any Channel, connections: OpenConnections, sweeping: RepeatedTask) {
        self.channel = channel
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
        let logger: Logger
        let executors = UserExecutors()
        let refusals = Refusals()
        let arrivals = ConnectionPace()
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
                PeerQuestion.ask(channel).flatMap { credentials in
                    receive(channel, credentials, surroundings, connections)
                }.flatMapError { error in
                    // Whoever cannot be named is not talked to.
                    surroundings.logger.info("connection without a nameable process refused")
                    return channel.eventLoop.makeFailedFuture(error)
                }
            }
            .withBoundSocket(socket).get()
        let sweep = surroundings.pace.sweep
        let sweeping = channel.eventLoop.scheduleRepeatedTask(initialDelay: sweep, delay: sweep) { _ in
            endIdle(connections, surroundings)
        }
        return Listener(channel: channel, connections: connections, sweeping: sweeping)
    }

    /// First what costs little: whoever connects on and on is counted and refused before anything is looked up.
    private static func receive(
        _ channel: any Channel, _ peer: PeerQuestion.Peer, _ surroundings: Surroundings, _ connections: OpenConnections
    ) -> EventLoopFuture<Void> {
        @Sendable func refuse(_ fault: Fault) {
            surroundings.refusals.refuse(channel, peer, fault, surroundings.logger)
        }
        do throws(Fault) {
            guard surroundings.served.admits(uid: peer.uid) else {
                throw Fault(.permissionDenied, "This socket is not for you.")
            }
            try enter(peer.uid, surroundings, connections)
        } catch {
            refuse(error)
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        return wait(for: peer.uid, surroundings, on: channel.eventLoop).flatMap {
            standing(of: peer.uid, surroundings, on: channel.eventLoop)
        }.flatMapThrowing { standing in
            do throws(Fault) { try check(standing) } catch {
                surroundings.budgets.give(back: 1, of: .connections, for: peer.uid)
                return refuse(error)
            }
            do { try admit(channel, peer, surroundings, connections) } catch {
                surroundings.budgets.give(back: 1, of: .connections, for: peer.uid)
                throw error
            }
        }
    }

    private static func wait(
        for uid: UInt32, _ surroundings: Surroundings, on eventLoop: any EventLoop
    ) -> EventLoopFuture<Void> {
        guard surroundings.served.keepsUsersApart else { return eventLoop.makeSucceededVoidFuture() }
        let delay = surroundings.arrivals.delay(of: uid)
        guard delay > .zero else { return eventLoop.makeSucceededVoidFuture() }
        return eventLoop.scheduleTask(in: .init(delay)) {}.futureResult
    }

    private static func tooMany(_ surroundings: Surroundings) -> Fault {
        let limit = surroundings.budgets.limits.connections.user
        return Fault(
            .limitExceeded,
            "This user has \(limit) connections already: close some, or ask root for a higher “connections-per-user”.")
    }

    /// What the name service says of a user, without keeping the event loop waiting.
    private static func standing(
        of uid: UInt32, _ surroundings: Surroundings, on eventLoop: any EventLoop
    ) -> EventLoopFuture<KnownUsers.Answer> {
        guard let users = surroundings.users else { return eventLoop.makeSucceededFuture(.known) }
        let promise = eventLoop.makePromise(of: KnownUsers.Answer.self)
        users.ask(uid) { promise.succeed($0) }
        return promise.futureResult
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

    private static func admit(
        _ channel: any Channel, _ credentials: PeerQuestion.Peer, _ surroundings: Surroundings,
        _ connections: OpenConnections
    ) throws {
        let caller = Caller(
            uid: credentials.uid, process: credentials.process, connection: connections.newNumber())
        let wrapped = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
            wrappingChannelSynchronously: channel,
            configuration: .init(
                backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2), isOutboundHalfClosureEnabled: false))
        let connection = Connection(
            channel: wrapped, caller: caller, served: surroundings.served, budgets: surroundings.budgets,
            connections: connections, calls: surroundings.calls, pace: surroundings.pace, logger: surroundings.logger)
        connections.insert(channel, of: caller)
        let keepsApart = surroundings.served.keepsUsersApart
        let executor: (any TaskExecutor)? = keepsApart ? surroundings.executors.enter(uid: caller.uid) : nil
        Task(executorPreference: executor) {
            await connection.serve()
            if connections.remove(caller) { surroundings.budgets.give(back: 1, of: .connections, for: caller.uid) }
            if keepsApart { surroundings.executors.leave(uid: caller.uid) }
        }
    }

    private static func check(_ standing: KnownUsers.Answer) throws(Fault) {
        switch standing {
        case .known: return
        case .unknown:
            throw Fault(
                .notPermitted, "Your user number has no account on this machine, so it cannot have a keychain.")
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
                    "The broker has room for \(limit) connections, and what is left is for users who have few; try again later."
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
