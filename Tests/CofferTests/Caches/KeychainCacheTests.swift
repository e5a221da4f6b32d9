import CofferTestKit
import Foundation
import Testing

@testable import Coffer
@testable import CofferCaches

/// The cache that outlives the process.
struct KeychainCacheTests {
    let backend = ScriptedBackend()
    var keychain: Keychain { Keychain(service: "app", backend: backend) }

    private func cache(
        _ name: String = "profiles", _ limits: CacheLimits = CacheLimits(cost: 1000), lifetime: Duration = .seconds(60)
    ) -> KeychainCache<[String]> {
        KeychainCache(name: name, keychain: keychain, lifetime: lifetime, limits: limits, now: backend.now)
    }

    @Test("Values are kept by one call, and another process reads them")
    func keepAndRead() async throws {
        let values = Dictionary(uniqueKeysWithValues: (0..<40).map { ("key \($0)/é", ["\($0)"]) })
        try await cache().keep(values)
        #expect(backend.edit { $0.applied.count } == 1)
        #expect(try await cache().values(for: values.keys + ["absent"]) == values)
        #expect(try await cache().value(for: "key 7/é") == ["7"])
        #expect(try await cache().value(for: "absent") == nil)
        #expect(try await cache("other").values(for: Array(values.keys)).isEmpty)
    }

    @Test("The items are for this device only, and expire in the vault")
    func items() async throws {
        try await cache().set(["v"], for: "a")
        let item = try await keychain.attributes(of: "cache/profiles/a")
        #expect(item.access == .whenUnlocked.thisDeviceOnly)
        #expect(item.expires == backend.now().addingTimeInterval(60))
    }

    @Test("A value that has expired is never given, even if the backend would")
    func expired() async throws {
        let backend = backend
        try await cache().set(["v"], for: "a")
        backend.advance(by: 59)
        #expect(try await cache().value(for: "a") == ["v"])
        let ahead = KeychainCache<[String]>(name: "profiles", keychain: keychain, lifetime: .seconds(60)) {
            backend.now().addingTimeInterval(1)
        }
        #expect(try await ahead.value(for: "a") == nil)
        backend.advance(by: 1)
        #expect(try await cache().value(for: "a") == nil)
    }

    @Test("An item of the cache that has other fields alone hides no value")
    func otherFields() async throws {
        let keychain = Keychain(service: "app", backend: InMemoryKeychain())
        let cache = KeychainCache<[String]>(name: "c", keychain: keychain, lifetime: .seconds(60))
        try await cache.set(["v"], for: "a")
        let hint: FieldName = "hint"
        try await keychain.field(hint).set("mine", for: "cache/c/b", attributes: [CacheAttributes.name: "c"])
        #expect(try await cache.values(for: ["a", "b"]) == ["a": ["v"]])
    }

    @Test("Nobody is asked, and while the vault is locked nothing is read")
    func neverAsks() async throws {
        try await cache().set(["v"], for: "a")
        backend.setVault(.locked)
        #expect(await keychainCode { _ = try await cache().value(for: "a") } == .locked)
        try await cache().set(["w"], for: "a")
        #expect(backend.edit { $0.prompts } == 0)
        backend.setVault(.unlocked)
        #expect(try await cache().value(for: "a") == ["w"])
    }

    @Test("A full cache drops what has expired, then what was written first")
    func bounded() async throws {
        let cache = cache("c", CacheLimits(count: 3, cost: 1000))
        for key in ["a", "b", "c"] {
            try await cache.set([key], for: key)
            backend.advance(by: 1)
        }
        try await cache.set(["d"], for: "d")
        #expect(try await cache.values(for: ["a", "b", "c", "d"]).keys.sorted() == ["b", "c", "d"])
        try await cache.set(["b2"], for: "b")
        #expect(try await keychain.accounts().count == 3)
        backend.advance(by: 59)
        try await cache.set(["e"], for: "e")
        #expect(try await keychain.accounts() == ["cache/c/b", "cache/c/d", "cache/c/e"])
        try await cache.keep(["1": ["1"], "2": ["2"], "3": ["3"], "4": ["4"], "5": ["5"]])
        #expect(try await keychain.accounts().count == 3)
    }

