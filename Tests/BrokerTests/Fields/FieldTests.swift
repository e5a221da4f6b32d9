import Authorization
import Broker
import BrokerProtocol
import Foundation
import Item
import Platform
import TestSupport
import Testing
import Varlink

/// Fields of items on the wire.
@Suite(.timeLimit(.minutes(30)))
struct FieldTests {
    private static func text(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private func prepared() async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker(options: .patient)
        let client = try broker.client()
        try await broker.makeVault(client)
        return (broker, client)
    }

    @discardableResult
    private func set(
        _ client: WireClient, _ field: String? = nil, _ value: String, _ access: AccessControl? = nil,
        kind: FieldKind? = nil, password: String? = nil
    ) async throws -> Keychain.Set.Reply {
        try await client.call(
            Keychain.Set(
                service: "github", account: "octo", field: field, fieldKind: kind, value: Self.text(value),
                access: access.map(Keychain.AccessChange.init(whole:)),
                applicationPassword: password.map(Self.text)))
    }

    private func get(
        _ field: String? = nil, version: Int64? = nil, password: String? = nil, challenge: String? = nil
    ) -> Keychain.Get {
        Keychain.Get(
            service: "github", account: "octo", field: field, version: version,
            applicationPassword: password.map(Self.text), challenge: challenge)
    }

    private func all(_ fields: String?..., challenge: String? = nil) -> Keychain.GetAll {
        Keychain.GetAll(
            items: fields.map { .init(service: "github", account: "octo", field: $0) }, challenge: challenge)
    }

    private func value(_ client: WireClient, _ field: String? = nil) async throws -> String {
        String(decoding: Data(base64Encoded: try await client.call(get(field)).value) ?? Data(), as: UTF8.self)
    }

