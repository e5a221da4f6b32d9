import Foundation
import Testing

@testable import Coffer
@testable import CofferCaches

/// Which values a persisted cache takes, and which leave it, at the very limits.
struct CachePlanTests {
    private static let now = Date(timeIntervalSince1970: 1_000_000)

    /// - Parameter age: how many seconds ago it was written.
    private static func stored(
        _ key: String, bytes: String, age: Double = 0, expires: Date? = nil
    ) -> CachePlan.Stored {
        CachePlan.Stored(
            key: key,
            item: ItemAttributes(
                id: key, name: ItemName(service: "app", account: key), attributes: [CacheAttributes.bytes: bytes],
                created: now.addingTimeInterval(-age), modified: now.addingTimeInterval(-age), expires: expires,
                version: 1, revision: key))
    }

    private static func leaving(_ plan: CachePlan, _ stored: [CachePlan.Stored]) -> [String] {
        plan.leaving(stored, now: now).map(\.account)
    }

    /// New values of these many bytes, with the keys 0, 1 and so on.
    private static func plan(_ limits: CacheLimits, _ sizes: Int...) -> CachePlan {
        var plan = CachePlan(limits)
        for (key, size) in sizes.enumerated() { plan.add("\(key)", [UInt8](repeating: 7, count: size)) }
        return plan
    }

    @Test("Values that fit exactly stay, and one byte more makes the oldest leave")
    func cost() {
        let (old, older) = (Self.stored("old", bytes: "10", age: 1), Self.stored("older", bytes: "10", age: 2))
        let limits = CacheLimits(count: 10, cost: 30)
        #expect(Self.leaving(Self.plan(limits), [old, older]) == [])
        #expect(Self.leaving(Self.plan(limits, 10), [old, older]) == [])
        #expect(Self.leaving(Self.plan(limits, 11), [old, older]) == ["older"])
        #expect(Self.leaving(Self.plan(limits, 20), [old, older]) == ["older"])
        #expect(Self.leaving(Self.plan(limits, 21), [old, older]) == ["older", "old"])
    }

    @Test("As many values as there may be stay, and one more makes the oldest leave")
    func count() {
        let (old, older) = (Self.stored("old", bytes: "1", age: 1), Self.stored("older", bytes: "1", age: 2))
        let limits = CacheLimits(count: 3, cost: 1000)
        #expect(Self.leaving(Self.plan(limits, 1), [old, older]) == [])
        #expect(Self.leaving(Self.plan(limits, 1, 1), [old, older]) == ["older"])
        #expect(Self.leaving(Self.plan(limits, 1, 1, 1), [old, older]) == ["older", "old"])
    }

    @Test("A new value that fits exactly is taken, and one byte more is not")
    func taken() {
        let limits = CacheLimits(count: 2, cost: 30)
        #expect(Self.plan(limits, 10, 20).kept.keys.sorted() == ["0", "1"])
        #expect(Self.plan(limits, 10, 21).kept.keys.sorted() == ["0"])
        #expect(Self.plan(limits, 1, 1, 1).kept.keys.sorted() == ["0", "1"])
        let large = CacheLimits(cost: 16 << 20)
        #expect(Self.plan(large, StorageLimits.item).kept.count == 1)
        #expect(Self.plan(large, StorageLimits.item + 1).kept.isEmpty)
    }

    @Test("A value leaves at the moment at which it expires, and not before")
    func expiry() {
        let limits = CacheLimits(count: 10, cost: 30)
        let ended = Self.stored("ended", bytes: "1", expires: Self.now)
        let lives = Self.stored("lives", bytes: "1", expires: Self.now.addingTimeInterval(1))
        #expect(Self.leaving(Self.plan(limits), [lives, ended]) == ["ended"])
    }

    @Test(
        "A size that cannot be true counts as none, or as the largest",
        arguments: [
            ("-1", 0), ("x", 0), ("", 0), ("0", 0), ("1", 1), ("1048575", 1_048_575), ("1048576", 1_048_576),
            ("1048577", 1_048_576), ("1099511627776", 1_048_576), ("\(Int.max)", 1_048_576),
        ])
    func believed(text: String, bytes: Int) {
        let forged = Self.stored("forged", bytes: text)
        #expect(forged.bytes == bytes)
        // It takes no more room than an item can.
        #expect(Self.leaving(Self.plan(CacheLimits(cost: 1 << 20)), [forged]) == [])
    }
}
