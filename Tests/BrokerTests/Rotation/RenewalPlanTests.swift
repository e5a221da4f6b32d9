import BrokerProtocol
import Item
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker

/// What one prompt of a renewal of all keys names, and by which way each item is read for it.
@Suite(.timeLimit(.minutes(30)))
struct RenewalPlanTests {
    private func prepared() async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        return (broker, client)
    }

    /// The next prompt.
    private func facts(
        _ broker: ThrowAwayBroker, _ client: WireClient
    ) async throws -> BrokerInterface.Describe.Reply {
        let id = try await challenge { try await client.call(Keychain.RotateAll()) }
        let line = try broker.authenticator.connect()
        let facts = try await line.call(
            TestAuthenticator.describe(id, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
        await line.close()
        return facts
    }

    private func set(
        _ client: WireClient, _ service: String, _ account: String, _ access: AccessControl = .presence
    ) async throws {
        _ = try await client.call(Keychain.Set(service: service, account: account, value: someValue, access: access))
    }

    @Test func soManySignaturesAndNoMore() async throws {
        let (broker, client) = try await prepared()
        for number in 0..<30 {
            try await set(client, "s", "\(number)", .whenUnlocked.requiring(.userPresence, .devicePasscode))
            var field = Keychain.Set(service: "s", account: "\(number)", value: someValue)
            field.field = "pin"
            _ = try await client.call(field)
        }
        let found = try await facts(broker, client)
        // Two kinds of proof for each of two fields. The first signature is the vault's own.
        #expect(found.items?.count == RenewalLimits.signatures / 4)
        #expect(found.authorizations.count == 1 + RenewalLimits.signatures)
        await broker.stop()
    }

    @Test func namesThatFitInTheWorstSpellingAndNoMore() async throws {
        let (broker, client) = try await prepared()
        let (first, second) = (String(repeating: "x", count: 1000), String(repeating: "y", count: 1000))
        // Escaped, each byte of the names takes six characters. Each item's line takes some more.
        let names = (RenewalLimits.names - 2 * 32) / 6 - 2 * ("secret".count + 4)
        let account = String(repeating: "a", count: names / 2 - 1000)
        #expect(2 * (6 * (1000 + account.count + 10) + 32) == RenewalLimits.names)
        try await set(client, first, account)
        try await set(client, second, account)
        #expect(try await facts(broker, client).items?.count == 2)
        _ = try await client.call(Keychain.Delete(service: second, account: account))
        try await set(client, second, account + "a")
        #expect(try await facts(broker, client).items?.count == 1)
        // What is short fits beside the one that has its turn.
        try await set(client, "s", "short")
        let accounts = try await facts(broker, client).items?.map(\.account) ?? []
        #expect(accounts.count == 2 && accounts.contains("short"))
        await broker.stop()
    }

    @Test func aWayWithoutAFingerIsPreferred() async throws {
        let (broker, client) = try await prepared()
        var either = Keychain.Set(
            service: "s", account: "either", value: someValue,
            access: AccessControl.whenUnlocked.requiringAny(of: .biometryAny, .devicePasscode))
        either.challenge = try await challenge { try await client.call(either) }
        try await broker.authenticator.enrol(try #require(either.challenge), set: nil)
        _ = try await client.call(either)
        var finger = Keychain.Set(
            service: "s", account: "finger", value: someValue,
            access: AccessControl.whenUnlocked.requiring(.biometryAny))
        finger.challenge = try await challenge { try await client.call(finger) }
        try await broker.authenticator.enrol(try #require(finger.challenge), set: nil)
        _ = try await client.call(finger)
        let found = try await facts(broker, client)
        #expect(found.authorizations.map(\.kind).sorted() == ["biometry-any", "passcode", "unlock"])
        await broker.stop()
    }
}
