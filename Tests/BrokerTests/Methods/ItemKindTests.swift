import BrokerProtocol
import Item
import TestSupport
import Testing
import Varlink

/// Items of several kinds under one name, through the real socket.
@Suite(.timeLimit(.minutes(30)))
struct ItemKindTests {
    private static let value = "b3RoZXI="

    @Test("a kind is a part of the name in every method, and left out it is generic, but all kinds in lists")
    func everyMethod() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let generic = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue)).item
        let key = try await client.call(
            Keychain.Set(service: "s", account: "a", kind: .key, value: Self.value, mode: .new)
        ).item
        #expect(generic.kind == .genericPassword && key.kind == .key && generic.id != key.id)
        #expect(try await client.call(Keychain.Get(service: "s", account: "a")).value == someValue)
        #expect(try await client.call(Keychain.Get(service: "s")).item.id == generic.id)
        #expect(try await client.call(Keychain.Get(service: "s", kind: .key)).value == Self.value)
        #expect(try await client.call(Keychain.Show(service: "s", kind: .key)).item == key)
        #expect(try await client.call(Keychain.Exists(service: "s", kind: .key)).exists)
        #expect(try await !client.call(Keychain.Exists(service: "s", account: "a", kind: .file)).exists)
        #expect(try await client.call(Keychain.List()).items.map(\.kind) == [.genericPassword, .key])
        #expect(try await client.call(Keychain.List(service: "s")).items.count == 2)
        #expect(try await client.call(Keychain.List(kind: .key)).items == [key])
        #expect(try await client.call(Keychain.List(service: "s", kind: .genericPassword)).items == [generic])
        #expect(try await client.call(Keychain.Search(text: "s", kind: .key)).items == [key])
        #expect(try await client.call(Keychain.Search(text: "s")).items.count == 2)
        let edited = try await client.call(Keychain.Edit(service: "s", account: "a", kind: .key, label: "l")).item
        #expect(edited.id == key.id && edited.revision != key.revision)
        let gated = try await client.call(
            Keychain.Edit(service: "s", account: "a", kind: .key, access: .afterFirstUnlock)
        ).item
        #expect(gated.id == key.id)
        let rotated = try await client.call(Keychain.Rotate(service: "s", kind: .key)).item
        #expect(rotated.id == key.id && rotated.version == gated.version + 1)
        #expect(
            try await fault { try await client.call(Keychain.Rotate(service: "s", account: "a", kind: .file)) }.name
                == .notFound)
        let renamed = try await client.call(
            Keychain.Rename(service: "s", account: "a", kind: .key, newService: "s", newAccount: "b")
        ).item
        #expect(renamed.id == key.id && renamed.kind == .key)
        #expect(
            try await fault { try await client.call(Keychain.Delete(service: "s", account: "a", kind: .key)) }.name
                == .notFound)
        _ = try await client.call(Keychain.Delete(service: "s", account: "b", kind: .key))
        #expect(try await client.call(Keychain.Get(service: "s", account: "a")).value == someValue)
        let records = try await client.call(Keychain.Log()).records
        #expect(records.last { $0.event == "delete" }?.kind == .key)
        #expect(records.first { $0.event == "set" }?.kind == nil)
        await broker.stop()
    }

    /// A program that gets a harmless item of one kind allowed does not get the one of another kind.
    @Test("a person's answer about one kind is none about another")
    func challenges() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        for kind in [ItemKind.certificate, .key] {
            _ = try await client.call(
                Keychain.Set(service: "s", account: "a", kind: kind, value: someValue, access: .presence))
        }
        let id = try await challenge {
            try await client.call(Keychain.Get(service: "s", account: "a", kind: .certificate))
        }
        try await broker.authenticator.grant(id)
        let refused = try await fault {
            try await client.call(Keychain.Get(service: "s", account: "a", kind: .key, challenge: id))
        }
        #expect(refused.name == .challengeRefused)
        await broker.stop()
    }

    @Test("an unknown kind is refused, and nothing is stored")
    func unknown() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        for kind in [#""widget""#, #""Key""#, #""""#, "1"] {
            try await client.send(
                Array(
                    #"{"method":"org.coffer.Keychain.Set","parameters":{"service":"s","account":"a","value":"","kind":\#(kind)}}"#
                        .utf8) + [0])
            let refused = try Varlink.decode(Fault.self, from: try await client.message())
            #expect(refused.name == .invalidParameter && refused.details.parameter == "kind")
        }
        #expect(try await client.call(Keychain.List()).items.isEmpty)
        await broker.stop()
    }
}
