import Coffer

/// A cache in memory whose values have a lifetime. If it is full, it removes the values that were not used for the longest time.
///
/// ```swift
/// let answers = TTLCache<String, Answer>(lifetime: .seconds(300))
/// answers.set(answer, for: url)
/// answers.set(answer, for: other, lifetime: .seconds(10))
/// let cached = answers.value(for: url)   // nil after 300 seconds
/// ```
/// A value that has expired is never given, and leaves memory at the next use of the cache. Time that the machine sleeps counts.
/// A cache that is made with a keychain holds values only while the vault is unlocked: see ``init(lifetime:limits:emptiesOnLockOf:clock:)``.
public final class TTLCache<Key: Hashable & Sendable, Value: Sendable>: ValueCache {
    /// How long values live, unless ``set(_:for:cost:lifetime:)`` says another time.
    public let lifetime: Duration
    private let memory: MemoryCache<Key, Value>
    private let watch: CacheLockSubscription?

    /// A cache for values that are no secrets.
    /// - Parameter clock: measures lifetimes. Tests give one that they advance.
    public init(
        lifetime: Duration, limits: CacheLimits = .standard, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.lifetime = lifetime
        memory = MemoryCache(limits, isOpen: true, clock: clock)
        watch = nil
    }

    /// A cache that holds values only while the keychain's vault is unlocked, as ``LRUCache/init(limits:emptiesOnLockOf:)`` says.
    public convenience init(
        lifetime: Duration, limits: CacheLimits = .standard, emptiesOnLockOf keychain: Keychain,
        clock: any Clock<Duration> = ContinuousClock()
    ) async {
        await self.init(
            lifetime: lifetime, limits: limits, emptiesOnLockOf: keychain, clock: clock,
            pause: CacheLockWatch.usualPause)
    }

    init(
        lifetime: Duration, limits: CacheLimits, emptiesOnLockOf keychain: Keychain, clock: any Clock<Duration>,
        pause: @escaping @Sendable () async throws -> Void
    ) async {
        self.lifetime = lifetime
        let memory = MemoryCache<Key, Value>(limits, isOpen: false, clock: clock)
        self.memory = memory
        watch = await CacheLockWatch.of(keychain, pause: pause).subscribe { memory.open(if: $0) }
    }

    /// How many values there are that have not expired.
    public var count: Int { memory.count }

    /// The sum of the costs of these values.
    public var cost: Int { memory.cost }

    /// The value of a key, which counts as used now; nil if there is none, or if it has expired.
    public func value(for key: Key) -> Value? { memory.value(for: key) }

    /// Sets the value of a key in place of the former one.
    /// - Parameters:
    ///   - cost: what the value takes of ``CacheLimits/cost``; 1 if it is not said.
    ///   - lifetime: how long it lives from now on. nil: ``lifetime``. Zero or less: not at all.
    /// - Returns: whether the cache has it now, as ``LRUCache/set(_:for:cost:)`` says.
    @discardableResult
    public func set(_ value: Value, for key: Key, cost: Int = 1, lifetime: Duration? = nil) -> Bool {
        memory.set(value, for: key, cost: cost, lifetime: lifetime ?? self.lifetime)
    }

    /// Removes the value of a key.
    /// - Returns: the value; nil if it had expired.
    @discardableResult
    public func remove(_ key: Key) -> Value? { memory.remove(key) }

    /// Empties the cache.
    public func removeAll() { memory.removeAll() }

    /// Frees the memory of the values that have expired. Every use of the cache does the same.
    public func removeExpired() { memory.removeExpired() }

    /// The values that are there and have not expired.
    public func values(for keys: [Key]) async -> [Key: Value] {
        Dictionary(keys.compactMap { key in value(for: key).map { (key, $0) } }) { first, _ in first }
    }

    /// Stores the values. Each lives as long as the cache says.
    public func keep(_ values: [Key: Value]) async { for (key, value) in values { set(value, for: key) } }

    /// Removes the values of these keys.
    public func forget(_ keys: [Key]) async { for key in keys { remove(key) } }

    /// Empties the cache.
    public func forgetAll() async { removeAll() }
}

extension TTLCache: ServiceData {
    /// Empties the cache.
    public func deleteEverything(of service: String) { removeAll() }
}
