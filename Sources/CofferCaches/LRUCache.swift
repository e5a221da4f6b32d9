import Coffer

/// A cache in memory. If it is full, it removes the values that were not used for the longest time.
///
/// ```swift
/// let pictures = LRUCache<String, [UInt8]>(limits: CacheLimits(count: 200, cost: 32 << 20))
/// pictures.set(bytes, for: "me", cost: bytes.count)
/// let picture = pictures.value(for: "me")
/// ```
/// A cache that is made with a keychain holds values only while the vault is unlocked: see ``init(limits:emptiesOnLockOf:)``.
public final class LRUCache<Key: Hashable & Sendable, Value: Sendable>: ValueCache {
    private let memory: MemoryCache<Key, Value>
    private let watch: CacheLockSubscription?

    /// A cache for values that are no secrets.
    public init(limits: CacheLimits = .standard) {
        memory = MemoryCache(limits, isOpen: true, clock: .continuous)
        watch = nil
    }

    /// A cache that holds values only while the keychain's vault is unlocked.
    ///
    /// When the vault locks, or when the broker can no longer be heard, the cache is emptied at once and drops what is set. It works again once
    /// the vault is unlocked. The memory of the values is freed, but not overwritten.
    ///
    /// All such caches of a process share one monitor of the broker for each vault.
    public convenience init(limits: CacheLimits = .standard, emptiesOnLockOf keychain: Keychain) async {
        await self.init(limits: limits, emptiesOnLockOf: keychain, pause: CacheLockWatch.usualPause)
    }

    init(
        limits: CacheLimits, emptiesOnLockOf keychain: Keychain, pause: @escaping @Sendable () async throws -> Void
    ) async {
        let memory = MemoryCache<Key, Value>(limits, isOpen: false, clock: .continuous)
        self.memory = memory
        watch = await CacheLockWatch.of(keychain, pause: pause).subscribe { memory.open(if: $0) }
    }

    /// How many values there are.
    public var count: Int { memory.count }

    /// The sum of the costs of all values.
    public var cost: Int { memory.cost }

    /// The value of a key, which counts as used now; nil if there is none.
    public func value(for key: Key) -> Value? { memory.value(for: key) }

    /// Sets the value of a key in place of the former one.
    /// - Parameter cost: what the value takes of ``CacheLimits/cost``; 1 if it is not said.
    /// - Returns: whether the cache has it now. A value that costs more than the limit is dropped, and so is each while the vault is locked.
    @discardableResult
    public func set(_ value: Value, for key: Key, cost: Int = 1) -> Bool {
        memory.set(value, for: key, cost: cost, lifetime: nil)
    }

    /// Removes the value of a key.
    /// - Returns: the value.
    @discardableResult
    public func remove(_ key: Key) -> Value? { memory.remove(key) }

    /// Empties the cache.
    public func removeAll() { memory.removeAll() }

    /// The values that are there. Each counts as used now.
    public func values(for keys: [Key]) async -> [Key: Value] {
        Dictionary(keys.compactMap { key in value(for: key).map { (key, $0) } }) { first, _ in first }
    }

    /// Stores the values, as ``set(_:for:cost:)`` does.
    public func keep(_ values: [Key: Value]) async { for (key, value) in values { set(value, for: key) } }

    /// Removes the values of these keys.
    public func forget(_ keys: [Key]) async { for key in keys { remove(key) } }

    /// Empties the cache.
    public func forgetAll() async { removeAll() }
}

extension LRUCache: ServiceData {
    /// Empties the cache.
    public func deleteEverything(of service: String) { removeAll() }
}
