import Vault

/// Keys of items, each in the secure heap. Beyond a number, the one that was not used for the longest time goes.
struct HeldItemKeys {
    private var keys: [ItemID: (key: ItemKey, used: UInt64)] = [:]
    private var uses: UInt64 = 0

    var count: Int { keys.count }

    mutating func use(_ item: ItemID) -> ItemKey? {
        guard let place = keys.index(forKey: item) else { return nil }
        uses += 1
        keys.values[place].used = uses
        return keys.values[place].key
    }

    /// Adds a key. Make room for it first.
    mutating func put(_ key: ItemKey) {
        uses += 1
        keys[key.item] = (key, uses)
    }

    /// Removes the item's former key, or another item's if there are too many.
    ///
    /// - Returns: how many keys were wiped, as all of these do.
    mutating func makeRoom(for item: ItemID) -> Int {
        if keys.removeValue(forKey: item) != nil { return 1 }
        guard keys.count >= ItemKeyLimits.vault, let oldest = keys.min(by: { $0.value.used < $1.value.used }) else {
            return 0
        }
        return remove(oldest.key)
    }

    mutating func remove(_ item: ItemID) -> Int { keys.removeValue(forKey: item) == nil ? 0 : 1 }

    mutating func removeAll(where isGone: (ItemKey) -> Bool = { _ in true }) -> Int {
        let before = keys.count
        keys = keys.filter { !isGone($0.value.key) }
        return before - keys.count
    }
}