    private func describe(
        _ broker: ThrowAwayBroker, _ id: String
    ) async throws -> BrokerInterface.Describe.Reply {
        let line = try broker.authenticator.connect()
        let facts = try await line.call(
            TestAuthenticator.describe(id, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
        await line.close()
        return facts
    }

    @Test func eachIsStoredAndReadByItself() async throws {
        let (broker, client) = try await prepared()
        defer { withExtendedLifetime(broker) {} }
        let first = try await set(client, nil, "password")
        #expect(first.item.fields == nil && first.replaced == nil)
        let second = try await set(client, "otp", "seed")
        #expect(second.replaced == nil && second.former == nil)
        #expect(second.item.fields?.map(\.name) == ["secret", "otp"])
        #expect(second.item.fields?.map(\.kind) == [.secret, .otp])
        let third = try await set(client, "pin", "1234", kind: .text)
        #expect(third.item.fields?.last?.kind == .text)
        let replaced = try await set(client, "otp", "seed 2")
        #expect(replaced.replaced != nil && replaced.former == second.item.version)
        #expect(try await value(client) == "password")
        #expect(try await value(client, "otp") == "seed 2")
        #expect(try await value(client, "pin") == "1234")
        let missing = try await fault { try await client.call(get("puk")) }
        #expect(missing.name == .notFound && missing.details.advice?.contains("secret, otp, pin") == true)
        for name in ["", "a\nb", String(repeating: "x", count: 129)] {
            #expect(try await fault { try await client.call(get(name)) }.name == .invalidArgument)
            #expect(try await fault { _ = try await set(client, name, "v") }.name == .invalidArgument)
            #expect(try await fault { try await client.call(all(name)) }.name == .invalidArgument)
        }
        let records = try await client.call(Keychain.Log()).records
        #expect(records.contains { $0.event == "read" && $0.detail == "field pin" })
        #expect(records.contains { $0.event == "set" && $0.detail == "field otp, replaced" })
    }

    @Test func anItemNeedsNoSecret() async throws {
        let (broker, client) = try await prepared()
        defer { withExtendedLifetime(broker) {} }
        let stored = try await set(client, "notes", "text")
        #expect(stored.item.fields?.map(\.name) == ["notes"] && stored.item.fields?.first?.kind == .text)
        let missing = try await fault { try await client.call(get()) }
        #expect(missing.name == .notFound && missing.details.advice == "it has: notes")
        #expect(try await client.call(Keychain.Exists(service: "github", account: "octo")).exists)
    }

    /// Consent to one field is no consent to another, attacker 4.
    @Test func aPersonIsAskedForTheField() async throws {
        let (broker, client) = try await prepared()
        try await set(client, nil, "password", .presence)
        try await set(client, "pin", "1234")
        let id = try await challenge { try await client.call(get("pin")) }
        #expect(try await describe(broker, id).fields == ["pin"])
        let pin = try await challenge { try await client.call(get("pin")) }
        try await broker.authenticator.grant(pin)
        #expect(try await fault { try await client.call(get(challenge: pin)) }.name == .challengeRefused)
        let again = try await challenge { try await client.call(get("pin")) }
        try await broker.authenticator.grant(again)
        #expect(try await client.call(get("pin", challenge: again)).value == Self.text("1234"))
        let secret = try await challenge { try await client.call(get()) }
        #expect(try await describe(broker, secret).fields == nil)
        // Consent to a fresh key for all fields gives none of them out.
        let rotating = try await challenge {
            try await client.call(Keychain.Rotate(service: "github", account: "octo"))
        }
        try await broker.authenticator.grant(rotating)
        #expect(try await fault { try await client.call(get("pin", challenge: rotating)) }.name == .challengeRefused)
    }

    @Test func severalAreReadUnderOneChallenge() async throws {
        let (broker, client) = try await prepared()
        try await set(client, nil, "password", .presence)
        try await set(client, "pin", "1234")
        try await set(client, "otp", "seed")
        #expect(try await fault { try await client.call(all("pin", "pin")) }.name == .invalidArgument)
        #expect(try await fault { try await client.call(all(nil, "secret")) }.name == .invalidArgument)
        let id = try await challenge { try await client.call(all("pin", nil)) }
        let facts = try await describe(broker, id)
        #expect(facts.items?.map(\.fields) == [["pin"], nil] && facts.authorizations.count == 2)
        let granted = try await challenge { try await client.call(all("pin", nil)) }
        try await broker.authenticator.grant(granted)
        // It is good for these fields in this order.
        #expect(
            try await fault { try await client.call(all("otp", nil, challenge: granted)) }.name == .challengeRefused)
        let good = try await challenge { try await client.call(all("pin", nil)) }
        try await broker.authenticator.grant(good)
        let values = try await client.call(all("pin", nil, challenge: good)).items.map(\.value)
        #expect(values == [Self.text("1234"), Self.text("password")])
    }

    /// A change of access, a rename and a fresh key seal all fields, and ask once.
    @Test func whatSealsAllAsksOnce() async throws {
        let (broker, client) = try await prepared()
        try await set(client, nil, "password", .presence)
        try await set(client, "pin", "1234")
        func edit(_ challenge: String? = nil) -> Keychain.Edit {
            Keychain.Edit(
                service: "github", account: "octo", access: .afterFirstUnlock.requiring(.userPresence),
                challenge: challenge)
        }
        let seen = try await challenge { try await client.call(edit()) }
        let facts = try await describe(broker, seen)
        #expect(facts.fields == ["secret", "pin"] && facts.purposes == [.change] && facts.authorizations.count == 2)
        let id = try await challenge { try await client.call(edit()) }
        try await broker.authenticator.grant(id)
        #expect(try await client.call(edit(id)).item.access.accessibility == .afterFirstUnlock)
        func rename(_ challenge: String? = nil) -> Keychain.Rename {
            Keychain.Rename(
                service: "github", account: "octo", newService: "github", newAccount: "mona", challenge: challenge)
        }
        let renaming = try await challenge { try await client.call(rename()) }
        try await broker.authenticator.grant(renaming)
        _ = try await client.call(rename(renaming))
        func rotate(_ challenge: String? = nil) -> Keychain.Rotate {
            Keychain.Rotate(service: "github", account: "mona", challenge: challenge)
        }
        let rotating = try await challenge { try await client.call(rotate()) }
        try await broker.authenticator.grant(rotating)
        _ = try await client.call(rotate(rotating))
        for (field, expected) in [(nil, "password"), ("pin", "1234")] {
            func read(_ challenge: String? = nil) -> Keychain.Get {
                Keychain.Get(service: "github", account: "mona", field: field, challenge: challenge)
            }
            let id = try await challenge { try await client.call(read()) }
            try await broker.authenticator.grant(id)
            #expect(try await client.call(read(id)).value == Self.text(expected))
        }
    }

    @Test func removedAndRestored() async throws {
        let (broker, client) = try await prepared()
        defer { withExtendedLifetime(broker) {} }
        try await set(client, nil, "password")
        let pin = try await set(client, "pin", "1234").item
        func edit(_ unset: [String], _ access: AccessControl? = nil) -> Keychain.Edit {
            Keychain.Edit(service: "github", account: "octo", access: access, unset: unset)
        }
        #expect(try await fault { try await client.call(edit(["pin"], .presence)) }.name == .invalidArgument)
        #expect(try await fault { try await client.call(edit(["puk"])) }.name == .notFound)
        #expect(try await fault { try await client.call(edit(["pin", "secret"])) }.name == .invalidArgument)
        #expect(try await client.call(edit(["pin"])).item.fields == nil)
        let history = try await client.call(Keychain.History(service: "github", account: "octo")).versions
        #expect(history.map(\.field) == ["pin"] && history.map(\.version) == [pin.version])
        #expect(try await client.call(get(version: pin.version)).value == Self.text("1234"))
        #expect(try await fault { try await client.call(get("secret", version: pin.version)) }.name == .notFound)
        func restore(_ field: String?) -> Keychain.Restore {
            Keychain.Restore(service: "github", account: "octo", field: field)
        }
        #expect(try await fault { try await client.call(restore(nil)) }.name == .notFound)
        #expect(try await client.call(restore("pin")).item.fields?.map(\.name) == ["secret", "pin"])
        #expect(try await value(client, "pin") == "1234")
        let records = try await client.call(Keychain.Log()).records
        #expect(records.contains { $0.event == "edit" && $0.detail == "field pin removed" })
    }

    /// Nobody gives a field of an item another application password than the others have, attacker 4.
    @Test func anItemHasOneApplicationPassword() async throws {
        let (broker, client) = try await prepared()
        defer { withExtendedLifetime(broker) {} }
        let access = AccessControl.whenUnlocked.requiring(.applicationPassword)
        try await set(client, nil, "password", access, password: "open")
        #expect(try await fault { _ = try await set(client, "pin", "1234") }.name == .applicationPasswordRequired)
        #expect(
            try await fault { _ = try await set(client, "pin", "1234", password: "shut") }.name
                == .applicationPasswordRefused)
        #expect(try await client.call(Keychain.Show(service: "github", account: "octo")).item.fields == nil)
        try await set(client, "pin", "1234", password: "open")
        #expect(try await client.call(get("pin", password: "open")).value == Self.text("1234"))
        #expect(try await client.call(get(password: "open")).value == Self.text("password"))
        // The log names the field that was stored, and not the one that was opened for the check.
        try await set(client, nil, "password", password: "open")
        let stored = try await client.call(Keychain.Log()).records.filter { $0.event == "set" && $0.outcome == "done" }
        #expect(stored.map(\.detail) == [nil, "field pin", nil])
        // Several changes at once open nothing.
        let change = Keychain.Change(
            action: .set, service: "github", account: "octo", value: Self.text("5678"), field: "pin",
            applicationPassword: Self.text("open"))
        #expect(try await fault { try await client.call(Keychain.Apply(changes: [change])) }.name == .invalidArgument)
    }

