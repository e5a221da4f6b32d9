import Synchronization

/// Keys whose cached values are old: the cache could neither keep the new ones nor forget the old ones.
final class StaleKeys<Key: Hashable & Sendable>: Sendable {
    private let keys = Mutex<Set<Key>>([])

    func add(_ old: [Key]) { keys.withLock { $0.formUnion(old) } }

    /// The cache has kept or forgotten these.
    func remove(_ fresh: [Key]) { keys.withLock { $0.subtract(fresh) } }

    func removeAll() { keys.withLock { $0.removeAll() } }

    func contains(_ key: Key) -> Bool { keys.withLock { $0.contains(key) } }
}
