import Coffer
import CofferConfiguration
import CofferTestKit
import Configuration
import Testing

@Suite("a keychain's secrets for swift-configuration")
struct KeychainProviderTests {
    private let person = TestPerson.answers("sandbox")
    private let keychain: Keychain
    private let provider: KeychainProvider
    private let backend: InMemoryKeychain

    init() async throws {
        backend = InMemoryKeychain(password: "sandbox", person: person)
        keychain = Keychain(service: "server", backend: backend)
        provider = KeychainProvider(keychain)
    }

    private static func key(_ name: String) -> AbsoluteConfigKey {
        AbsoluteConfigKey(name.split(separator: ".").map(String.init))
    }

    @Test("A fetch reads the item, and every value is secret")
    func fetch() async throws {
        try await keychain.set("s3cret", for: "database.password")
        let found = try await provider.fetchValue(forKey: Self.key("database.password"), type: .string)
        #expect(found.encodedKey == "database.password")
        #expect(found.value == ConfigValue(.string("s3cret"), isSecret: true))
        #expect(try await provider.fetchValue(forKey: Self.key("none"), type: .string).value == nil)
    }

    @Test("A look-up and a snapshot have only what was fetched, and ask nobody")
    func synchronous() async throws {
        try await keychain.set("1", for: "gated", access: .whenUnlocked.requiring(.userPresence))
        #expect(try provider.value(forKey: Self.key("gated"), type: .int).value == nil)
        #expect(try provider.snapshot().value(forKey: Self.key("gated"), type: .int).value == nil)
        let fetched = try await provider.fetchValue(forKey: Self.key("gated"), type: .int)
        #expect(fetched.value?.content == .int(1))
        #expect(try provider.value(forKey: Self.key("gated"), type: .int).value?.content == .int(1))
    }

    @Test("A preload reads what requires nothing, and leaves out what would prompt")
    func preload() async throws {
        try await keychain.set("a", for: "plain")
        try await keychain.set("b", for: "gated", access: .whenUnlocked.requiring(.userPresence))
        #expect(try await provider.preload() == ["plain"])
        #expect(try provider.value(forKey: Self.key("plain"), type: .string).value?.content == .string("a"))
        #expect(try provider.value(forKey: Self.key("gated"), type: .string).value == nil)
    }

    @Test("A value of another type is an error that does not quote it", arguments: [ConfigType.int, .bool, .intArray])
    func conversion(type: ConfigType) async throws {
        try await keychain.set("s3cret", for: "key")
        do {
            _ = try await provider.fetchValue(forKey: Self.key("key"), type: type)
            Issue.record("nothing was thrown")
        } catch {
            #expect(!"\(error)".contains("s3cret"))
        }
    }

    @Test("Lists are JSON arrays")
    func lists() async throws {
        try await keychain.set(#"["a","b"]"#, for: "hosts")
        let hosts = try await provider.fetchValue(forKey: Self.key("hosts"), type: .stringArray)
        #expect(hosts.value?.content == .stringArray(["a", "b"]))
    }

    @Test("A lock empties what was fetched")
    func lock() async throws {
        try await keychain.set("a", for: "key")
        _ = try await provider.fetchValue(forKey: Self.key("key"), type: .string)
        try await provider.watchSnapshot { updates in
            var iterator = updates.makeAsyncIterator()
            _ = try await iterator.next()
            try await keychain.lock()
            let after = try #require(try await iterator.next())
            #expect(try after.value(forKey: Self.key("key"), type: .string).value == nil)
        }
        #expect(try provider.value(forKey: Self.key("key"), type: .string).value == nil)
    }

    @Test("A watch gives the value after a change of its item")
    func watch() async throws {
        try await keychain.set("a", for: "key")
        _ = try await provider.fetchValue(forKey: Self.key("key"), type: .string)
        try await provider.watchValue(forKey: Self.key("key"), type: .string) { updates in
            var iterator = updates.makeAsyncIterator()
            let first = try #require(try await iterator.next())
            #expect(try first.get().value?.content == .string("a"))
            try await keychain.set("b", for: "key")
            let second = try #require(try await iterator.next())
            #expect(try second.get().value?.content == .string("b"))
        }
    }
}
