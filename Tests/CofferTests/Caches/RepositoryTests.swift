import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferCaches
@testable import CofferClient

/// A server of the test's: it counts requests, waits, and can be offline.
final class ScriptedSource: RemoteSource {
    struct Offline: Error {}
    struct Refused: Error {}

    struct State {
        var values: [String: Int] = [:]
        var requests: [[String]] = []
        var sent: [[String: Int]] = []
        var error: (any Error)?
        /// Requests wait for it, in their order; absent: they do not wait.
        var gates: [Gate] = []
        /// Updates wait for it, in their order, after the source has their values.
        var sendGates: [Gate] = []
        var cancelled = 0
    }

    private let state = Mutex(State())

    func edit<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    func fetch(_ keys: [String]) async throws -> [String: Int] {
        // The answer is of the moment at which the request comes in.
        let (gate, answer, error) = edit { state in
            state.requests.append(keys.sorted())
            let gate = state.gates.isEmpty ? nil : state.gates.removeFirst()
            return (gate, state.values.filter { keys.contains($0.key) }, state.error)
        }
        await gate?.pass()
        if Task.isCancelled { edit { $0.cancelled += 1 } }
        try Task.checkCancellation()
        if let error { throw error }
        return answer
    }

    func send(_ values: [String: Int]) async throws {
        if let error = edit({ $0.error }) { throw error }
        let gate = edit { state in
            state.sent.append(values)
            state.values.merge(values) { _, new in new }
            return state.sendGates.isEmpty ? nil : state.sendGates.removeFirst()
        }
        await gate?.pass()
    }

    func isOffline(_ error: any Error) -> Bool { error is Offline }
}

struct RepositoryTests {
    let source = ScriptedSource()
    let cache = LRUCache<String, Int>()
    var repository: Repository<String, Int> { Repository(source: source, cache: cache) }

    private var requests: Int { source.edit { $0.requests.count } }

    // MARK: Policies

    @Test("cache-first asks the source once")
    func cacheFirst() async throws {
        source.edit { $0.values["a"] = 1 }
        #expect(try await repository.value(for: "a") == 1)
        source.edit { $0.values["a"] = 2 }
        #expect(try await repository.value(for: "a", policy: .cacheFirst) == 1)
        #expect(requests == 1)
        #expect(try await repository.value(for: "absent") == nil)
    }