    @Test("The sum of the sizes stays below the limit, and a value that is too large leaves no former one")
    func boundedCost() async throws {
        let cache = cache("c", CacheLimits(count: 100, cost: 30))
        try await cache.set(["0123456789"], for: "a")
        backend.advance(by: 1)
        try await cache.set(["0123456789"], for: "b")
        backend.advance(by: 1)
        try await cache.set(["0123456789"], for: "c")
        #expect(try await keychain.accounts() == ["cache/c/b", "cache/c/c"])
        try await cache.set([String(repeating: "x", count: 40)], for: "b")
        #expect(try await cache.values(for: ["b", "c"]).keys.sorted() == ["c"])
    }

    @Test("A value that no item takes is not kept, and leaves no former one")
    func tooLargeForAnItem() async throws {
        let cache = cache("c", CacheLimits(cost: 16 << 20))
        try await cache.keep(["a": ["1"], "b": ["2"]])
        try await cache.keep(["a": [String(repeating: "x", count: StorageLimits.item)], "c": ["3"]])
        #expect(try await cache.values(for: ["a", "b", "c"]) == ["b": ["2"], "c": ["3"]])
    }

    @Test("A size that another program wrote does no harm", arguments: ["-5", "\(Int.max)", "x", "9e9", ""])
    func forgedSize(size: String) async throws {
        let cache = cache("c", CacheLimits(count: 5, cost: 1000))
        try await keychain.set("[]", for: "cache/c/forged", attributes: ["coffer-cache": "c", "bytes": size])
        backend.advance(by: 1)
        try await cache.set(["v"], for: "a")
        #expect(try await cache.value(for: "a") == ["v"])
    }

    @Test("Equal keys are one value, however they are written")
    func equalKeys() async throws {
        try await cache().set(["1"], for: "e\u{301}")
        try await cache().set(["2"], for: "\u{E9}")
        #expect(try await cache().value(for: "e\u{301}") == ["2"])
        #expect(try await keychain.accounts().count == 1)
        try await cache().forget(["e\u{301}"])
        #expect(try await keychain.accounts().isEmpty)
    }

    @Test("Forgetting one value or all leaves everything else of the service")
    func forget() async throws {
        try await keychain.set("secret", for: "token")
        try await cache("other").set(["o"], for: "a")
        try await cache().keep(["a": ["1"], "b": ["2"], "c": ["3"]])
        try await cache().forget(["a", "absent"])
        #expect(try await cache().values(for: ["a", "b", "c"]).count == 2)
        try await cache().forgetAll()
        #expect(try await keychain.accounts() == ["cache/other/a", "token"])
    }

    @Test("A cache never waits for the TPM: whatever it writes or removes is a mere write")
    func isAMereWrite() async throws {
        let small = cache("small", CacheLimits(count: 2, cost: 1000))
        try await small.keep(["a": ["1"], "b": ["2"]])
        // Two leave it.
        try await small.keep(["c": ["3"], "d": ["4"]])
        try await small.forget(["c"])
        try await small.forgetAll()
        #expect(backend.edit { $0.protections } == Array(repeating: .later, count: 4))
        try await keychain.delete("token")
        try await keychain.delete("token", protection: .later)
        #expect(backend.edit { $0.protections.suffix(2) } == [.soon, .later])
    }

    @Test("A call that fails stores nothing", arguments: 0..<3)
    func allOrNothing(failing: Int) async throws {
        backend.edit { $0.failingChange = failing }
        #expect(await keychainCode { try await cache().keep(["a": ["1"], "b": ["2"], "c": ["3"]]) } == .failed)
        #expect(try await keychain.accounts().isEmpty)
    }

    @Test("A value that leaves while it is looked up is absent")
    func leavesMeanwhile() async throws {
        let cache = cache()
        try await cache.keep(["a": ["1"], "b": ["2"]])
        backend.edit { $0.beforeRead = { try await cache.forget(["a"]) } }
        #expect(try await cache.values(for: ["a", "b"]) == ["b": ["2"]])
    }

    @Test("A name with a slash is refused, because it would reach into another cache")
    func names() async throws {
        for name in ["", "a/b"] {
            #expect(await keychainCode { try await cache(name).set(["v"], for: "k") } == .invalidArgument)
            #expect(await keychainCode { try await cache(name).forgetAll() } == .invalidArgument)
        }
    }

    @Test("A value of another type is told, and not given")
    func otherType() async throws {
        try await cache().set(["v"], for: "a")
        let other = KeychainCache<Int>(name: "profiles", keychain: keychain, lifetime: .seconds(60), now: backend.now)
        #expect(await keychainCode { _ = try await other.value(for: "a") } == .notDecodable)
    }
}
