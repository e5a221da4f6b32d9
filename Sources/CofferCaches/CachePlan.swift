import Coffer
import FoundationEssentials

/// Which values a persisted cache takes, and which leave it for them.
struct CachePlan {
    /// A value that is stored already.
    struct Stored {
        let key: String
        let item: ItemAttributes

        /// Any program of the user can write attributes, so the number is only believed if it can be true.
        var bytes: Int { min(max(item.attributes[CacheAttributes.bytes].flatMap(Int.init) ?? 0, 0), 1 << 20) }
    }

    private let limits: CacheLimits
    private(set) var kept: [String: [UInt8]] = [:]
    /// The keys of new values that have no room, or are too large for an item.
    private var dropped: Set<String> = []
    private var bytes = 0

    init(_ limits: CacheLimits) { self.limits = limits }

    mutating func add(_ key: String, _ value: [UInt8]) {
        // No item takes a value beyond its limit. The former one leaves all the same, because it is old.
        guard value.count <= StorageLimits.item, kept.count < limits.count, value.count <= limits.cost - bytes else {
            dropped.insert(key)
            return
        }
        kept[key] = value
        bytes += value.count
    }

    /// The stored items that leave: former values of the new ones, what has expired, then what was written first, until there is room.
    func leaving(_ stored: [Stored], now: Date) -> [ItemName] {
        var leaving: [ItemName] = []
        var staying: [Stored] = []
        for item in stored {
            if let same = kept.index(forKey: item.key) {
                // Equal keys can have different bytes, and then the new value is another item.
                if !kept[same].key.utf8.elementsEqual(item.key.utf8) { leaving.append(item.item.name) }
            } else if dropped.contains(item.key) || item.item.expires.map({ $0 <= now }) ?? false {
                leaving.append(item.item.name)
            } else {
                staying.append(item)
            }
        }
        staying.sort { $0.item.modified > $1.item.modified }
        var cost = staying.reduce(0) { $0 + $1.bytes }
        while staying.count > limits.count - kept.count || cost > limits.cost - bytes, let first = staying.popLast() {
            leaving.append(first.item.name)
            cost -= first.bytes
        }
        return leaving
    }
}
