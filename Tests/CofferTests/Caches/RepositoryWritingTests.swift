import Coffer
import Synchronization
import Testing

@testable import CofferCaches

/// A cache that keeps or forgets nothing while a test says so.
final class StuckCache: ValueCache {
    struct State {
        var values: [String: Int] = [:]
        var keepsNothing = false
        var forgetsNothing = false
    }

    private let state = Mutex(State())

    func edit<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    private static let failure = KeychainError(.brokerUnreachable, "gone")

    func values(for keys: [String]) async throws(KeychainError) -> [String: Int] {
        edit { state in state.values.filter { keys.contains($0.key) } }
    }

    func keep(_ values: [String: Int]) async throws(KeychainError) {
        let isDone = edit { state in
            if !state.keepsNothing { state.values.merge(values) { _, new in new } }
            return !state.keepsNothing
        }
        if !isDone { throw Self.failure }
    }

    func forget(_ keys: [String]) async throws(KeychainError) {
        let isDone = edit { state in
            if !state.forgetsNothing { for key in keys { state.values[key] = nil } }
            return !state.forgetsNothing
        }
        if !isDone { throw Self.failure }
    }

    func forgetAll() async throws(KeychainError) { try await forget(edit { Array($0.values.keys) }) }
}

/// What a cache has after a change that overlaps with a removal, or that it cannot keep.
struct RepositoryWritingTests {
    let source = ScriptedSource()

    @Test("An update that ends after a logout does not fill the cache again", arguments: [false, true])
    func updateOlderThanRemoval(isAll: Bool) async throws {
        let gate = Gate()
        source.edit { $0.sendGates = [gate] }
        let cache = LRUCache<String, Int>()
        let repository = Repository(source: source, cache: cache)
        let update = Task { try await repository.update(["a": 1]) }
        #expect(try await eventually { gate.waiting == 1 })
        if isAll { try await repository.forgetAll() } else { try await repository.forget(["a"]) }
        gate.open()
        try await update.value
        #expect(cache.count == 0)
        // The next user's are kept.
        try await repository.update(["a": 2])
        #expect(cache.value(for: "a") == 2)
    }

    @Test("A value that the cache cannot keep leaves no former one", arguments: [false, true])
    func formerValueLeaves(isRefresh: Bool) async throws {
        let cache = StuckCache()
        let failures = Tally()
        let repository = Repository(source: source, cache: cache) { _ in failures.add() }
        try await repository.update(["a": 1])
        cache.edit { $0.keepsNothing = true }
        try await change(repository, isRefresh)
        #expect(failures.count == 1)
        #expect(cache.edit { $0.values.isEmpty })
        #expect(try await repository.value(for: "a") == 2)
    }

    @Test("A former value that the cache cannot even forget is not given", arguments: [false, true])
    func formerValueIsNotGiven(isRefresh: Bool) async throws {
        let cache = StuckCache()
        let repository = Repository(source: source, cache: cache)
        try await repository.update(["a": 1, "b": 1])
        cache.edit { ($0.keepsNothing, $0.forgetsNothing) = (true, true) }
        try await change(repository, isRefresh)
        #expect(cache.edit { $0.values["a"] } == 1)
        #expect(try await repository.values(for: ["a", "b"], policy: .cacheOnly) == ["b": 1])
        #expect(try await repository.value(for: "a") == 2)
        // As soon as the cache keeps one, it is given again.
        cache.edit { ($0.keepsNothing, $0.forgetsNothing) = (false, false) }
        try await repository.update(["a": 3])
        #expect(try await repository.value(for: "a", policy: .cacheOnly) == 3)
    }

    /// The source has 2 afterwards.
    private func change(_ repository: Repository<String, Int>, _ isRefresh: Bool) async throws {
        guard isRefresh else { return try await repository.update(["a": 2]) }
        source.edit { $0.values["a"] = 2 }
        #expect(try await repository.refresh("a") == 2)
    }
}
