import BrokerProtocol
import TestSupport
import Testing
import Varlink

@testable import Broker

/// Attacker 7: a client asks for lists and does not read them.
@Suite(.timeLimit(.minutes(30)))
struct ListTests {
    @Test("a reply has as many items as a client reads, and more items come one by one")
    func mostValues() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        // An item without attributes and requirements has 15 values, and the reply around the items has 3.
        let most = (Varlink.mostValues - 3) / 15
        for start in stride(from: 0, to: most, by: 128) {
            let changes = (start..<min(start + 128, most)).map {
                Keychain.Change(action: .set, service: "s", account: "\($0)", value: someValue)
            }
            _ = try await client.call(Keychain.Apply(changes: changes))
        }
        #expect(try await client.call(Keychain.List()).items.count == most)
        #expect(try await client.call(Keychain.Search(text: "s")).items.count == most)
        // With two values more: a label, and one of the attributes.
        let last = Keychain.Set(
            service: "s", account: "last", value: someValue, label: "l", attributes: ["a": "b"])
        _ = try await client.call(last)
        #expect(try await fault { try await client.call(Keychain.List()) }.name == .expectedMore)
        #expect(try await fault { try await client.call(Keychain.Search(text: "s")) }.name == .expectedMore)
        let named = try await client.call(Keychain.List(service: "s", accounts: ["last", "0", "none"])).items
        #expect(named.map(\.account) == ["0", "last"])
        #expect(named.map(\.valueCount) == [15, 17])
        #expect(try await fault { try await client.call(Keychain.List(accounts: ["0"])) }.name == .invalidArgument)
        for method in [
            #""org.coffer.Keychain.List","parameters":{}"#, #""org.coffer.Keychain.Search","parameters":{}"#,
        ] {
            try await client.send(Array("{\"method\":\(method),\"more\":true}".utf8) + [0])
            var count = 0
            var continues = true
            while continues {
                let message = try await client.message()
                let answer = try Varlink.decode(VarlinkAnswer<Keychain.ItemsReply>.self, from: message)
                guard case .reply(let reply, let more) = answer else {
                    Issue.record("\(answer)")
                    break
                }
                #expect(reply.items.count == 1)
                count += reply.items.count
                continues = more
            }
            #expect(count == most + 1)
        }
        await broker.stop()
    }

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
