import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Item
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// Application passwords on the wire: the items that take one, the answer to a wrong one, and the waiting.
// One after another, because scrypt takes a whole processor and a signature has two seconds.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct ApplicationPasswordTests {
    private static let right = Data("open".utf8).base64EncodedString()
    private static let wrong = Data("shut".utf8).base64EncodedString()

    /// The requests that wait behind the one at work.
    private static let longestQueue = UserBudgets.usual.limits.stretches.user - 1

    private func get(_ password: String? = nil, challenge: String? = nil) -> Keychain.Get {
        Keychain.Get(service: "s", account: "a", applicationPassword: password, challenge: challenge)
    }

    private func set(_ client: WireClient, _ require: [AccessControl.Requirement], any: Bool = false) async throws {
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: "a", value: someValue, access: .init(require: require, any: any),
                applicationPassword: Self.right))
    }

    private func prepared(options: Broker.Options = .init()) async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker(options: options)
        let client = try broker.client()
        try await broker.makeVault(client)
        return (broker, client)
    }

    @Test("storing takes exactly the password that the access control asks for")
    func storing() async throws {
        let (broker, client) = try await prepared()
        let access = AccessControl.whenUnlocked.requiring(.applicationPassword)
        func set(_ access: AccessControl?, _ password: String?) -> Keychain.Set {
            Keychain.Set(
                service: "s", account: "a", value: someValue, access: access.map(Keychain.AccessChange.init(whole:)),
                applicationPassword: password)
        }
        #expect(try await fault { try await client.call(set(access, nil)) }.name == .applicationPasswordRequired)
        #expect(try await fault { try await client.call(set(access, "")) }.name == .invalidArgument)
        #expect(try await fault { try await client.call(set(access, "!")) }.name == .invalidArgument)
        let long = Data(repeating: 65, count: ItemLimits.applicationPassword + 1).base64EncodedString()
        #expect(try await fault { try await client.call(set(access, long)) }.name == .limitExceeded)
        for unasked in [nil, AccessControl.presence] {
            #expect(try await fault { try await client.call(set(unasked, Self.right)) }.name == .invalidArgument)
        }
        #expect(try await client.call(Keychain.List()).items.isEmpty)
        _ = try await client.call(set(access, Self.right))
        await broker.stop()
    }

    @Test("only the right password reads, and nobody else is asked")
    func alone() async throws {
        let (broker, client) = try await prepared()
        try await set(client, [.applicationPassword])
        #expect(try await fault { try await client.call(get()) }.name == .applicationPasswordRequired)
        #expect(try await fault { try await client.call(get(Self.wrong)) }.name == .applicationPasswordRefused)
        #expect(try await client.call(get(Self.right)).value == someValue)
        // A locked vault stays locked with any password.
        _ = try await client.call(Keychain.Lock())
        #expect(try await fault { try await client.call(get(Self.right)) }.name == .locked)
        #expect(try await fault { try await client.call(get()) }.name == .locked)
        await broker.stop()
    }

    @Test("with “and” the password is needed besides the person, and before the person is asked")
    func and() async throws {
        let (broker, client) = try await prepared()
        try await set(client, [.userPresence, .applicationPassword])
        #expect(try await fault { try await client.call(get()) }.name == .applicationPasswordRequired)
        for (password, expected) in [(Self.wrong, Fault.Name.applicationPasswordRefused), (Self.right, nil)] {
            let id = try await challenge { try await client.call(get(password)) }
            try await broker.authenticator.grant(id)
            if let expected {
                #expect(try await fault { try await client.call(get(password, challenge: id)) }.name == expected)
            } else {
                #expect(try await client.call(get(password, challenge: id)).value == someValue)
            }
        }
        // The person's yes alone opens nothing, and is spent.
        let id = try await challenge { try await client.call(get(Self.right)) }
        try await broker.authenticator.grant(id)
        #expect(
            try await fault { try await client.call(get(challenge: id)) }.name == .applicationPasswordRequired)
        #expect(
            try await fault { try await client.call(get(Self.right, challenge: id)) }.name == .challengeRefused)
        await broker.stop()
    }

    @Test("with “or” giving the password chooses that way, leaving it out the others")
    func or() async throws {
        let (broker, client) = try await prepared()
        try await set(client, [.userPresence, .applicationPassword], any: true)
        #expect(try await client.call(get(Self.right)).value == someValue)
        #expect(try await fault { try await client.call(get(Self.wrong)) }.name == .applicationPasswordRefused)
        let id = try await challenge { try await client.call(get()) }
        try await broker.authenticator.grant(id)
        #expect(try await client.call(get(challenge: id)).value == someValue)
        // A wrong password and a person's yes open nothing together. The yes does not make up for the password.
        let other = try await challenge { try await client.call(get()) }
        try await broker.authenticator.grant(other)
        #expect(
            try await fault { try await client.call(get(Self.wrong, challenge: other)) }.name
                == .applicationPasswordRefused)
        await broker.stop()
    }

    @Test("a password for an item that has none is refused, not ignored")
    func unasked() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        #expect(try await fault { try await client.call(get(Self.right)) }.name == .invalidArgument)
        let edit = Keychain.Edit(service: "s", account: "a", label: "l", applicationPassword: Self.right)
        #expect(try await fault { try await client.call(edit) }.name == .invalidArgument)
        await broker.stop()
    }

    @Test("an edit reads with the old password and stores under the new one")
    func edit() async throws {
        let (broker, client) = try await prepared()
        try await set(client, [.applicationPassword])
        func edit(
            _ require: [AccessControl.Requirement], _ old: String?, _ new: String? = nil
        ) -> Keychain.Edit {
            Keychain.Edit(
                service: "s", account: "a", access: require.reduce(.whenUnlocked) { $0.requiring($1) },
                applicationPassword: old,
                newApplicationPassword: new)
        }
        #expect(try await fault { try await client.call(edit([], nil)) }.name == .applicationPasswordRequired)
        #expect(
            try await fault { try await client.call(edit([], Self.wrong)) }.name == .applicationPasswordRefused)
        _ = try await client.call(edit([.applicationPassword], Self.right, Self.wrong))
        #expect(try await fault { try await client.call(get(Self.right)) }.name == .applicationPasswordRefused)
        #expect(try await client.call(get(Self.wrong)).value == someValue)
        _ = try await client.call(edit([], Self.wrong))
        #expect(try await client.call(get()).value == someValue)
        #expect(
            try await fault { try await client.call(edit([.userPresence], nil, Self.right)) }.name == .invalidArgument)
        _ = try await client.call(edit([.applicationPassword], nil, Self.right))
        #expect(try await client.call(get(Self.right)).value == someValue)
        await broker.stop()
    }

    @Test("guesses slow down, at that item alone; the right one is let in when the time is over")
    func guesses() async throws {
        let clock = TestClock()
        var options = Broker.Options.patient
        options.clock = clock.clock
        let (broker, client) = try await prepared(options: options)
        try await set(client, [.applicationPassword])
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: "other", value: someValue, access: .init(require: [.applicationPassword]),
                applicationPassword: Self.right))
        func refusal(_ password: String) async throws -> String {
            let fault = try await fault { try await client.call(get(password)) }
            #expect(fault.name == .applicationPasswordRefused)
            return [fault.details.message, fault.details.advice].compactMap { $0 }.joined(separator: "; ")
        }
        for _ in 0..<GuessLimits.free { #expect(try await refusal(Self.wrong).contains("wrong, or the item")) }
        #expect(try await refusal(Self.right).contains("try again in 1 s"))
        // Knowing another item's password undoes nothing.
        let other = Keychain.Get(service: "s", account: "other", applicationPassword: Self.right)
        #expect(try await client.call(other).value == someValue)
        #expect(try await refusal(Self.right).contains("try again in 1 s"))
        clock.advance(by: .seconds(1))
        #expect(try await refusal(Self.wrong).contains("wrong, or the item"))
        clock.advance(by: .seconds(1))
        #expect(try await refusal(Self.right).contains("try again in 1 s"))
        clock.advance(by: .seconds(1))
        #expect(try await client.call(get(Self.right)).value == someValue)
        #expect(try await refusal(Self.wrong).contains("wrong, or the item"))
        await broker.stop()
    }

    @Test("tries that run side by side are all counted")
    func sideBySide() {
        let clock = TestClock()
        let store = GuessCounts(clock: clock.clock)
        guard let item = ItemID(bytes: [UInt8](repeating: 1, count: 16)) else { return }
        let begun = (0..<20).count { _ in store.begin(item, by: 1) == nil }
        #expect(begun == GuessLimits.free)
        #expect(store.begin(item, by: 2) == nil)
        clock.advance(by: .seconds(601))
        #expect(store.begin(item, by: 1) == nil)
    }

    @Test("one user's many passwords are stretched one by one, and keep another user waiting for one of them at most")
    func turns() async throws {
        let stretcher = PasswordStretcher(budgets: .usual)
        let order = Order()
        let (first, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let result = try StretchedPassword(SecretBytes(copying: Array("x".utf8)))
        func job(_ uid: UInt32, _ number: Int) -> Task<Void, any Error> {
            Task {
                _ = try await stretcher.run(for: uid) { () throws(VaultError) in
                    order.begin(uid)
                    // This is the worker's own thread. Nothing else runs on it.
                    _ = (uid == 1 ? first : gate).wait(timeout: .now() + 600)
                    order.end(uid)
                    return result
                }
            }
        }
        var jobs = (0..<Self.longestQueue).map { job(1, $0) }
        try await order.wait { $0.begun[1] ?? 0 >= 1 }
        // The first is at work, so one more fits. Further ones are refused. The test fixes which comes first.
        jobs.append(job(2, 0))
        try await order.wait { $0.begun[2] == 1 }
        jobs.append(job(3, 0))
        try await order.wait { _ in stretcher.waiting(of: 3) == 1 }
        #expect(order.state.begun[1] == 1 && order.state.begun[3] == nil)
        // User 3 came after all of user 1's requests, and is next once one of these has ended.
        first.signal()
        try await order.wait { $0.begun[3] == 1 || ($0.begun[1] ?? 0) > 1 }
        #expect(order.state.begun[1] == 1 && order.state.begun[3] == 1)
        for _ in 1..<Self.longestQueue { first.signal() }
        for _ in 0..<2 { gate.signal() }
        for job in jobs { try await job.value }
        #expect(order.state.most[1] == 1)
        #expect(order.state.mostOfAll == 2)
    }

    @Test("who has too many waiting is refused, and nobody else")
    func tooMany() async throws {
        let stretcher = PasswordStretcher(budgets: .usual)
        let gate = DispatchSemaphore(value: 0)
        let result = try StretchedPassword(SecretBytes(copying: Array("x".utf8)))
        let outcomes = await withTaskGroup(of: Fault.Name?.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    do throws(Fault) {
                        _ = try await stretcher.run(for: 1) { () throws(VaultError) in
                            _ = gate.wait(timeout: .now() + 600)
                            return result
                        }
                        return nil
                    } catch { return error.name }
                }
            }
            var names: [Fault.Name?] = []
            for await name in group {
                names.append(name)
                if names.count == 40 - Self.longestQueue - 1 {
                    for _ in 0..<40 { gate.signal() }
                }
            }
            return names
        }
        #expect(outcomes.count { $0 == .limitExceeded } == 40 - Self.longestQueue - 1)
        #expect(outcomes.count { $0 == nil } == Self.longestQueue + 1)
    }
}

private struct Late: Error {}

/// What ran when, and what ran beside it.
private final class Order: Sendable {
    struct State {
        var begun: [UInt32: Int] = [:]
        var running: [UInt32: Int] = [:]
        var most: [UInt32: Int] = [:]
        var mostOfAll = 0
    }

    private let mutex = Mutex(State())

    var state: State { mutex.withLock { $0 } }

    func begin(_ uid: UInt32) {
        mutex.withLock { state in
            state.begun[uid, default: 0] += 1
            state.running[uid, default: 0] += 1
            state.most[uid] = max(state.most[uid] ?? 0, state.running[uid] ?? 0)
            state.mostOfAll = max(state.mostOfAll, state.running.values.reduce(0, +))
        }
    }

    func end(_ uid: UInt32) { mutex.withLock { $0.running[uid, default: 0] -= 1 } }

    func wait(_ condition: (State) -> Bool) async throws {
        // Beside a hundred other tests, a task may wait long for its turn.
        let limit = ContinuousClock.now + patience
        while !condition(state) {
            guard ContinuousClock.now < limit else { throw Late() }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
