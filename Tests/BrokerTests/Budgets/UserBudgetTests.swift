import BrokerProtocol
import Cryptography
import Foundation
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// Where each share of a budget ends, and what comes back.
struct UserBudgetTests {
    private func budgets(_ limit: BudgetLimits.Limit) -> UserBudgets {
        var limits = BudgetLimits.clients(connectionsPerUser: 64, connections: 1024)
        limits.connections = limit
        return UserBudgets(limits: limits)
    }

    @Test("the reserve begins where the open part ends, and goes to those who then hold no more than is ensured")
    func reserve() throws {
        let budgets = budgets(.init(user: 10, all: 10, reserve: 4, ensured: 3))
        let refused = UserBudgets.Refusal.ofAll(limit: 10)
        func take(_ amount: Int, _ uid: UInt32) throws { try budgets.take(amount, of: .connections, for: uid) }
        #expect(throws: refused) { try take(7, 1) }
        try take(6, 1)
        #expect(throws: refused) { try take(1, 1) }
        #expect(throws: refused) { try take(4, 2) }
        try take(3, 2)
        #expect(throws: refused) { try take(1, 2) }
        try take(1, 3)
        #expect(throws: refused) { try take(1, 3) }
        #expect(throws: UserBudgets.Refusal.ofUser(limit: 10)) { try take(5, 1) }
        #expect(budgets.total(.connections) == 10)
        budgets.give(back: 6, of: .connections, for: 1)
        #expect(budgets.total(.connections) == 4 && budgets.held(.connections, by: 1) == 0)
        try take(1, 3)
    }

    @Test("the user with most comes first, and one who has nothing left is not listed")
    func greediest() throws {
        let budgets = budgets(.init(user: 10, all: 100, reserve: 0, ensured: 0))
        for (uid, count) in [(1, 3), (2, 9), (3, 5)] as [(UInt32, Int)] {
            try budgets.take(count, of: .connections, for: uid)
        }
        try budgets.take(1, of: .monitors, for: 4)
        #expect(budgets.greediest(.connections) == [2, 3, 1])
        budgets.give(back: 9, of: .connections, for: 2)
        budgets.give(back: 2, of: .connections, for: 1)
        #expect(budgets.greediest(.connections) == [3, 1] && budgets.greediest(.monitors) == [4])
    }

    @Test("secrets that only save work take half of a user's room and half of all, to the last byte")
    func spare() {
        let budgets = UserBudgets.usual
        let limit = budgets.limits.secrets
        let half = limit.user / 2
        let users = UInt32(limit.open / 2 / half)
        for uid in 1...users { #expect(budgets.takeSpare(half, for: uid)) }
        #expect(budgets.total(.secrets) == limit.open / 2)
        #expect(!budgets.takeSpare(1, for: users + 1))
        budgets.give(back: 1, of: .secrets, for: 1)
        #expect(!budgets.takeSpare(2, for: 1) && budgets.takeSpare(1, for: users + 1))
        let room = ItemKeyRoom(budgets: UserBudgets.usual, uid: 1)
        let size = SecureHeap.room(for: ItemKey.count)
        #expect(room.take() && room.take() && room.take())
        room.give(back: 0)
        room.give(back: 2)
        #expect(room.budgets.held(.secrets, by: 1) == size)
    }

    @Test("a shortage of secrets is told once, and a shortage of anything else to nobody")
    func shortage() throws {
        let budgets = UserBudgets.usual
        let limit = budgets.limits.secrets.user
        let told = Told()
        budgets.onShortage { _, uid in told.add(uid) }
        try budgets.take(limit, of: .secrets, for: 1)
        #expect(told.all == [])
        #expect(throws: UserBudgets.Refusal.ofUser(limit: limit)) { try budgets.take(1, of: .secrets, for: 1) }
        #expect(told.all == [1])
        let connections = budgets.limits.connections.user
        #expect(throws: UserBudgets.Refusal.ofUser(limit: connections)) {
            try budgets.take(connections + 1, of: .connections, for: 2)
        }
        #expect(told.all == [1])
    }

    /// The users that a shortage was told about.
    private final class Told: Sendable {
        private let uids = Mutex<[UInt32]>([])