    @Test func applyTakesFields() async throws {
        let (broker, client) = try await prepared()
        defer { withExtendedLifetime(broker) {} }
        let changes = [
            Keychain.Change(action: .set, service: "github", account: "octo", value: Self.text("password")),
            Keychain.Change(
                action: .set, service: "github", account: "octo", value: Self.text("seed"), field: "otp",
                fieldKind: .otp),
        ]
        _ = try await client.call(Keychain.Apply(changes: changes))
        #expect(try await value(client) == "password")
        #expect(try await value(client, "otp") == "seed")
        let odd = Keychain.Change(action: .delete, service: "github", account: "octo", field: "otp")
        #expect(try await fault { try await client.call(Keychain.Apply(changes: [odd])) }.name == .invalidArgument)
        #expect(try await value(client, "otp") == "seed")
    }

    /// A lease covers the fields that the person was shown, and no other.
    @Test func aLeaseIsForFields() async throws {
        let (broker, client) = try await prepared()
        try await set(client, nil, "password", .presence)
        try await set(client, "pin", "1234")
        func lease(_ challenge: String? = nil) -> Keychain.Lease {
            Keychain.Lease(
                items: [.init(service: "github", account: "octo", field: "pin")], seconds: 60, challenge: challenge)
        }
        let id = try await challenge { try await client.call(lease()) }
        #expect(try await describe(broker, id).items?.map(\.fields) == [["pin"]])
        let granted = try await challenge { try await client.call(lease()) }
        try await broker.authenticator.grant(granted)
        let reply = try await client.call(lease(granted))
        #expect(reply.lease?.items.map(\.field) == ["pin"])
        let pin = try await challenge { try await client.call(get("pin")) }
        #expect(try await describe(broker, pin).leased == true)
        let secret = try await challenge { try await client.call(get()) }
        #expect(try await describe(broker, secret).leased == nil)
    }
}
