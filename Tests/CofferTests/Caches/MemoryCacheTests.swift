import Synchronization
import Testing

@testable import Coffer
@testable import CofferCaches

/// The caches in memory: bounds, order of use, lifetimes.
struct MemoryCacheTests {
    private let clock = ManualClock()

    private func timed(
        _ lifetime: Duration = .seconds(10), _ limits: CacheLimits = .standard
    ) -> TTLCache<String, String> { TTLCache(lifetime: lifetime, limits: limits, clock: clock) }

    @Test("A full cache drops what was not used for the longest time")
    func leastRecentlyUsed() {
        let cache = LRUCache<String, Int>(limits: CacheLimits(count: 3))
        for (index, key) in ["a", "b", "c"].enumerated() { #expect(cache.set(index, for: key)) }
        #expect(cache.value(for: "a") == 0)
        cache.set(3, for: "d")
        #expect(cache.value(for: "b") == nil)
        #expect(cache.count == 3)
        cache.set(9, for: "c")
        cache.set(4, for: "e")
        #expect(cache.value(for: "a") == nil)
        #expect(cache.value(for: "c") == 9)
        #expect(cache.remove("c") == 9)
        #expect(cache.remove("c") == nil)
        cache.removeAll()
        #expect(cache.count == 0)
        #expect(cache.value(for: "d") == nil)
    }

    @Test("The sum of the costs stays below the limit, and impossible costs do no harm")
    func costs() {
        let cache = LRUCache<String, Int>(limits: CacheLimits(count: 100, cost: 10))
        cache.set(1, for: "a", cost: 4)
        cache.set(2, for: "b", cost: 4)
        cache.set(3, for: "c", cost: 4)
        #expect(cache.cost == 8)
        #expect(cache.value(for: "a") == nil)
        #expect(cache.set(4, for: "b", cost: 11) == false)
        #expect(cache.value(for: "b") == nil, "a former value must not stay in place of a dropped one")
        cache.set(5, for: "d", cost: .min)
        #expect(cache.cost == 4)
        #expect(cache.set(6, for: "e", cost: .max) == false)
        #expect(cache.set(6, for: "e", cost: 10))
        #expect(cache.count == 2 && cache.cost == 10, "a value without cost may stay")
        let huge = LRUCache<Int, Int>()
        huge.set(1, for: 1, cost: .max)
        huge.set(2, for: 2, cost: .max)
        #expect(huge.value(for: 1) == nil && huge.value(for: 2) == 2 && huge.cost == .max)
        #expect(LRUCache<Int, Int>(limits: CacheLimits(count: 0)).set(1, for: 1) == false)
        #expect(LRUCache<Int, Int>(limits: CacheLimits(count: -1, cost: -1)).set(1, for: 1, cost: -5) == false)
    }

    @Test("The longest lifetime that a Duration can have does not end")
    func longestLifetime() {
        let longest = Duration(attoseconds: .max)
        let cache = timed(longest)
        clock.advance(by: .seconds(1))
        cache.set("x", for: "a")
        clock.advance(by: .seconds(1_000_000_000))
        #expect(cache.value(for: "a") == "x")
    }

    @Test("The table agrees with a slow one about ten thousand operations")
    func agreesWithModel() {
        var random = SystemRandomNumberGenerator()
        let cache = LRUCache<Int, Int>(limits: CacheLimits(count: 8, cost: 20))
        var model: [(key: Int, value: Int, cost: Int)] = []
        for step in 0..<10_000 {
            let key = Int.random(in: 0..<16, using: &random)
            let place = model.firstIndex { $0.key == key }
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let cost = Int.random(in: 0..<8, using: &random)
                cache.set(step, for: key, cost: cost)
                if let place { model.remove(at: place) }
                while model.count >= 8 || model.reduce(cost, { $0 + $1.cost }) > 20 { model.removeFirst() }
                model.append((key, step, cost))
            case 2:
                #expect(cache.value(for: key) == place.map { model[$0].value })
                if let place { model.append(model.remove(at: place)) }
            default:
                #expect(cache.remove(key) == place.map { model.remove(at: $0).value })
            }
            #expect(cache.count == model.count)
            #expect(cache.cost == model.reduce(0) { $0 + $1.cost })
        }
    }

    @Test("A value is given until its lifetime is over, and not after")
    func lifetime() {
        let cache = timed()
        cache.set("v", for: "usual")
        cache.set("w", for: "short", lifetime: .seconds(2))
        cache.set("x", for: "long", lifetime: .seconds(100))
        #expect(cache.set("y", for: "none", lifetime: .zero) == false)
        clock.advance(by: .seconds(2) - .nanoseconds(1))
        #expect(cache.value(for: "short") == "w")
        clock.advance(by: .nanoseconds(1))
        #expect(cache.value(for: "short") == nil)
        #expect(cache.remove("short") == nil)
        #expect(cache.count == 2)
        clock.advance(by: .seconds(8))
        #expect(cache.value(for: "usual") == nil)
        #expect(cache.value(for: "long") == "x")
        cache.set("v2", for: "long")
        clock.advance(by: .seconds(10))
        #expect(cache.count == 0)
    }

    @Test("Reading a value does not prolong its life, and setting it does")
    func readingDoesNotProlong() {
        let cache = timed()
        cache.set("v", for: "a")
        clock.advance(by: .seconds(6))
        #expect(cache.value(for: "a") == "v")
        clock.advance(by: .seconds(4))
        #expect(cache.value(for: "a") == nil)
        cache.set("v", for: "a")
        clock.advance(by: .seconds(9))
        cache.set("w", for: "a")
        clock.advance(by: .seconds(9))
        #expect(cache.value(for: "a") == "w")
    }

    @Test("What has expired leaves memory at the next use, whatever is used")
    func expiredLeavesMemory() {
        let ended = Tally()
        let cache = TTLCache<Int, Witness>(lifetime: .seconds(1), clock: clock)
        for key in 0..<10 { cache.set(Witness { ended.add() }, for: key) }
        clock.advance(by: .seconds(1))
        #expect(ended.count == 0)
        #expect(cache.value(for: 99) == nil)
        #expect(ended.count == 10)
    }

    @Test("The end of a value may use the cache")
    func valuesMayUseTheCache() {
        let cache = LRUCache<Int, Witness>(limits: CacheLimits(count: 1))
        cache.set(Witness { [weak cache] in _ = cache?.count }, for: 1)
        cache.set(Witness { [weak cache] in _ = cache?.count }, for: 2)
        cache.removeAll()
        #expect(cache.count == 0)
    }

    @Test("A hundred tasks at once keep the bounds")
    func concurrent() async {
        let cache = LRUCache<Int, Int>(limits: CacheLimits(count: 10))
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<100 {
                group.addTask {
                    for step in 0..<100 {
                        cache.set(step, for: (task + step) % 30)
                        _ = cache.value(for: step % 30)
                    }
                }
            }
        }
        #expect(cache.count == 10)
    }
}

/// Tells when it ends.
final class Witness: Sendable {
    private let ended: @Sendable () -> Void

    init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }

    deinit { ended() }
}
