import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing

/// What a routine call that replaces a value leaves as it was. A caller who writes only the new value must not weaken
/// what guards it (attacker 1 may write, its owner does so every day).
@Suite(.timeLimit(.minutes(30)))
struct ReplacingTests {
    private static let guarded = AccessControl.afterFirstUnlock.thisDeviceOnly.requiringAny(
        of: .userPresence, .devicePasscode)

    private func prepared() async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        return (broker, client)
    }

    private func set(_ value: String = "bmV3", _ change: Keychain.AccessChange? = nil) -> Keychain.Set {
        var method = Keychain.Set(service: "s", account: "a", value: value)
        method.access = change
        return method
    }

    @Test("whatever is not named stays as it is")
    func kept() async throws {
        let (broker, client) = try await prepared()
        let expiry = Int64(Date().timeIntervalSince1970 * 1000) + 1_000_000
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: "a", value: someValue, access: Self.guarded, label: "L", comment: "C",
                attributes: ["k": "v"], expires: expiry))
        let item = try await client.call(set()).item
        #expect(item.version == 2 && item.access == Self.guarded && item.expires == expiry)
        #expect(item.label == "L" && item.comment == "C" && item.attributes == ["k": "v"])
        // It really asks as before, and not only in the record.
        let asked = try await fault { try await client.call(Keychain.Get(service: "s", account: "a")) }
        #expect(asked.details.purposes == ["read"])
        await broker.stop()
    }

    @Test("each member of an access control stands for itself, and what was named is taken")
    func members() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: Self.guarded))
        var expected = Self.guarded
        func check(_ change: Keychain.AccessChange) async throws {
            #expect(try await client.call(set("bmV3", change)).item.access == expected)
        }
        expected = .whenUnlocked.thisDeviceOnly.requiringAny(of: .userPresence, .devicePasscode)
        try await check(.init(accessibility: .whenUnlocked))
        expected = .whenUnlocked.requiringAny(of: .userPresence, .devicePasscode)
        try await check(.init(thisDeviceOnly: false))
        // An “or” belongs to the requirements that came with it.
        expected = .whenUnlocked.requiring(.userPresence, .devicePasscode)
        try await check(.init(require: [.userPresence, .devicePasscode]))
        expected = .whenUnlocked
        try await check(.init(require: []))
        let removed = try await client.call(
            Keychain.Set(
                service: "s", account: "a", value: someValue, label: "", comment: "", attributes: [:], expires: 0))
        #expect(removed.item.label == nil && removed.item.expires == nil)
        await broker.stop()
    }

    @Test("one that has expired keeps what it asks for, and not the date")
    func expired() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(
            Keychain.Set(service: "s", account: "a", value: someValue, access: Self.guarded, expires: 1000))
        let item = try await client.call(set()).item
        #expect(item.access == Self.guarded && item.expires == nil)
        await broker.stop()
    }

    @Test("an application password that is kept must come with the call")
    func applicationPassword() async throws {
        let (broker, client) = try await prepared()
        let password = Data("open".utf8).base64EncodedString()
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: "a", value: someValue, access: .init(require: [.applicationPassword]),
                applicationPassword: password))
        #expect(try await fault { try await client.call(set()) }.name == .applicationPasswordRequired)
        var method = set()
        method.applicationPassword = password
        #expect(try await client.call(method).item.access.requirements == [.applicationPassword])
        await broker.stop()
    }

    @Test("what is kept is what is there when the value is replaced, not what was there when fingers were looked for")
    func changedMeanwhile() async throws {
        let (broker, client) = try await prepared()
        var method = Keychain.Set(service: "s", account: "a", value: someValue, access: .init(require: [.biometryAny]))
        method.challenge = try await challenge { try await client.call(method) }
        try await broker.authenticator.enrol(try #require(method.challenge), set: nil)
        _ = try await client.call(method)

        var routine = set()
        routine.challenge = try await challenge { try await client.call(routine) }
        try await broker.authenticator.enrol(try #require(routine.challenge), set: nil)
        _ = try await client.call(set("bmV3", .init(require: [.devicePasscode])))
        #expect(try await client.call(routine).item.access.requirements == [.devicePasscode])
        await broker.stop()
    }
}
