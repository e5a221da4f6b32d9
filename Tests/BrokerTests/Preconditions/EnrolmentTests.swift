import Authorization
import BrokerProtocol
import Foundation
import Item
import Platform
import TestSupport
import Testing

/// Items that are bound to fingers: what the broker asks before it makes one, and what happens when other fingers are
/// enrolled.
struct EnrolmentTests {
    private static let first = [UInt8](repeating: 1, count: 32)
    private static let second = [UInt8](repeating: 2, count: 32)

    private static func set(
        _ account: String, _ require: AccessControl.Requirement..., any: Bool = false, challenge: String? = nil
    ) -> Keychain.Set {
        Keychain.Set(
            service: "s", account: account, value: someValue,
            access: .init(require: require, any: any), challenge: challenge)
    }

    private static func make(
        _ broker: ThrowAwayBroker, _ client: WireClient, _ method: Keychain.Set, set: [UInt8]?
    ) async throws -> Keychain.Item {
        let id = try await challenge { try await client.call(method) }
        try await broker.authenticator.enrol(id, set: set)
        var repeated = method
        repeated.challenge = id
        return try await client.call(repeated).item
    }

    private static func read(_ broker: ThrowAwayBroker, _ client: WireClient, _ account: String) async throws -> String
    {
        try await broker.call(client, Keychain.Get(service: "s", account: account)) {
            Keychain.Get(service: "s", account: account, challenge: $0)
        }.value
    }

    @Test func anItemIsBoundToFingersOnlyAfterTheAuthenticatorLooked() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let asked = try await fault { try await client.call(Self.set("a", .biometryAny)) }
        #expect(asked.details.purposes == ["enrolment"])
        let unlooked = try #require(asked.details.challenge)
        let refused = try await fault { try await client.call(Self.set("a", .biometryAny, challenge: unlooked)) }
        #expect(refused.name == .challengeRefused)

