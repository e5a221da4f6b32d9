import Coffer

/// Whether a value comes from the cache or from the source.
///
/// ```swift
/// let profile = try await profiles.value(for: "42", policy: .networkFirst)
/// ```
public enum CachePolicy: Sendable, Hashable, CaseIterable {
    /// From the cache. What it does not have comes from the source.
    case cacheFirst
    /// From the source. If it cannot be reached, from the cache.
    case networkFirst
    /// From the cache. The source is never asked.
    case cacheOnly
    /// From the source. The cache is never asked, but keeps the answer.
    case networkOnly
}

/// Values of a remote source, with a cache in front of it.
///
/// ```swift
/// let profiles = Repository(
///     source: ClosureSource { (id: String) in try await mailServer.profile(id) },
///     cache: TTLCache(lifetime: .seconds(300)))
/// let profile = try await profiles.value(for: "42")                      // the cache, then the source
/// let newest = try await profiles.value(for: "42", policy: .networkFirst)  // also works offline
/// let forced = try await profiles.refresh("42")
/// ```
/// Loads of one key that overlap make one request. An answer that is older than a refresh, an update or a removal is not kept.
/// If updates of one key overlap, nobody knows which value the source has, so the cache keeps none.
/// A task that is cancelled stops waiting at once, and a request that nobody waits for is cancelled.
public struct Repository<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let source: any RemoteSource<Key, Value>
    private let cache: any ValueCache<Key, Value>
    private let cacheFailed: @Sendable (KeychainError) -> Void
    let flights = Flights<Key, Value>()
    private let turns = Turns()
    private let updates = Updates<Key>()
    private let stale = StaleKeys<Key>()

    /// - Parameter cacheFailed: gets the errors of the cache where the source has the answer, for example `.locked`. The call goes on.
    public init(
        source: some RemoteSource<Key, Value>, cache: some ValueCache<Key, Value>,
        cacheFailed: @escaping @Sendable (KeychainError) -> Void = { _ in }
    ) {
        self.source = source
        self.cache = cache
        self.cacheFailed = cacheFailed
    }
}

// MARK: Reading

extension Repository {
    /// The value of a key; nil if neither the source nor the cache, as far as the policy asks them, has one.
    /// - Throws: as ``values(for:policy:)``.
    public func value(for key: Key, policy: CachePolicy = .cacheFirst) async throws -> Value? {
        try await values(for: [key], policy: policy)[key]
    }

    /// The values of several keys, with one request for all that the cache does not have.
    /// - Returns: the values of the keys that there are.
    /// - Throws: what the source throws. With ``CachePolicy/networkFirst`` it is thrown only if the source could be reached, or if the cache
    ///   does not have all of the keys. With ``CachePolicy/cacheOnly``, what the cache throws. `CancellationError`.
    public func values(for keys: [Key], policy: CachePolicy = .cacheFirst) async throws -> [Key: Value] {
        switch policy {
        case .cacheOnly: return try await fresh(keys)
        case .networkOnly: return try await fetched(keys)
        case .cacheFirst:
            let cached = await cached(keys)
            let missing = keys.filter { cached[$0] == nil }
            return cached.merging(try await fetched(missing, unlessCached: true)) { _, new in new }
        case .networkFirst:
            do { return try await fetched(keys) } catch {
                guard !Task.isCancelled, source.isOffline(error) else { throw error }
                let cached = await cached(keys)
                // A part could not be told from values that the source does not have.
                guard keys.allSatisfy({ cached[$0] != nil }) else { throw error }
                return cached
            }
        }
    }

    /// Fetches a value anew, even if it is cached, by a request that begins now. The cache keeps the answer.
    /// - Returns: nil if the source has none. Then the cache has none either.
    /// - Throws: what the source throws, and `CancellationError`. A cached value stays then.
    @discardableResult
    public func refresh(_ key: Key) async throws -> Value? { try await refresh([key])[key] }

    /// Fetches several values anew, by one request that begins now.
    @discardableResult
    public func refresh(_ keys: [Key]) async throws -> [Key: Value] { try await fetched(keys, joining: false) }
}

// MARK: Writing

extension Repository {
    /// Stores values in the source by one request, then in the cache. If another update of a key overlaps, or
    /// ``keep(_:)``, or its removal from the cache, the cache forgets that key. A cache that cannot keep a value gives no former one.
    /// - Throws: what the source throws. The cache is unchanged then.
    public func update(_ values: [Key: Value]) async throws {
        let keys = Array(values.keys)
        updates.begin(keys)
        do { try await source.send(values) } catch {
            _ = updates.end(keys)
            throw error
        }
        flights.outdate(keys)
        await changeCache {
            // Only now, so that an update that begins later also has a later turn.
            let mixed = updates.end(keys)
            return (values.filter { !mixed.contains($0.key) }, Array(mixed))
        }
    }

