/// Entries with a cost each. If they would cost too much together, those that were not used for the longest time go.
struct RecentlyUsed<Key: Hashable, Value> {
    private struct Entry {
        let key: Key
        var value: Value
        var cost: Int32
        /// The entries that were used just before and just after this one; -1 for none.
        var older: Int32
        var newer: Int32
    }

    /// nil: a free place.
    private var entries: [Entry?] = []
    private var freePlaces: [Int32] = []
    private var places: [Key: Int32] = [:]
    private var oldest: Int32 = -1
    private var newest: Int32 = -1
    /// Of all entries together.
    private(set) var cost = 0

    var count: Int { places.count }

    var keys: Dictionary<Key, Int32>.Keys { places.keys }

    /// All values, in no order. This is no use of them.
    var values: some Sequence<(Key, Value)> {
        entries.lazy.compactMap { entry in entry.map { ($0.key, $0.value) } }
    }

    /// The value, which then counts as used just now.
    mutating func use(_ key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        if place != newest {
            unlink(place)
            append(place)
        }
        return entries[Int(place)]?.value
    }

    /// - Returns: nil if there is none. This is no use of it.
    func peek(_ key: Key) -> Value? { places[key].flatMap { entries[Int($0)]?.value } }

    /// Adds an entry, or replaces one.
    mutating func put(_ value: Value, for key: Key, cost: Int32) {
        remove(key)
        let entry = Entry(key: key, value: value, cost: cost, older: -1, newer: -1)
        let place: Int32
        if let free = freePlaces.popLast() {
            place = free
            entries[Int(place)] = entry
        } else {
            place = Int32(entries.count)
            entries.append(entry)
        }
        places[key] = place
        self.cost += Int(cost)
        append(place)
    }

    /// - Returns: what the entry cost; 0 if there was none.
    @discardableResult
    mutating func remove(_ key: Key) -> Int {
        guard let place = places.removeValue(forKey: key), let entry = entries[Int(place)] else { return 0 }
        unlink(place)
        entries[Int(place)] = nil
        freePlaces.append(place)
        cost -= Int(entry.cost)
        return Int(entry.cost)
    }

    /// Removes the entry that was not used for the longest time.
    ///
    /// - Returns: what it cost; nil if there was none.
    @discardableResult
    mutating func removeOldest() -> Int? {
        guard oldest >= 0, let entry = entries[Int(oldest)] else { return nil }
        return remove(entry.key)
    }

    private mutating func unlink(_ place: Int32) {
        guard let entry = entries[Int(place)] else { return }
        if entry.older >= 0 { entries[Int(entry.older)]?.newer = entry.newer } else { oldest = entry.newer }
        if entry.newer >= 0 { entries[Int(entry.newer)]?.older = entry.older } else { newest = entry.older }
    }

    private mutating func append(_ place: Int32) {
        entries[Int(place)]?.older = newest
        entries[Int(place)]?.newer = -1
        if newest >= 0 { entries[Int(newest)]?.newer = place } else { oldest = place }
        newest = place
    }
}