        var all: [UInt32] { uids.withLock { $0 } }

        func add(_ uid: UInt32) { uids.withLock { $0.append(uid) } }
    }

    @Test("a machine with few connections gives each user a monitor, and ensures no more than a user may have")
    func few() {
        let limits = BudgetLimits.clients(connectionsPerUser: 3, connections: 100)
        #expect(limits.connections.user == 3 && limits.connections.all == 100)
        #expect(limits.connections.reserve == 25 && limits.connections.ensured == 3)
        #expect(limits.monitors.user == 1 && limits.monitors.all == 25)
        #expect(limits.monitors.reserve == 6 && limits.monitors.ensured == 2)
        #expect(BudgetLimits.clients(connectionsPerUser: 9, connections: 100).connections.ensured == 8)
        #expect(BudgetLimits.clients(connectionsPerUser: 9, connections: 100).monitors.user == 2)
        #expect(BudgetLimits.authenticator.monitors.user == 0)
    }

    @Test("a stretch that nobody waits for, or that fails, gives its place back")
    func stretches() async throws {
        let budgets = UserBudgets.usual
        let stretcher = PasswordStretcher(budgets: budgets)
        for isAbandoned in [true, false] {
            let refused = try await fault {
                try await stretcher.run(for: 1, unless: { isAbandoned }) { () throws(VaultError) in
                    throw VaultError(.limitExceeded, "too long")
                }
            }
            #expect(refused.name == (isAbandoned ? .failed : .limitExceeded))
            #expect(budgets.held(.stretches, by: 1) == 0 && budgets.total(.stretches) == 0)
            #expect(stretcher.waiting(of: 1) == 0)
        }
    }

    /// No test waits for these, or fills them. They change on purpose only, and then here, too.
    @Test func theLimitsOfSharingAreAsTheyWereChosen() {
        #expect(SharingCallLimits.files == 2048 && SharingCallLimits.code == 128 && SharingCallLimits.names == 512)
        #expect(SharingCallLimits.removals == 16 && SharingCallLimits.releasables == 1000)
        #expect(SharingCallLimits.answer == 1 << 20)
        #expect(ConnectionLimits.together == 16 << 10 && RenewalLimits.signatures == 96)
    }
}

/// Which user loses a connection when all are taken, and which one gets it. Each connection has a real process.
@Suite(.timeLimit(.minutes(30)), .enabled(if: OwnProcess.effectiveUser == 0, "needs root"))
struct ConnectionShareTests {
    private static let list = #"{"method":"org.coffer.Keychain.List","parameters":{}}"#

    private func broker(_ connections: Int, perUser: Int) async throws -> ThrowAwayBroker {
        var options = Broker.Options.patient
        options.connections = connections
        let broker = try await throwAwayBroker(options: options) { $0.connectionsPerUser = perUser }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: broker.folder.path)
        return broker
    }

    private func connect(_ broker: ThrowAwayBroker, _ uid: UInt32) async throws -> (OtherProcess, isServed: Bool) {
        let process = try await OtherProcess(socket: broker.configuration.socket, uid: uid)
        return (process, try await process.say(Self.list).contains("items"))
    }

    @Test("a user with so many as are ensured gets no more by another's loss, and loses none to others")
    func ensured() async throws {
        // A quarter is kept for those with eight at most, or with as many as a user may have.
        for (greedy, modest, total, perUser) in [(9, 8, 17, 64), (4, 4, 8, 4)] {
            let broker = try await broker(total, perUser: perUser)
            var processes: [OtherProcess] = []
            for uid in Array(repeating: UInt32(1), count: greedy) + Array(repeating: 2, count: modest) {
                let (process, isServed) = try await connect(broker, uid)
                #expect(isServed, "\(processes.count)")
                processes.append(process)
            }
            // With so many of their own they take nobody's place. From one with so many nobody takes one.
            let refused = try await connect(broker, greedy > modest ? 2 : 3)
            #expect(!refused.isServed)
            for process in processes { #expect(try await process.say(Self.list).contains("items")) }
            await broker.stop()
        }
    }
}
