import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing

@testable import Broker
@testable import Vault

/// `Rotate` renews an item's key. A person is asked as for a read, and the value stays in the broker.
// One after another, because scrypt takes a whole processor and a signature has two seconds.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct ItemRotationTests {
    private static let right = Data("open".utf8).base64EncodedString()

    private func rotate(_ password: String? = nil, challenge: String? = nil, unlock: Bool? = nil) -> Keychain.Rotate {
        Keychain.Rotate(
            service: "s", account: "a", unlock: unlock, applicationPassword: password, challenge: challenge)
    }

    private func prepared(
        _ access: AccessControl?, password: String? = nil
    ) async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: "a", value: someValue, access: access.map(Keychain.AccessChange.init(whole:)),
                applicationPassword: password))
        return (broker, client)
    }

    @Test func aGatedItemAsksOnceAndIsWhatItWas() async throws {
        let (broker, client) = try await prepared(.presence)
        let before = try await client.call(Keychain.Show(service: "s", account: "a")).item
        // Nobody said yes, or somebody said yes to something else.
        let open = try await challenge { try await client.call(rotate()) }
        #expect(try await fault { try await client.call(rotate(challenge: open)) }.name == .challengeRefused)
        _ = try await client.call(Keychain.Set(service: "s", account: "b", value: someValue, access: .presence))
        let other = try await challenge {
            try await client.call(Keychain.Get(service: "s", account: "b"))
        }
        try await broker.authenticator.grant(other)
        #expect(try await fault { try await client.call(rotate(challenge: other)) }.name == .challengeRefused)
        #expect(try await client.call(Keychain.Show(service: "s", account: "a")).item.version == 1)

        let after = try await broker.call(client, rotate()) { rotate(challenge: $0) }.item
        var expected = before
        expected.version += 1
        // The fresh key is another state of the item.
        #expect(after.revision != before.revision)
        expected.revision = after.revision
        #expect(after == expected)
        let value = try await broker.call(client, Keychain.Get(service: "s", account: "a")) {
            Keychain.Get(service: "s", account: "a", challenge: $0)
        }.value
        #expect(value == someValue)
        let log = try await client.call(Keychain.Log()).records.filter { $0.event == "rotate" }
        #expect(log.map(\.outcome).last == "done" && log.last?.account == "a")
        await broker.stop()
    }

    @Test func aLockedKeychainIsOpenedFirst() async throws {
        let (broker, client) = try await prepared(nil)
        _ = try await client.call(Keychain.Lock())
        #expect(try await fault { try await client.call(rotate()) }.name == .locked)
        _ = try await broker.call(client, rotate(unlock: true)) { rotate(challenge: $0) }
        #expect(try await client.call(Keychain.Get(service: "s", account: "a")).value == someValue)
        await broker.stop()
    }

    @Test(arguments: [true, false])
    func anApplicationPasswordStaysTheItems(any: Bool) async throws {
        let access = try AccessControl(requirements: [.userPresence, .applicationPassword], anyIsEnough: any)
        let (broker, client) = try await prepared(access, password: Self.right)
        #expect(try await fault { try await client.call(rotate()) }.name == .applicationPasswordRequired)
        let wrong = Data("shut".utf8).base64EncodedString()
        let refused = try await fault {
            try await broker.call(client, rotate(wrong)) { rotate(wrong, challenge: $0) }
        }
        #expect(refused.name == .applicationPasswordRefused)
        _ = try await broker.call(client, rotate(Self.right)) { rotate(Self.right, challenge: $0) }
        let get = Keychain.Get(service: "s", account: "a", applicationPassword: Self.right)
        let value = try await broker.call(client, get) {
            Keychain.Get(service: "s", account: "a", applicationPassword: Self.right, challenge: $0)
        }.value
        #expect(value == someValue)
        if any {
            let present = try await broker.call(client, Keychain.Get(service: "s", account: "a")) {
                Keychain.Get(service: "s", account: "a", challenge: $0)
            }.value
            #expect(present == someValue)
        }
        await broker.stop()
    }
}