    /// Puts values into the cache that the application has got in another way, such as a notice of the server. If an
    /// update of a key is under way, nobody knows which of the two values the source has. The cache then keeps neither.
    public func keep(_ values: [Key: Value]) async {
        flights.outdate(Array(values.keys))
        let mixed = updates.outdate(Array(values.keys))
        await changeCache { (values.filter { !mixed.contains($0.key) }, Array(mixed)) }
    }

    /// Removes values from the cache. Answers and updates that are under way are not kept.
    public func forget(_ keys: [Key]) async throws(KeychainError) {
        flights.outdate(keys)
        updates.outdate(keys)
        let cache = cache
        let stale = stale
        try await turns.run {
            await result { () throws(KeychainError) in
                try await cache.forget(keys)
                stale.remove(keys)
            }
        }.get()
    }

    /// Empties the cache. Answers and updates that are under way are not kept. Call it when a person logs out.
    public func forgetAll() async throws(KeychainError) {
        flights.outdate()
        updates.outdate()
        let cache = cache
        let stale = stale
        try await turns.run {
            await result { () throws(KeychainError) in
                try await cache.forgetAll()
                stale.removeAll()
            }
        }.get()
    }
}

// MARK: Requests

extension Repository {
    /// - Parameter unlessCached: whether what came into the cache meanwhile is good enough.
    private func fetched(
        _ keys: [Key], joining: Bool = true, unlessCached: Bool = false
    ) async throws -> [Key: Value] {
        try await flights.values(for: keys, joining: joining) { keys, flight in
            let cached = unlessCached ? await cached(keys) : [:]
            let missing = keys.filter { cached[$0] == nil }
            guard !missing.isEmpty else { return cached }
            let fetched = try await source.fetch(missing)
            await changeCache {
                // Only now, because an update, a removal or a newer request may have come first.
                let newest = missing.filter { flights.isNewest(flight, of: $0) }
                let kept = newest.compactMap { key in fetched[key].map { (key, $0) } }
                return (Dictionary(kept) { first, _ in first }, newest.filter { fetched[$0] == nil })
            }
            return cached.merging(fetched) { _, new in new }
        }
    }

    private func cached(_ keys: [Key]) async -> [Key: Value] {
        do throws(KeychainError) { return try await fresh(keys) } catch {
            cacheFailed(error)
            return [:]
        }
    }

    /// What the cache has, without the values that it should have forgotten.
    private func fresh(_ keys: [Key]) async throws(KeychainError) -> [Key: Value] {
        let values = try await cache.values(for: keys.filter { !stale.contains($0) })
        // A change may have failed while the cache was read.
        return values.filter { !stale.contains($0.key) }
    }

    /// - Parameter plan: says what the cache keeps and what it forgets. It runs when it is this change's turn.
    private func changeCache(_ plan: @escaping @Sendable () -> (kept: [Key: Value], gone: [Key])) async {
        await turns.run {
            let (kept, gone) = plan()
            let keys = gone + Array(kept.keys)
            do throws(KeychainError) {
                if !gone.isEmpty { try await cache.forget(gone) }
                if !kept.isEmpty { try await cache.keep(kept) }
                stale.remove(keys)
            } catch {
                cacheFailed(error)
                // The values that the cache has now are older than those of the source.
                do throws(KeychainError) {
                    try await cache.forget(keys)
                    stale.remove(keys)
                } catch { stale.add(keys) }
            }
        }
    }
}

/// The outcome of a call whose error another task throws.
private func result(
    _ body: () async throws(KeychainError) -> Void
) async -> Result<Void, KeychainError> {
    do throws(KeychainError) { return .success(try await body()) } catch { return .failure(error) }
}

/// A cache as ``Repository`` uses it: ``LRUCache``, ``TTLCache``, ``KeychainCache``, or one of the application's.
///
/// A cache may drop every value at any time. It never gives one that has expired.
///
/// ```swift
/// func warm(_ cache: some ValueCache<String, Profile>) async throws {
///     try await cache.keep(["42": profile])
/// }
/// ```
public protocol ValueCache<Key, Value>: Sendable {
    /// What names a value.
    associatedtype Key: Hashable & Sendable
    /// What is kept.
    associatedtype Value: Sendable

    /// The values of those keys that the cache has.
    func values(for keys: [Key]) async throws(KeychainError) -> [Key: Value]

    /// Keeps values in place of the former ones.
    func keep(_ values: [Key: Value]) async throws(KeychainError)

    /// Removes the values of keys. Absent ones are fine.
    func forget(_ keys: [Key]) async throws(KeychainError)

    /// Empties the cache.
    func forgetAll() async throws(KeychainError)
}

extension Repository: ServiceData {
    /// Empties the cache. Answers that are under way are not kept.
    public func deleteEverything(of service: String) async throws { try await forgetAll() }
}
