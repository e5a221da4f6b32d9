import BrokerProtocol
import Cryptography
import Foundation
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// What one user may hold of a shared budget (attackers 3 and 7).
@Suite(.timeLimit(.minutes(30)))
struct BudgetTests {
    @Test("a user gets so much and no more, and gives it back")
    func user() throws {
        let budgets = UserBudgets(limits: .clients(connectionsPerUser: 3, connections: 100))
        for _ in 0..<3 { try budgets.take(1, of: .connections, for: 1) }
        #expect(throws: UserBudgets.Refusal.ofUser(limit: 3)) { try budgets.take(1, of: .connections, for: 1) }
        try budgets.take(1, of: .connections, for: 2)
        budgets.give(back: 1, of: .connections, for: 1)
        try budgets.take(1, of: .connections, for: 1)
        #expect(budgets.held(.connections, by: 1) == 3 && budgets.total(.connections) == 4)
        #expect(throws: UserBudgets.Refusal.self) { try budgets.take(.max, of: .secrets, for: 1) }
        #expect(budgets.held(.secrets, by: 1) == 0)
    }

    @Test(
        "what is kept for those who have little is given to nobody who has much",
        arguments: [UserBudgets.Resource.secrets, .answers])
    func reserve(resource: UserBudgets.Resource) throws {
        let budgets = UserBudgets.usual
        let limit = budgets.limits[resource]
        var uid: UInt32 = 1
        while budgets.total(resource) + limit.user <= limit.open {
            try budgets.take(limit.user, of: resource, for: uid)
            uid += 1
        }
        // Users who hold much share the rest of their part, and then it is used up.
        #expect(throws: UserBudgets.Refusal.ofAll(limit: limit.all)) {
            try budgets.take(limit.user, of: resource, for: uid)
        }
        for honest in 1000..<UInt32(1000 + limit.reserve / limit.ensured) {
            try budgets.take(limit.ensured, of: resource, for: honest)
        }
        #expect(budgets.total(resource) <= limit.all)
    }

    @Test("the secure heap holds what all users together may have in it, and as much again")
    func heap() {
        #expect(SecureMemory.heap >= 2 * UserBudgets.usual.limits.secrets.all)
    }

    @Test("secrets are counted before they are made, and for as long as they are there")
    func counted() throws {
        let budgets = UserBudgets.usual
        let limit = budgets.limits.secrets.user
        let text = Data(repeating: 7, count: 510).base64EncodedString()
        var calls: [SecretAllowance] = []
        for _ in 0..<limit / 512 {
            let call = SecretAllowance(budgets, for: 1)
            #expect(try call.decode(text).count == 510)
            calls.append(call)
        }
        #expect(budgets.held(.secrets, by: 1) == limit / 512 * 512)
        let refused = SecretAllowance(budgets, for: 1)
        let fault = #expect(throws: Fault.self) { try refused.decode(text) }
        #expect(fault?.name == .limitExceeded)
        #expect(try SecretAllowance(budgets, for: 2).decode(text).count == 510)
        calls = []
        #expect(budgets.held(.secrets, by: 1) == 0 && budgets.total(.secrets) == 0)
        // A value that is too long for that heap is stored elsewhere.
        _ = try refused.decode(Data(repeating: 7, count: 100_000).base64EncodedString())
        #expect(budgets.held(.secrets, by: 1) == 0)
    }

    @Test("who has hung up has no password stretched")
    func abandoned() async throws {
        let stretcher = PasswordStretcher(budgets: .usual)
        let refused = try await fault {
            try await stretcher.run(for: 1, unless: { true }) { () throws(VaultError) in
                Issue.record("scrypt ran for nobody")
                throw VaultError(.storage, "nobody waits for it")
            }
        }
        #expect(refused.name == .failed)
    }

    private func rotateAll(_ client: WireClient, _ given: [Keychain.ItemPassword]) async throws -> Fault {
        try await fault { try await client.call(Keychain.RotateAll(applicationPasswords: given)) }
    }

    @Test("a renewal of all keys takes one password for each item that has one, and looks at that first")
    func passwords() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let password = Data("open".utf8).base64EncodedString()
        let plain = try await client.call(Keychain.Set(service: "s", account: "plain", value: someValue)).item
        let item = try await client.call(
            Keychain.Set(
                service: "s", account: "a", value: someValue, access: .init(require: [.applicationPassword]),
                applicationPassword: password)
        ).item
        // Decoding would reveal that the text is not base64, but nothing is decoded.
        let foreign = (0..<484).map {
            Keychain.ItemPassword(item: UUID().uuidString.lowercased() + "\($0)", password: "!")
        }
        #expect(try await rotateAll(client, foreign).details.message?.contains("no such item") ?? false)
        #expect(try await rotateAll(client, [.init(item: plain.id, password: password)]).name == .invalidArgument)
        let twice = [Keychain.ItemPassword](repeating: .init(item: item.id, password: "!"), count: 2)
        #expect(try await rotateAll(client, twice).details.message?.contains("twice") ?? false)
        #expect(try await rotateAll(client, [.init(item: item.id, password: password)]).name == .authenticationRequired)
        await broker.stop()
    }

    @Test("many passwords are stretched in several calls, and all keys are renewed in the end")
    func batches() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let password = Data("open".utf8).base64EncodedString()
        let count = RenewalLimits.passwords + 1
        for number in 0..<count {
            _ = try await client.call(
                Keychain.Set(
                    service: "s", account: "\(number)", value: someValue,
                    access: .init(require: [.applicationPassword]),
                    applicationPassword: password))
        }
        var rounds: [Int] = []
        var reply = try await client.call(Keychain.RotateAll())
        while reply.items == nil {
            rounds.append(reply.passwords.count)
            try #require(rounds.count < 5 && !reply.passwords.isEmpty)
            let given = reply.passwords.map { Keychain.ItemPassword(item: $0.id, password: password) }
            var method = Keychain.RotateAll(applicationPasswords: given)
            let id = try await challenge { try await client.call(method) }
            _ = try await broker.authenticator.rotate(id)
            method.challenge = id
            reply = try await client.call(method)
        }
        #expect(rounds == [RenewalLimits.passwords, 1] && reply.items == Int64(count))
        await broker.stop()
    }
}
