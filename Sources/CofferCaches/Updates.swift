import Synchronization

/// The updates of a source that are under way, by their keys.
final class Updates<Key: Hashable & Sendable>: Sendable {
    private struct Overlap {
        var underWay = 0
        /// Whether there was ever more than one at the same time, or something else has changed the cached value meanwhile.
        var isMixed = false
    }

    private let overlaps = Mutex<[Key: Overlap]>([:])

    func begin(_ keys: [Key]) {
        overlaps.withLock { overlaps in
            for key in keys {
                overlaps[key, default: Overlap()].underWay += 1
                if overlaps[key]?.underWay ?? 0 > 1 { overlaps[key]?.isMixed = true }
            }
        }
    }

    /// Makes the updates under way old: the cache does not keep what they send.
    /// - Parameter keys: nil for all.
    /// - Returns: those of the keys that an update under way has.
    @discardableResult
    func outdate(_ keys: [Key]? = nil) -> Set<Key> {
        overlaps.withLock { overlaps in
            let underWay = (keys ?? Array(overlaps.keys)).filter { overlaps[$0] != nil }
            for key in underWay { overlaps[key]?.isMixed = true }
            return Set(underWay)
        }
    }

    /// - Returns: the keys that another update had at the same time, and those that were outdated.
    func end(_ keys: [Key]) -> Set<Key> {
        overlaps.withLock { overlaps in
            var mixed: Set<Key> = []
            for key in keys {
                guard var overlap = overlaps[key] else { continue }
                overlap.underWay -= 1
                if overlap.isMixed { mixed.insert(key) }
                overlaps[key] = overlap.underWay > 0 ? overlap : nil
            }
            return mixed
        }
    }
}
