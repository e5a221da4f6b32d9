/// Values in the order of their last use, bounded by their number and their cost. Every operation on one value takes constant time.
struct RecencyTable<Key: Hashable, Value> {
    fileprivate struct Node {
        let key: Key
        var value: Value
        var cost: Int
        var expires: Duration?
        /// The neighbours in the order of use.
        var newer: Int?
        var older: Int?
    }

    /// nil: a free place.
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var newest: Int?
    private var oldest: Int?
    /// No value expires before.
    private var nextExpiry: Duration?
    /// The cost of all values.
    private(set) var cost = 0

    var count: Int { places.count }

    /// The value of a key, which becomes the last used one. One that has expired is not given.
    mutating func value(for key: Key, now: Duration) -> Value? {
        guard let place = places[key], let node = nodes[place] else { return nil }
        if let expires = node.expires, expires <= now { return nil }
        unlink(place)
        link(place)
        return node.value
    }

    /// Sets a value, which becomes the last used one. There is none of this key before.
    mutating func insert(_ value: Value, for key: Key, cost: Int, expires: Duration?) {
        let node = Node(key: key, value: value, cost: cost, expires: expires)
        let place: Int
        if let reused = free.popLast() {
            place = reused
            nodes[place] = node
        } else {
            place = nodes.count
            nodes.append(node)
        }
        places[key] = place
        // Not more than the cache's limit, because the caller makes room first.
        self.cost += cost
        if let expires { nextExpiry = min(nextExpiry ?? expires, expires) }
        link(place)
    }

    mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key), let node = nodes[place] else { return nil }
        unlink(place)
        nodes[place] = nil
        free.append(place)
        cost -= node.cost
        return node.value
    }

    /// Removes the value that was not used for the longest time.
    mutating func removeOldest() -> Value? {
        guard let oldest, let node = nodes[oldest] else { return nil }
        return remove(node.key)
    }

    /// Removes what has expired. It looks at the values only if one of them can have.
    mutating func removeExpired(now: Duration) -> [Value] {
        guard let nextExpiry, nextExpiry <= now else { return [] }
        let expired = nodes.compactMap { node in node?.expires.map { $0 <= now } ?? false ? node?.key : nil }
        let removed = expired.compactMap { remove($0) }
        self.nextExpiry = nodes.compactMap { $0?.expires }.min()
        return removed
    }

    private mutating func link(_ place: Int) {
        nodes[place]?.older = newest
        nodes[place]?.newer = nil
        if let newest { nodes[newest]?.newer = place }
        newest = place
        if oldest == nil { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (nodes[place]?.newer, nodes[place]?.older)
        if let newer { nodes[newer]?.older = older } else { newest = older }
        if let older { nodes[older]?.newer = newer } else { oldest = newer }
    }
}

extension RecencyTable: Sendable where Key: Sendable, Value: Sendable {}
extension RecencyTable.Node: Sendable where Key: Sendable, Value: Sendable {}