    @Test("network-first asks the source each time, and the cache if the source is offline")
    func networkFirst() async throws {
        source.edit { $0.values["a"] = 1 }
        #expect(try await repository.value(for: "a", policy: .networkFirst) == 1)
        source.edit { $0.values["a"] = 2 }
        #expect(try await repository.value(for: "a", policy: .networkFirst) == 2)
        source.edit { $0.error = ScriptedSource.Offline() }
        #expect(try await repository.value(for: "a", policy: .networkFirst) == 2)
        await #expect(throws: ScriptedSource.Offline.self) {
            try await repository.value(for: "b", policy: .networkFirst)
        }
        await #expect(throws: ScriptedSource.Offline.self) {
            try await repository.values(for: ["a", "b"], policy: .networkFirst)
        }
    }

    @Test("network-first does not answer from the cache if the source refuses")
    func refusedIsNotOffline() async throws {
        cache.set(1, for: "a")
        source.edit { $0.error = ScriptedSource.Refused() }
        await #expect(throws: ScriptedSource.Refused.self) {
            try await repository.value(for: "a", policy: .networkFirst)
        }
    }

    @Test("cache-only never asks the source")
    func cacheOnly() async throws {
        source.edit { $0.values["a"] = 1 }
        #expect(try await repository.value(for: "a", policy: .cacheOnly) == nil)
        cache.set(5, for: "a")
        #expect(try await repository.value(for: "a", policy: .cacheOnly) == 5)
        #expect(requests == 0)
    }

    @Test("network-only never answers from the cache, but keeps the answer there")
    func networkOnly() async throws {
        cache.set(5, for: "a")
        source.edit { $0.values["a"] = 1 }
        #expect(try await repository.value(for: "a", policy: .networkOnly) == 1)
        #expect(cache.value(for: "a") == 1)
        source.edit { $0.error = ScriptedSource.Offline() }
        await #expect(throws: ScriptedSource.Offline.self) {
            try await repository.value(for: "a", policy: .networkOnly)
        }
    }

    @Test("A refresh fetches anew, keeps the answer, and forgets what the source no longer has")
    func refresh() async throws {
        cache.set(5, for: "a")
        cache.set(6, for: "gone")
        source.edit { $0.values["a"] = 1 }
        #expect(try await repository.refresh(["a", "gone"]) == ["a": 1])
        #expect(cache.value(for: "a") == 1)
        #expect(cache.value(for: "gone") == nil)
        source.edit { $0.error = ScriptedSource.Offline() }
        await #expect(throws: ScriptedSource.Offline.self) { try await repository.refresh("a") }
        #expect(cache.value(for: "a") == 1)
    }

    // MARK: Several at once

    @Test("Several keys are fetched by one request, without those that the cache has")
    func batchRead() async throws {
        source.edit { $0.values = ["a": 1, "b": 2, "c": 3] }
        cache.set(9, for: "b")
        #expect(try await repository.values(for: ["a", "b", "c", "x"]) == ["a": 1, "b": 9, "c": 3])
        #expect(source.edit { $0.requests } == [["a", "c", "x"]])
    }

    @Test("Several values are sent by one request, and then cached")
    func batchUpdate() async throws {
        try await repository.update(["a": 1, "b": 2])
        #expect(source.edit { $0.sent } == [["a": 1, "b": 2]])
        #expect(try await repository.values(for: ["a", "b"]) == ["a": 1, "b": 2])
        #expect(requests == 0)
        source.edit { $0.error = ScriptedSource.Offline() }
        await #expect(throws: ScriptedSource.Offline.self) { try await repository.update(["a": 7]) }
        #expect(cache.value(for: "a") == 1)
    }

    @Test(
        "Loads of one key that overlap make one request",
        arguments: [CachePolicy.cacheFirst, .networkFirst, .networkOnly])
    func singleFlight(policy: CachePolicy) async throws {
        let gate = Gate()
        source.edit { state in
            state.values["a"] = 1
            state.gates = [gate]
        }
        let repository = repository
        let answers = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<100 { group.addTask { try await repository.value(for: "a", policy: policy) } }
            #expect(try await eventually { repository.flights.waiting == 100 })
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: 1, count: 100))
        #expect(requests == 1)
    }

    @Test("A load of several keys joins the request that has one of them")
    func joinsPart() async throws {
        let gate = Gate()
        source.edit { state in
            state.values = ["a": 1, "b": 2]
            state.gates = [gate]
        }
        let repository = repository
        async let first = repository.value(for: "a")
        #expect(try await eventually { gate.waiting == 1 })
        async let both = repository.values(for: ["a", "b"])
        #expect(try await eventually { requests == 2 })
        gate.open()
        #expect(try await first == 1)
        #expect(try await both == ["a": 1, "b": 2])
        #expect(source.edit { $0.requests } == [["a"], ["b"]])
    }

    @Test("An error reaches all who wait, and the next load asks again")
    func sharedError() async throws {
        let gate = Gate()
        source.edit { state in
            state.error = ScriptedSource.Offline()
            state.gates = [gate]
        }
        let repository = repository
        let failures = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    do { _ = try await repository.value(for: "a") } catch { return error is ScriptedSource.Offline }
                    return false
                }
            }
            #expect(try await eventually { repository.flights.waiting == 10 })
            gate.open()
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(failures == 10)
        source.edit { state in
            state.error = nil
            state.values["a"] = 1
        }
        #expect(try await repository.value(for: "a") == 1)
    }

    // MARK: Cancellation

    @Test("A task that is cancelled stops waiting, and the request goes on for the others")
    func oneLeaves() async throws {
        let gate = Gate()
        source.edit { state in
            state.values["a"] = 1
            state.gates = [gate]
        }
        let repository = repository
        let leaving = Task { try await repository.value(for: "a") }
        let staying = Task { try await repository.value(for: "a") }
        #expect(try await eventually { repository.flights.waiting == 2 })
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.open()
        #expect(try await staying.value == 1)
        #expect(requests == 1)
    }

    @Test("A request that nobody waits for is cancelled, and nobody joins it")
    func allLeave() async throws {
        let gate = Gate()
        source.edit { state in
            state.values["a"] = 1
            state.gates = [gate]
        }
        let repository = repository
        let task = Task { try await repository.value(for: "a") }
        #expect(try await eventually { repository.flights.waiting == 1 && gate.waiting == 1 })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await repository.value(for: "a") == 1)
        gate.open()
        #expect(try await eventually { source.edit { $0.cancelled } == 1 })
        #expect(requests == 2)
    }

    @Test("A task that is cancelled gets no cached value as if the source were offline")
    func cancelledIsNotOffline() async throws {
        cache.set(1, for: "a")
        let repository = Repository(
            source: ClosureSource<String, Int> { _ in throw CancellationError() }, cache: cache)
        await #expect(throws: CancellationError.self) {
            try await repository.value(for: "a", policy: .networkFirst)
        }
    }

    // MARK: Old answers

    @Test("Of updates of a key that overlap, the cache keeps none", arguments: [false, true])
    func overlappingUpdates(lastEndsFirst: Bool) async throws {
        let gates = [Gate(), Gate()]
        source.edit { $0.sendGates = gates }
        cache.set(0, for: "a")
        let repository = repository
        let first = Task { try await repository.update(["a": 1, "b": 1]) }
        #expect(try await eventually { gates[0].waiting == 1 })
        let second = Task { try await repository.update(["a": 2, "c": 2]) }
        #expect(try await eventually { gates[1].waiting == 1 })
        for number in lastEndsFirst ? [1, 0] : [0, 1] {
            gates[number].open()
            try await [first, second][number].value
            #expect(cache.value(for: "a") == nil)
        }
        #expect(cache.value(for: "b") == 1 && cache.value(for: "c") == 2)
        #expect(try await repository.value(for: "a") == 2)
        // Later ones are kept again, also after one that failed.
        source.edit { $0.error = ScriptedSource.Offline() }
        await #expect(throws: ScriptedSource.Offline.self) { try await repository.update(["a": 3]) }
        source.edit { $0.error = nil }
        try await repository.update(["a": 4])
        #expect(cache.value(for: "a") == 4)
    }

    @Test("An answer that is older than an update is not kept")
    func olderThanUpdate() async throws {
        let gate = Gate()
        source.edit { state in
            state.values["a"] = 1
            state.gates = [gate]
        }
        let repository = repository
        let old = Task { try await repository.value(for: "a", policy: .networkOnly) }
        #expect(try await eventually { gate.waiting == 1 })
        try await repository.update(["a": 2])
        gate.open()
        #expect(try await old.value == 1)
        #expect(cache.value(for: "a") == 2)
    }

    @Test("A refresh does not join a request that began before it, and its answer stays")
    func refreshBeginsAnew() async throws {
        let gate = Gate()
        source.edit { state in
            state.values["a"] = 1
            state.gates = [gate]
        }
        let repository = repository
        let old = Task { try await repository.value(for: "a") }
        #expect(try await eventually { gate.waiting == 1 })
        source.edit { $0.values["a"] = 2 }
        #expect(try await repository.refresh("a") == 2)
        gate.open()
        #expect(try await old.value == 1)
        #expect(cache.value(for: "a") == 2)
        #expect(requests == 2)
    }

    @Test("An answer that comes after a logout does not fill the cache again")
    func olderThanRemoval() async throws {
        let gates = [Gate(), Gate()]
        source.edit { state in
            state.values = ["a": 1, "b": 2]
            state.gates = gates
        }
        let repository = repository
        let first = Task { try await repository.value(for: "a") }
        #expect(try await eventually { gates[0].waiting == 1 })
        let second = Task { try await repository.value(for: "b") }
        #expect(try await eventually { gates[1].waiting == 1 })
        try await repository.forget(["b"])
        try await repository.forgetAll()
        for gate in gates { gate.open() }
        #expect(try await first.value == 1)
        #expect(try await second.value == 2)
        #expect(cache.count == 0)
    }

    @Test("A cache with lifetimes gives no expired value while the source is offline")
    func expiredIsNotServed() async throws {
        let clock = ManualClock()
        let repository = Repository(
            source: source, cache: TTLCache<String, Int>(lifetime: .seconds(10), clock: clock))
        source.edit { $0.values["a"] = 1 }
        #expect(try await repository.value(for: "a") == 1)
        source.edit { $0.error = ScriptedSource.Offline() }
        clock.advance(by: .seconds(9))
        #expect(try await repository.value(for: "a", policy: .networkFirst) == 1)
        clock.advance(by: .seconds(1))
        await #expect(throws: ScriptedSource.Offline.self) {
            try await repository.value(for: "a", policy: .networkFirst)
        }
    }

    // MARK: Other caches and sources

    @Test("A cache that fails is told, and the source answers; cache-only throws")
    func failingCache() async throws {
        let backend = ScriptedBackend()
        let cache = KeychainCache<Int>(
            name: "c", keychain: Keychain(service: "app", backend: backend), lifetime: .seconds(60), now: backend.now)
        let failures = Mutex<[KeychainError.Code]>([])
        let repository = Repository(source: source, cache: cache) { error in
            failures.withLock { $0.append(error.code) }
        }
        source.edit { $0.values["a"] = 1 }
        #expect(try await repository.value(for: "a") == 1)
        backend.setVault(.locked)
        #expect(try await repository.value(for: "a") == 1)
        #expect(failures.withLock { $0.contains(.locked) })
        #expect(await keychainCode { _ = try await repository.value(for: "a", policy: .cacheOnly) } == .locked)
        backend.setVault(.unlocked)
        #expect(try await repository.value(for: "a", policy: .cacheOnly) == 1)
        backend.edit { $0.failure = KeychainError(.brokerUnreachable, "gone") }
        #expect(await keychainCode { try await repository.forgetAll() } == .brokerUnreachable)
    }

    @Test("A source of closures fetches several keys, and is only read unless it can send")
    func closures() async throws {
        let repository = Repository(
            source: ClosureSource<Int, String> { key in key % 2 == 0 ? "\(key)" : nil }, cache: LRUCache())
        #expect(try await repository.values(for: Array(0..<30)).keys.sorted() == Array(stride(from: 0, to: 30, by: 2)))
        await #expect(throws: ReadOnlySource.self) { try await repository.update([1: "one"]) }
    }
}
