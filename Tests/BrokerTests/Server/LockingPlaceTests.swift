import BrokerProtocol
import Foundation
import NIOCore
import NIOPosix
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker

/// A lock gets in, however many connections the user's programs hold (attacker 4).
@Suite(.timeLimit(.minutes(30)))
struct LockingPlaceTests {
    /// The other end of a connection.
    private final class Peer: Sendable {
        private let socket: UnixSocket

        init(_ socket: consuming UnixSocket) { self.socket = socket }
    }

    /// A listener that has one connection for each user.
    private func serve(
        lock: TimeAmount = .hours(1),
        arrivals: ConnectionPace = ConnectionPace(
            burst: ConnectionLimits.burst, interval: ConnectionLimits.interval),
        locks: ConnectionPace = ConnectionPace(
            burst: ConnectionLimits.lockBurst, interval: ConnectionLimits.lockInterval),
        _ body: (_ path: String, _ budgets: UserBudgets) async throws -> Void
    ) async throws {
        let fixture = try VaultFixture()
        let path = fixture.folder.path + "/s"
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let budgets = UserBudgets(limits: .clients(connectionsPerUser: 1, connections: 8))
        var pace = Connection.Pace()
        pace.lock = lock
        let listener = try Listener.start(
            on: UnixListener(path: path, mode: 0o600), group: group,
            Listener.Dependencies(
                served: KeychainInterface(core: fixture.core()), budgets: budgets, users: nil, calls: RunningCalls(),
                pace: pace, threads: UserThreads(group), logger: LogLines().logger, arrivals: arrivals, locks: locks))
        try await body(path, budgets)
        await listener.stopAccepting()
        listener.closeConnections()
        await listener.waitForConnections(within: patience)
        listener.close()
        try await group.shutdownGracefully()
    }

    @Test func aLockGetsInWhileAllPlacesAreTaken() async throws {
        let broker = try await throwAwayBroker { $0.connectionsPerUser = 3 }
        let clients = try (0..<3).map { _ in try broker.client() }
        try await broker.makeVault(clients[0])
        for client in clients { _ = try await client.call(Keychain.List()) }
        for _ in 0..<10 {
            let locker = try broker.client()
            #expect(try await locker.call(Keychain.Lock()).vault.state == .locked)
            // Its place is for the next one.
            await #expect(throws: WireClient.Closed.self) { _ = try await locker.message() }
        }
        for client in clients { _ = try await client.call(Keychain.List()) }
        await broker.stop()
    }

    @Test func nothingButALockGetsIn() async throws {
        let broker = try await throwAwayBroker { $0.connectionsPerUser = 3 }
        let clients = try (0..<3).map { _ in try broker.client() }
        for client in clients { _ = try await client.call(Keychain.List()) }
        for _ in 0..<2 {
            let refused = try broker.client()
            let told = try await fault { try await refused.call(Keychain.List()) }
            #expect(told.name == .limitExceeded)
            let words = "this user has 3 connections already, 3 of them from process \(getpid())"
            #expect(told.details.message == words)
            #expect(told.details.advice?.contains("ps \(getpid())") == true, "\(told)")
            await #expect(throws: WireClient.Closed.self) { _ = try await refused.message() }
        }
        await broker.stop()
    }

    @Test func whoDoesNotLockInTimeMakesRoom() async throws {
        try await serve(lock: .milliseconds(100)) { path, budgets in
            let first = try WireClient(path)
            try await until("the user's place is taken") { budgets.total(.connections) == 1 }
            let silent = try WireClient(path)
            let told = try Varlink.decode(Fault.self, from: try await silent.message())
            #expect(told.name == .limitExceeded && told.details.message?.contains("1 connections already") == true)
            await #expect(throws: WireClient.Closed.self) { _ = try await silent.message() }
            try await until("the place for a lock is free") { budgets.total(.locks) == 0 }
            // The first one was as silent, and has a place of its own.
            #expect(budgets.total(.connections) == 1)
            await first.close()
        }
    }

    /// Users who connect on and on wait for each further connection.
    @Test func aLockDoesNotWaitForItsTurn() async throws {
        try await serve(arrivals: ConnectionPace(burst: 1, interval: .seconds(3600))) { path, budgets in
            let first = try WireClient(path)
            _ = try await first.call(Keychain.Lock())
            #expect(budgets.total(.connections) == 1)
            let locker = try WireClient(path)
            _ = try await locker.call(Keychain.Lock())
            await first.close()
        }
    }

