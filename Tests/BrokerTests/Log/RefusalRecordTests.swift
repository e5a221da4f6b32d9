import Broker
import BrokerProtocol
import Item
import TestSupport
import Testing
import Varlink

/// What the record of a refused call keeps of the call, and how refusals that were only counted are told.
@Suite(.timeLimit(.minutes(30)))
struct RefusalRecordTests {
    private func prepared(_ options: Broker.Options = .patient) async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker(options: options)
        let client = try broker.client()
        try await broker.makeVault(client)
        return (broker, client)
    }

    private func records(_ client: WireClient) async throws -> [Keychain.LogRecord] {
        try await client.call(Keychain.Log()).records
    }

    @Test("names and reasons that no item and no prompt can have are left out")
    func long() async throws {
        let (broker, client) = try await prepared()
        func refused<Method: VarlinkMethod>(_ method: Method) async throws -> Keychain.LogRecord {
            #expect(try await fault { try await client.call(method) }.name == .challengeRefused)
            let last = try #require(try await records(client).last)
            #expect(last.outcome == "challenge-refused")
            return last
        }
        let (longest, tooLong) = (
            String(repeating: "n", count: ItemLimits.name), String(repeating: "n", count: ItemLimits.name + 1)
        )
        for (service, account) in [(longest, "a"), ("s", longest)] {
            let record = try await refused(Keychain.Get(service: service, account: account, challenge: "none"))
            #expect(record.service == service && record.account == account && record.event == "read")
        }
        for (service, account) in [(tooLong, "a"), ("s", tooLong)] {
            let record = try await refused(Keychain.Get(service: service, account: account, challenge: "none"))
            #expect(record.service == nil && record.account == nil && record.event == "read")
        }
        var restore = Keychain.Restore(service: "s", account: "a")
        restore.challenge = "none"
        restore.reason = String(repeating: "r", count: ItemLimits.reason)
        #expect(try await refused(restore).reason == restore.reason)
        restore.reason = String(repeating: "r", count: ItemLimits.reason + 1)
        #expect(try await refused(restore).reason == nil)
        await broker.stop()
    }

    @Test("refusals that were only counted are told with the next that is recorded, and once")
    func counted() async throws {
        let clock = TestClock()
        var options = Broker.Options.patient
        options.clock = clock.clock
        let (broker, client) = try await prepared(options)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        func withdraw(_ times: Int) async throws {
            for _ in 0..<times {
                let id = try await challenge { try await client.call(Keychain.Get(service: "s", account: "a")) }
                _ = try await client.call(Keychain.Withdraw(challenge: id))
            }
        }
        let before = try await records(client).count
        try await withdraw(67)
        #expect(try await records(client).count == before + 64)
        clock.advance(by: .seconds(10))
        try await withdraw(1)
        let told = try await records(client).dropFirst(before + 64)
        #expect(told.map(\.outcome) == ["authentication-required", "refused"])
        #expect(told.last?.detail == "3 refusals came too fast to be recorded one by one")
        // The time at which the count would have been told by itself. Nothing is left to tell.
        clock.advance(by: .seconds(51))
        // Five more can be recorded by now.
        try await withdraw(7)
        clock.advance(by: .seconds(61))
        try await until("the others are told") {
            try await records(client).last?.detail == "2 refusals came too fast to be recorded one by one"
        }
        #expect(try await records(client).dropFirst(before).count { $0.outcome == "refused" } == 2)
        await broker.stop()
    }
}
