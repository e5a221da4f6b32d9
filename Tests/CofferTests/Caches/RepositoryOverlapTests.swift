import Testing

@testable import Coffer
@testable import CofferCaches
@testable import CofferClient

/// Requests that overlap with an error, or with what the application is told in another way.
struct RepositoryOverlapTests {
    let source = ScriptedSource()
    let cache = LRUCache<String, Int>()
    var repository: Repository<String, Int> { Repository(source: source, cache: cache) }

    @Test("An error that ends a load of several keys also ends the request that nobody else waits for")
    func errorEndsTheOtherRequest() async throws {
        let (first, second) = (Gate(), Gate())
        source.edit { state in
            state.values = ["a": 1, "b": 2]
            state.gates = [first, second]
            state.error = ScriptedSource.Offline()
        }
        let repository = repository
        let one = Task { try await repository.value(for: "a") }
        #expect(try await eventually { first.waiting == 1 })
        // The second request would succeed.
        source.edit { $0.error = nil }
        let both = Task { try await repository.values(for: ["a", "b"]) }
        #expect(try await eventually { second.waiting == 1 && repository.flights.waiting == 2 })
        first.open()
        await #expect(throws: ScriptedSource.Offline.self) { try await both.value }
        await #expect(throws: ScriptedSource.Offline.self) { try await one.value }
        second.open()
        #expect(try await eventually { source.edit { $0.cancelled } == 1 || cache.value(for: "b") != nil })
        #expect(source.edit { $0.cancelled } == 1)
        #expect(cache.count == 0)
    }

    @Test("An answer that is older than what the application was told in another way is not kept")
    func olderThanWhatWasTold() async throws {
        let gate = Gate()
        source.edit { state in
            state.values["a"] = 1
            state.gates = [gate]
        }
        let repository = repository
        let old = Task { try await repository.value(for: "a", policy: .networkOnly) }
        #expect(try await eventually { gate.waiting == 1 })
        // The server sends a notice of a newer value.
        source.edit { $0.values["a"] = 2 }
        await repository.keep(["a": 2])
        #expect(try await repository.value(for: "a", policy: .cacheOnly) == 2)
        gate.open()
        #expect(try await old.value == 1)
        #expect(cache.value(for: "a") == 2)
    }

    @Test("Of an update and what the application was told meanwhile, neither is kept")
    func toldDuringAnUpdate() async throws {
        let gate = Gate()
        source.edit { $0.sendGates = [gate] }
        let repository = repository
        let update = Task { try await repository.update(["a": 1, "b": 1]) }
        #expect(try await eventually { gate.waiting == 1 })
        // Nobody knows whether the source has said this before or after it got the update.
        await repository.keep(["a": 2, "c": 2])
        #expect(cache.value(for: "a") == nil && cache.value(for: "c") == 2)
        gate.open()
        try await update.value
        #expect(cache.value(for: "a") == nil)
        #expect(cache.value(for: "b") == 1 && cache.value(for: "c") == 2)
        // What is told afterwards is.
        await repository.keep(["a": 3])
        #expect(cache.value(for: "a") == 3)
    }
}

/// Items of the service that are no values of a cache.
struct KeychainCacheNeighbourTests {
    let backend = ScriptedBackend()

    @Test("An item that has only the attribute of a cache is no value of it, and stays")
    func onlyTheAttribute() async throws {
        let keychain = Keychain(service: "app", backend: backend)
        try await keychain.set("secret", for: "token", attributes: ["coffer-cache": "profiles"])
        let cache = KeychainCache<[String]>(
            name: "profiles", keychain: keychain, lifetime: .seconds(60), limits: CacheLimits(count: 1),
            now: backend.now)
        for key in ["a", "b"] {
            backend.advance(by: 1)
            try await cache.set([key], for: key)
        }
        #expect(try await keychain.accounts() == ["cache/profiles/b", "token"])
        try await cache.forgetAll()
        #expect(try await keychain.string(for: "token") == "secret")
        #expect(try await keychain.accounts() == ["token"])
    }
}