    /// Those that wait hold their places, so a program that connects on and on is refused before anything is made.
    @Test func whoLocksOnAndOnWaits() async throws {
        let locks = ConnectionPace(burst: 1, interval: .seconds(3600))
        try await serve(lock: .seconds(30), locks: locks) { path, budgets in
            let first = try WireClient(path)
            _ = try await first.call(Keychain.Lock())
            let locker = try WireClient(path)
            _ = try await locker.call(Keychain.Lock())
            await locker.close()
            // It was counted, so the next one waits.
            #expect(locks.delay(of: OwnProcess.effectiveUser) > .zero)
            try await until("its place is free") { budgets.total(.locks) == 0 }
            let limit = budgets.limits.locks.user
            let waiting = try (0..<limit).map { _ in try WireClient(path) }
            try await until("all wait") { budgets.total(.locks) == limit }
            let refused = try WireClient(path)
            let told = try Varlink.decode(Fault.self, from: try await refused.message())
            #expect(told.name == .limitExceeded)
            for client in waiting { await client.close() }
            await first.close()
            #expect(budgets.total(.locks) == limit)
        }
    }

    @Test func aFifthTakesThePlaceOfTheIdlest() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let budgets = UserBudgets(limits: .clients(connectionsPerUser: 1, connections: 8))
        let locking = OpenConnections()
        let budget = ConnectionBudget(
            budgets: budgets, connections: OpenConnections(), locking: locking, awaits: { _ in true })
        #expect(try budget.enter(7).resource == .connections)
        var (channels, callers, peers): ([any Channel], [Caller], [Peer]) = ([], [], [])
        for _ in 0..<4 {
            #expect(try budget.enter(7).resource == .locks)
            var other: Descriptor?
            let own = try UnixSocket(pairedWith: &other)
            guard let end = other.take() else { throw WireClient.Closed() }
            let channel = try await ClientBootstrap(group: group).withConnectedSocket(end.release()).get()
            let process = ProcessIdentity(pid: 7, startTime: 70)
            let caller = Caller(uid: 7, process: process, connection: locking.newNumber())
            locking.insert(channel, of: caller)
            peers.append(Peer(own))
            channels.append(channel)
            callers.append(caller)
        }
        // The first was used since.
        locking.touch(callers[0], isBusy: false)
        #expect(try budget.enter(7).resource == .locks)
        try await channels[1].closeFuture.get()
        #expect(channels.map { $0.isActive } == [true, false, true, true])
        #expect(budgets.held(.locks, by: 7) == 4 && budgets.held(.connections, by: 7) == 1)
        #expect(!locking.remove(callers[1]))
        // Those that lock at this moment stay, and another user has places of their own.
        for caller in callers { locking.touch(caller, isBusy: true) }
        let refused = #expect(throws: Fault.self) { _ = try budget.enter(7) }
        #expect(refused?.name == .limitExceeded)
        #expect(try budget.enter(8).resource == .connections)
        #expect(try budget.enter(8).resource == .locks)
        for channel in channels where channel.isActive { try await channel.close() }
        withExtendedLifetime(peers) {}
        try await group.shutdownGracefully()
    }

    @Test func manyUsersLeaveEachOtherAPlace() throws {
        let budgets = UserBudgets(limits: .clients(connectionsPerUser: 1, connections: 100))
        let limit = budgets.limits.locks
        #expect(2 * limit.reserve == limit.all && limit.ensured == 1)
        for uid in 1...UInt32(limit.open / limit.user) { try budgets.take(limit.user, of: .locks, for: uid) }
        #expect(throws: UserBudgets.Refusal.ofAll(limit: limit.all)) { try budgets.take(2, of: .locks, for: 1000) }
        for uid in 1000..<UInt32(1000 + limit.reserve) { try budgets.take(1, of: .locks, for: uid) }
        #expect(budgets.total(.locks) == limit.all)
        // The authenticator's socket has none.
        let none = UserBudgets(limits: .authenticator)
        #expect(throws: UserBudgets.Refusal.ofUser(limit: 0)) { try none.take(1, of: .locks, for: 0) }
    }
}
