import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// How guessing at application passwords slows down, and what makes it quick again.
struct GuessTests {
    private let clock = TestClock()
    private let item: ItemID
    private let other: ItemID

    init() throws { (item, other) = (try ItemID.random(), try ItemID.random()) }

    @Test("the first tries wait for nothing, and each further one twice as long, up to half a minute")
    func delays() {
        #expect(
            (0...9).map(GuessCounts.delay(after:))
                == [0, 0, 0, 1, 2, 4, 8, 16, 30, 30].map { Duration.seconds($0) })
        #expect(GuessCounts.delay(after: 1000) == .seconds(30))
    }

    @Test("the time to wait is what is left of it, and a refused try is none")
    func waits() {
        let counts = GuessCounts(clock: clock.clock)
        for _ in 0..<GuessLimits.free { #expect(counts.begin(item, by: 1) == nil) }
        #expect(counts.begin(item, by: 1) == .seconds(1))
        clock.advance(by: .milliseconds(400))
        #expect(counts.begin(item, by: 1) == .milliseconds(600))
        clock.advance(by: .milliseconds(600))
        #expect(counts.begin(item, by: 1) == nil)
        #expect(counts.begin(item, by: 1) == .seconds(2))
        // Another item and another user have counts of their own.
        #expect(counts.begin(other, by: 1) == nil && counts.begin(item, by: 2) == nil)
    }

    @Test("the right password makes all as before, at that item and for that user alone")
    func success() {
        let counts = GuessCounts(clock: clock.clock)
        for uid in [1, 2] as [UInt32] {
            for item in [item, other] { for _ in 0..<GuessLimits.free { _ = counts.begin(item, by: uid) } }
        }
        counts.succeeded(item, by: 1)
        for _ in 0..<GuessLimits.free { #expect(counts.begin(item, by: 1) == nil) }
        #expect(counts.begin(item, by: 1) != nil)
        #expect(counts.begin(other, by: 1) != nil && counts.begin(item, by: 2) != nil)
    }

    @Test("a try that did not take place counts no more, and those before it do")
    func takenBack() {
        let counts = GuessCounts(clock: clock.clock)
        for _ in 0..<2 * GuessLimits.free {
            #expect(counts.begin(item, by: 1) == nil)
            counts.takeBack(item, by: 1)
        }
        for _ in 0..<GuessLimits.free { #expect(counts.begin(item, by: 1) == nil) }
        counts.takeBack(item, by: 1)
        #expect(counts.begin(item, by: 1) == nil)
        #expect(counts.begin(item, by: 1) == .seconds(1))
        // Another's tries, and those that nobody made, are not touched.
        counts.takeBack(item, by: 2)
        counts.takeBack(other, by: 1)
        #expect(counts.begin(item, by: 1) == .seconds(1))
    }

    @Test("tries are forgotten so long after the last of them, and not after the first")
    func memory() {
        let counts = GuessCounts(clock: clock.clock)
        for _ in 0..<GuessLimits.free { _ = counts.begin(item, by: 1) }
        clock.advance(by: GuessLimits.memory - .milliseconds(1))
        #expect(counts.begin(item, by: 1) == nil)
        #expect(counts.begin(item, by: 1) == .seconds(2))
        clock.advance(by: GuessLimits.memory - .milliseconds(1))
        #expect(counts.begin(item, by: 1) == nil)
        #expect(counts.begin(item, by: 1) == .seconds(4))
        clock.advance(by: GuessLimits.memory)
        for _ in 0..<GuessLimits.free { #expect(counts.begin(item, by: 1) == nil) }
        #expect(counts.begin(item, by: 1) == .seconds(1))
    }
}

/// A right password that came for a renewal of all keys.
@Suite(.timeLimit(.minutes(30)))
struct GuessRenewalTests {
    @Test("a renewal that took the right password makes reading quick again")
    func renewal() async throws {
        let clock = TestClock()
        var options = Broker.Options.patient
        options.clock = clock.clock
        let broker = try await throwAwayBroker(options: options)
        let client = try broker.client()
        try await broker.makeVault(client)
        let (right, wrong) = (Data("open".utf8).base64EncodedString(), Data("shut".utf8).base64EncodedString())
        let item = try await client.call(
            Keychain.Set(
                service: "s", account: "a", value: someValue, access: .init(require: [.applicationPassword]),
                applicationPassword: right)
        ).item
        func get(_ password: String) async throws -> String {
            try await client.call(Keychain.Get(service: "s", account: "a", applicationPassword: password)).value
        }
        for _ in 0..<GuessLimits.free {
            #expect(try await fault { try await get(wrong) }.name == .applicationPasswordRefused)
        }
        clock.advance(by: .seconds(1))
        var method = Keychain.RotateAll(applicationPasswords: [.init(item: item.id, password: right)])
        let id = try await challenge { try await client.call(method) }
        await (try broker.authenticator.rotate(id)).line.close()
        method.challenge = id
        #expect(try await client.call(method).items == 1)
        #expect(try await get(right) == someValue)
        await broker.stop()
    }
}
