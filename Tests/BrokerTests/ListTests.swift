import BrokerProtocol
import TestSupport
import Testing
import Varlink

@testable import Broker

/// Attacker 7: a client asks for lists and does not read them.
@Suite(.timeLimit(.minutes(30)))
struct ListTests {
    @Test("a user has so many lists under way and no more, and others have theirs")
    func untaken() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let attributes = Dictionary(
            uniqueKeysWithValues: (0..<64).map { ("\($0)", String(repeating: "x", count: 4000)) })
        for number in 0..<44 {
            _ = try await client.call(
                Keychain.Set(service: "s", account: "\(number)", value: someValue, attributes: attributes))
        }
        // Eleven million bytes each. Four of them leave no room for a fifth.
        var others: [WireClient] = []
        for _ in 0..<4 {
            let other = try broker.client()
            try await other.send(
                Array(#"{"method":"org.coffer.Keychain.List","parameters":{},"more":true}"#.utf8) + [0])
            // Its first part was read. Now it is under way, and no other call here can take its place.
            _ = try await other.message()
            others.append(other)
        }
        let limit = ContinuousClock.now + patience
        var refusal: Fault?
        while refusal?.name != .limitExceeded {
            try #require(ContinuousClock.now < limit, "\(String(describing: refusal))")
            refusal = try await fault { try await client.call(Keychain.List()) }
        }
        // Other calls work, and once the others are gone, lists do as well.
        #expect(try await client.call(Keychain.Get(service: "s", account: "1")).value == someValue)
        for other in others { await other.close() }
        while try await fault({ try await client.call(Keychain.List()) }).name != .expectedMore {
            try #require(ContinuousClock.now < limit)
        }
        #expect(try await client.call(Keychain.List(service: "t")).items.isEmpty)
        await broker.stop()
    }
}