        let item = try await Self.make(broker, client, Self.set("a", .biometryAny), set: nil)
        #expect(item.biometrySet == nil)
        #expect(try await Self.read(broker, client, "a") == someValue)
        // A check for one kind does not count for the other.
        let id = try await challenge { try await client.call(Self.set("b", .biometryAny)) }
        try await broker.authenticator.enrol(id, set: nil)
        let other = try await fault { try await client.call(Self.set("b", .biometryCurrentSet, challenge: id)) }
        #expect(other.name == .challengeRefused)
        await broker.stop()
    }

    @Test func otherFingersKillTheItemsOfTheFirstAndOnlyThese() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let bound = try await Self.make(broker, client, Self.set("bound", .biometryCurrentSet), set: Self.first)
        #expect(bound.biometrySet == Hex.encode(Self.first))
        _ = try await Self.make(
            broker, client, Self.set("either", .userPresence, .biometryCurrentSet, any: true), set: Self.first)
        _ = try await Self.make(broker, client, Self.set("any", .biometryAny), set: nil)
        #expect(try await Self.read(broker, client, "bound") == someValue)

        let later = try await Self.make(broker, client, Self.set("later", .biometryCurrentSet), set: Self.second)
        #expect(later.biometrySet == Hex.encode(Self.second))
        let lost = try await fault { try await client.call(Keychain.Get(service: "s", account: "bound")) }
        #expect(lost.name == .fingersChanged)
        #expect(lost.details.message?.contains("enrolled fingers changed") == true)
        for account in ["later", "either", "any"] {
            #expect(try await Self.read(broker, client, account) == someValue, "\(account)")
        }
        // A lost item can still be shown, and set again.
        let shown = try await client.call(Keychain.Show(service: "s", account: "bound")).item
        #expect(shown.biometrySet == Hex.encode(Self.first))
        let again = try await Self.make(broker, client, Self.set("bound", .biometryCurrentSet), set: Self.second)
        #expect(again.biometrySet == Hex.encode(Self.second))
        #expect(try await Self.read(broker, client, "bound") == someValue)

        // All this also holds after a restart.
        await broker.stop()
        let next = try await throwAwayBroker(folder: broker.folder, authenticator: broker.authenticator)
        let nextClient = try next.client()
        try await next.makeVault(nextClient)
        #expect(try await Self.read(next, nextClient, "later") == someValue)
        await next.stop()
    }

    @Test func aKeyThatTheRegistryDoesNotNameIsMadeAnew() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await Self.make(broker, client, Self.set("any", .biometryAny), set: nil)
        let id = try await challenge { try await client.call(Self.set("bound", .biometryCurrentSet)) }
        try await broker.authenticator.enrol(id, set: Self.first, registers: false)
        // The machine stops here. The file has a key that the registry does not know.
        await broker.stop()

        let next = try await throwAwayBroker(folder: broker.folder, authenticator: broker.authenticator)
        let nextClient = try next.client()
        try await next.makeVault(nextClient)
        #expect(try await Self.read(next, nextClient, "any") == someValue)
        let bound = try await Self.make(next, nextClient, Self.set("bound", .biometryCurrentSet), set: Self.first)
        #expect(bound.biometrySet == Hex.encode(Self.first))
        #expect(try await Self.read(next, nextClient, "bound") == someValue)
        // Once more without the registry. The file no longer has the key that it names. The key's items are gone, and
        // the vault is whole.
        let lost = try await challenge { try await nextClient.call(Self.set("x", .biometryCurrentSet)) }
        try await next.authenticator.enrol(lost, set: Self.second, registers: false)
        await next.stop()
        let last = try await throwAwayBroker(folder: broker.folder, authenticator: broker.authenticator)
        let lastClient = try last.client()
        try await last.makeVault(lastClient)
        let gone = try await fault { try await lastClient.call(Keychain.Get(service: "s", account: "bound")) }
        #expect(gone.name == .fingersChanged)
        #expect(try await Self.read(last, lastClient, "any") == someValue)
        _ = try await Self.make(last, lastClient, Self.set("bound", .biometryCurrentSet), set: Self.first)
        #expect(try await Self.read(last, lastClient, "bound") == someValue)
        await last.stop()
    }

    @Test func aKeyIsMadeOnlyForAnEnrolmentAndOneAtATime() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        func provide(_ id: String, _ line: WireClient, _ digest: [UInt8] = Self.first) async throws -> [UInt8] {
            _ = try await line.call(
                TestAuthenticator.describe(
                    id, uid: OwnProcess.effectiveUser, try TestAuthenticator.thisProcess()))
            let reply = try await line.call(
                BrokerInterface.ProvideKey(
                    challenge: id, kind: "biometry-current-set", setDigest: Data(digest).base64EncodedString()))
            return [UInt8](Data(base64Encoded: reply.name) ?? Data())
        }
        let any = try await challenge { try await client.call(Self.set("a", .biometryAny)) }
        let line = try broker.authenticator.connect()
        #expect(try await fault { try await provide(any, line) }.name == .brokerNotPermitted)
        try await Self.makeGated(broker, client)
        let read = try await challenge { try await client.call(Keychain.Get(service: "s", account: "gated")) }
        #expect(try await fault { try await provide(read, line) }.name == .brokerNotPermitted)
        let short = try await challenge { try await client.call(Self.set("a", .biometryCurrentSet)) }
        #expect(try await fault { try await provide(short, line, [1, 2]) }.name == .brokerInvalidArgument)

        let one = try await challenge { try await client.call(Self.set("a", .biometryCurrentSet)) }
        #expect(try await provide(one, line).count == 34)
        let two = try await challenge { try await client.call(Self.set("a", .biometryCurrentSet)) }
        let other = try broker.authenticator.connect()
        #expect(try await fault { try await provide(two, other) }.name == .brokerFailed)
        // Without the registry nothing is granted.
        let early = try await fault { try await line.call(BrokerInterface.ConfirmEnrolment(challenge: one)) }
        #expect(early.name == .brokerNotPermitted)
        let spent = try await fault { try await client.call(Self.set("a", .biometryCurrentSet, challenge: one)) }
        #expect(spent.name == .challengeRefused)
        await broker.stop()
    }

    private static func makeGated(_ broker: ThrowAwayBroker, _ client: WireClient) async throws {
        _ = try await client.call(
            Keychain.Set(service: "s", account: "gated", value: someValue, access: .presence))
    }

    @Test func anEditAsksForFingersFirstAndThenForThePerson() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        try await Self.makeGated(broker, client)
        var edit = Keychain.Edit(
            service: "s", account: "gated", access: AccessControl.whenUnlocked.requiring(.biometryCurrentSet))
        let looked = try await challenge { try await client.call(edit) }
        try await broker.authenticator.enrol(looked, set: Self.first)
        edit.challenge = looked
        let asked = try await fault { try await client.call(edit) }
        #expect(asked.details.purposes == ["change"])
        let reading = try #require(asked.details.challenge)
        try await broker.authenticator.grant(reading)
        edit.challenge = reading
        #expect(try await client.call(edit).item.biometrySet == Hex.encode(Self.first))
        #expect(try await Self.read(broker, client, "gated") == someValue)
        await broker.stop()
    }
}
