import Authorization
import Broker
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

/// Refused reads are in the access log, with the reason that the program gave (attackers 1 and 9). They cannot drive
/// out the records of what was done.
@Suite(.timeLimit(.minutes(30)))
struct RefusalLogTests {
    private static let get = Keychain.Get(service: "s", account: "a", reason: "monthly report")

    /// A broker with a gated item.
    private func prepared(_ options: Broker.Options = .init()) async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker(options: options)
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        return (broker, client)
    }

    private func records(_ client: WireClient) async throws -> [Keychain.LogRecord] {
        try await client.call(Keychain.Log()).records
    }

    /// Waits for a record that is written in the background.
    private func record(_ client: WireClient, _ outcome: String) async throws -> Keychain.LogRecord {
        let limit = ContinuousClock.now + patience
        while true {
            if let found = try await records(client).last(where: { $0.outcome == outcome }) { return found }
            try #require(ContinuousClock.now < limit, "no record says “\(outcome)”")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("the reason is recorded, and where a person was asked it is the one that was shown")
    func reason() async throws {
        let (broker, client) = try await prepared()
        var get = Self.get
        get.challenge = try await challenge { try await client.call(get) }
        try await broker.authenticator.grant(try #require(get.challenge))
        get.reason = "another one, which nobody was shown"
        _ = try await client.call(get)
        #expect(try await records(client).last?.reason == "monthly report")
        _ = try await client.call(Keychain.Set(service: "s", account: "plain", value: someValue))
        _ = try await client.call(Keychain.Get(service: "s", account: "plain", reason: "r"))
        #expect(try await records(client).last?.reason == "r")
        _ = try await client.call(Keychain.Lock())
        _ = try await fault { try await client.call(Keychain.Get(service: "s", account: "plain", reason: "r2")) }
        #expect(try await records(client).last?.reason == "r2")
        let long = String(repeating: "x", count: 513)
        let refused = try await fault {
            try await client.call(Keychain.Get(service: "s", account: "plain", reason: long))
        }
        #expect(refused.name == .invalidArgument)
        await broker.stop()
    }

    @Test("a question that nobody will be asked is withdrawn, and recorded at once")
    func withdrawn() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(Self.get) }
        _ = try await client.call(Keychain.Withdraw(challenge: id))
        let last = try #require(try await records(client).last)
        #expect(last.event == "read" && last.outcome == "authentication-required" && last.service == "s")
        #expect(last.reason == "monthly report" && last.require == ["presence"])
        // It now allows nothing, for anybody.
        #expect(
            try await fault { try await client.call(Keychain.Withdraw(challenge: id)) }.name == .challengeRefused)
        let line = try broker.authenticator.connect()
        let uid = OwnProcess.effectiveUser
        _ = try await fault {
            try await line.call(TestAuthenticator.describe(id, uid: uid, .init(observing: getpid())))
        }
        // Once somebody is asked, only the authenticator can end it.
        let asked = try await challenge { try await client.call(Self.get) }
        let other = try broker.authenticator.connect()
        _ = try await other.call(TestAuthenticator.describe(asked, uid: uid, .init(observing: getpid())))
        #expect(
            try await fault { try await client.call(Keychain.Withdraw(challenge: asked)) }.name == .challengeRefused)
        await broker.stop()
    }

    @Test("a program that brings its question before the answer does not take it out of the log")
    func broughtTooEarly() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(Self.get) }
        let line = try await broker.authenticator.described(id)
        #expect(try await fault { try await client.call(Keychain.Unlock(challenge: id)) }.name == .challengeRefused)
        _ = try await line.call(BrokerInterface.Refuse(challenge: id, reason: "password"))
        let last = try #require(try await records(client).last)
        #expect(last.event == "read" && last.outcome == "password" && last.service == "s")
        #expect(last.reason == "monthly report")
        await broker.stop()
    }

    @Test("an answer that a program spends on something else is recorded as the person was shown the question")
    func spentInVain() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "b", value: someValue, access: .presence))
        func spend(on account: String) async throws -> Fault.Name {
            var get = Keychain.Get(service: "s", account: account, reason: "harmless")
            let id = try await challenge { try await client.call(Self.get) }
            try await broker.authenticator.grant(id)
            get.challenge = id
            return try await fault { try await client.call(get) }.name
        }
        #expect(try await spend(on: "b") == .challengeRefused)
        var last = try await records(client).suffix(2)
        #expect(last.map(\.account) == ["a", "b"] && last.map(\.reason) == ["monthly report", "harmless"])
        #expect(last.allSatisfy { $0.outcome == "challenge-refused" })
        #expect(try await spend(on: "none") == .notFound)
        last = try await records(client).suffix(1)
        #expect(last.map(\.account) == ["a"] && last.map(\.outcome) == ["not-found"])
        await broker.stop()
    }

    @Test("a question that nobody answers is recorded when it is too old")
    func expired() async throws {
        let clock = TestClock()
        var options = Broker.Options.patient
        options.clock = clock.clock
        let (broker, client) = try await prepared(options)
        _ = try await challenge { try await client.call(Self.get) }
        clock.advance(by: .seconds(3600))
        #expect(try await record(client, "expired").reason == "monthly report")
        await broker.stop()
    }

    @Test("a question whose asking ended without a word is recorded")
    func cancelled() async throws {
        let (broker, client) = try await prepared()
        let id = try await challenge { try await client.call(Self.get) }
        let line = try broker.authenticator.connect()
        _ = try await line.call(
            TestAuthenticator.describe(id, uid: OwnProcess.effectiveUser, .init(observing: getpid())))
        await line.close()
        #expect(try await record(client, "cancelled").service == "s")
        await broker.stop()
    }

    @Test("a lock that ends a question is its end in the log, too")
    func locked() async throws {
        let (broker, client) = try await prepared()
        _ = try await challenge { try await client.call(Self.get) }
        _ = try await client.call(Keychain.Lock())
        #expect(try await record(client, "locked").reason == "monthly report")
        await broker.stop()
    }

    @Test("refusals without end are counted, not recorded one by one")
    func flood() async throws {
        let clock = TestClock()
        var options = Broker.Options.patient
        options.clock = clock.clock
        let (broker, client) = try await prepared(options)
        let before = try await records(client).count
        for _ in 0..<200 {
            let id = try await challenge { try await client.call(Self.get) }
            _ = try await client.call(Keychain.Withdraw(challenge: id))
        }
        #expect(try await records(client).count == before + 64)
        // The count is recorded without another refusal.
        clock.advance(by: .seconds(61))
        let count = try await record(client, "refused")
        #expect(count.detail == "136 refusals came too fast to be recorded one by one")
        // After some time refusals are recorded again.
        let id = try await challenge { try await client.call(Self.get) }
        _ = try await client.call(Keychain.Withdraw(challenge: id))
        #expect(try await records(client).last?.outcome == "authentication-required")
        await broker.stop()
    }
}
