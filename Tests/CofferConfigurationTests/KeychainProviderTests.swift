import Coffer
import CofferTestKit
import Configuration
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CofferConfiguration

@Suite("a keychain's secrets for swift-configuration")
struct KeychainProviderTests {
    private let person = TestPerson.answers("sandbox")
    private let keychain: Keychain
    private let provider: KeychainProvider
    private let backend: InMemoryKeychain
    private let calls = Calls()

    init() async throws {
        let calls = calls
        backend = InMemoryKeychain(password: "sandbox", person: person) {
            calls.next()
            return Date()
        }
        keychain = Keychain(service: "server", backend: backend)
        provider = KeychainProvider(keychain)
    }

    private func known(_ name: String) throws -> ConfigContent? {
        try provider.value(forKey: Self.key(name), type: .string).value?.content
    }

    /// The value of the account `key`.
    private static func content(_ snapshot: (any ConfigSnapshot)?) throws -> ConfigContent? {
        try #require(snapshot).value(forKey: key("key"), type: .string).value?.content
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

    @Test("A preload keeps what it reads while other items change")
    func preloadBesideChanges() async throws {
        for name in ["a", "b", "c"] { try await keychain.set(name, for: name) }
        let other = try await keychain.set("x", for: "other")
        try await keychain.delete("other")
        calls.each = { [provider] _ in provider.follow(.deleted(other)) }
        #expect(try await provider.preload() == ["a", "b", "c"])
        #expect(try known("a") == .string("a"))
    }

    @Test("A preload names only what look-ups have: not what changed while it was read, and nothing after a lock")
    func preloadNamesWhatIsThere() async throws {
        for name in ["a", "b", "c"] { try await keychain.set(name, for: name) }
        let old = try await keychain.attributes(of: "b")
        let new = ItemAttributes(
            id: old.id, name: old.name, access: old.access, created: old.created, modified: old.modified,
            version: old.version + 1, revision: "new")
        // The first call lists the items, and each of the others reads one.
        calls.each = { [provider] number in if number == 3 { provider.follow(.updated(new)) } }
        #expect(try await provider.preload() == ["a", "c"])
        #expect(try known("b") == nil)
        calls.each = { [provider] number in if number == 4 { provider.follow(.locked) } }
        #expect(try await provider.preload().isEmpty)
    }

    @Test("An event that comes late does not take away the value that is newer")
    func lateEvent() async throws {
        let first = try await keychain.set("a", for: "key")
        let second = try await keychain.set("b", for: "key")
        _ = try await provider.fetchValue(forKey: Self.key("key"), type: .string)
        provider.follow(.updated(first))
        provider.follow(.updated(second))
        #expect(try known("key") == .string("b"))
        provider.follow(.updated(try await keychain.set("c", for: "key")))
        #expect(try known("key") == nil)
    }

    @Test("An item of another class with the same account takes no value away")
    func otherClass() async throws {
        try await keychain.set("a", for: "key")
        _ = try await provider.fetchValue(forKey: Self.key("key"), type: .string)
        let certificate = try await keychain.items(ofClass: .certificate).set("c", for: "key")
        provider.follow(.added(certificate))
        provider.follow(.deleted(certificate))
        #expect(try known("key") == .string("a"))
    }

    @Test("A change between a preload and the moment at which a run listens is noticed")
    func changeBeforeRun() async throws {
        for name in ["same", "changed", "deleted"] { try await keychain.set("a", for: name) }
        try await provider.preload()
        try await keychain.set("b", for: "changed")
        try await keychain.delete("deleted")
        let gaps = Gaps()
        let running = Task { [provider] in try await provider.run { gaps.add() } }
        let limit = ContinuousClock.now + patience
        while gaps.count == 0 {
            try #require(ContinuousClock.now < limit, "no gap was told")
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(try known("changed") == nil && known("deleted") == nil)
        #expect(try known("same") == .string("a"))
        #expect(gaps.count == 1)
        running.cancel()
        try await running.value
    }

    @Test("Values that have not changed stay when events are first heard, and while the vault is locked none does")
    func firstHeard() async throws {
        try await keychain.set("a", for: "key")
        #expect(try await provider.forgetChanged() == false)
        try await provider.preload()
        #expect(try await provider.forgetChanged() == false)
        #expect(try known("key") == .string("a"))
        try await keychain.lock()
        #expect(try await provider.forgetChanged())
        #expect(try known("key") == nil)
    }

    @Test("A watch that ends takes nothing away")
    func endOfWatch() async throws {
        try await keychain.set("a", for: "key")
        _ = try await provider.fetchValue(forKey: Self.key("key"), type: .string)
        let updates = try await provider.watchValue(forKey: Self.key("key"), type: .string) { updates in updates }
        // The sequence ends when the watch no longer follows events.
        for try await _ in updates {}
        #expect(try known("key") == .string("a"))
    }

    @Test("A snapshot after a change has the new value, and lacks one that needs a person")
    func snapshotAfterChange() async throws {
        try await keychain.set("a", for: "key")
        try await provider.preload()
        try await provider.watchSnapshot { updates in
            var iterator = updates.makeAsyncIterator()
            var snapshot = try await iterator.next()
            #expect(try Self.content(snapshot) == .string("a"))
            try await keychain.set("b", for: "key")
            // A snapshot may come twice, but none without the secret.
            repeat { snapshot = try await iterator.next() } while try Self.content(snapshot) == .string("a")
            #expect(try Self.content(snapshot) == .string("b"))
            #expect(try known("key") == .string("b"))
            try await keychain.lock()
            repeat { snapshot = try await iterator.next() } while try Self.content(snapshot) == .string("b")
            #expect(try Self.content(snapshot) == nil)
            try await keychain.set("c", for: "key")
            try await keychain.prompting(.handler { $0.wantsAnswer ? "sandbox" : nil }).unlock()
            repeat { snapshot = try await iterator.next() } while try Self.content(snapshot) == nil
            #expect(try Self.content(snapshot) == .string("c"))
            try await keychain.set("d", for: "key", access: .whenUnlocked.requiring(.userPresence))
            repeat { snapshot = try await iterator.next() } while try Self.content(snapshot) == .string("c")
            #expect(try Self.content(snapshot) == nil)
            #expect(backend.shownMessages.count { $0.wantsAnswer } == 1)
        }
    }
}

private final class Gaps: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}

/// Runs something at each call of a keychain in memory.
private final class Calls: Sendable {
    private let state = Mutex<(count: Int, each: (@Sendable (Int) -> Void)?)>((0, nil))

    /// Gets the number of the call, from 1.
    var each: (@Sendable (Int) -> Void)? {
        get { state.withLock { $0.each } }
        set { state.withLock { $0 = (0, newValue) } }
    }

    func next() {
        let (count, each) = state.withLock { state in
            state.count += 1
            return (state.count, state.each)
        }
        each?(count)
    }
}
