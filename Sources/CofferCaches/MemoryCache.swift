import Synchronization

/// What ``LRUCache`` and ``TTLCache`` share: a bounded table, the time, and whether values may be held now.
final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var table = RecencyTable<Key, Value>()
        /// Whether values may be held.
        var isOpen: Bool
    }

    private let state: Mutex<State>
    private let limits: CacheLimits
    /// The time since some moment.
    private let now: @Sendable () -> Duration

    init(_ limits: CacheLimits, isOpen: Bool, clock: any Clock<Duration>) {
        self.limits = limits
        now = Self.time(of: clock)
        state = Mutex(State(isOpen: isOpen))
    }

    private static func time(of clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    var count: Int { look { $0.count } }

    var cost: Int { look { $0.cost } }

    private func look(_ body: (RecencyTable<Key, Value>) -> Int) -> Int {
        change { table, removed, now in
            removed += table.removeExpired(now: now)
            return body(table)
        }
    }

    func value(for key: Key) -> Value? {
        change { table, removed, now in
            removed += table.removeExpired(now: now)
            return table.value(for: key, now: now)
        }
    }

    /// - Returns: whether the value is held.
    func set(_ value: Value, for key: Key, cost: Int, lifetime: Duration?) -> Bool {
        let cost = max(cost, 0)
        return change(unless: false) { table, removed, now in
            removed += table.removeExpired(now: now)
            if let former = table.remove(key) { removed.append(former) }
            guard limits.count > 0, cost <= limits.cost, lifetime.map({ $0 > .zero }) ?? true else { return false }
            while table.count >= limits.count || table.cost > limits.cost - cost, let oldest = table.removeOldest() {
                removed.append(oldest)
            }
            table.insert(value, for: key, cost: cost, expires: lifetime.map { Self.moment(now, after: $0) })
            return true
        }
    }

    /// A lifetime may be longer than a `Duration` can count from now. Its end is then the last moment.
    private static func moment(_ now: Duration, after lifetime: Duration) -> Duration {
        let last = Duration(attoseconds: .max)
        return lifetime < last - now ? now + lifetime : last
    }

    func remove(_ key: Key) -> Value? {
        change { table, removed, now in
            removed += table.removeExpired(now: now)
            return table.remove(key)
        }
    }

    func removeExpired() {
        change { table, removed, now in removed += table.removeExpired(now: now) }
    }

    /// The values leave the lock before they end, because their ends may call the cache.
    func removeAll() {
        _ = state.withLock { state in
            defer { state.table = RecencyTable() }
            return state.table
        }
    }

    /// While the cache is closed, it is empty.
    /// - Parameter isOpen: is asked within the lock, so that the newest answer is the last one that counts.
    func open(if isOpen: () -> Bool) {
        _ = state.withLock { state in
            state.isOpen = isOpen()
            guard !state.isOpen else { return RecencyTable<Key, Value>() }
            defer { state.table = RecencyTable() }
            return state.table
        }
    }

    private func change<Result: Sendable>(
        _ body: (inout RecencyTable<Key, Value>, inout [Value], Duration) -> Result
    ) -> Result {
        let (result, _) = state.withLock { state in
            var removed: [Value] = []
            let result = body(&state.table, &removed, now())
            return (result, removed)
        }
        return result
    }

    private func change<Result: Sendable>(
        unless closed: Result, _ body: (inout RecencyTable<Key, Value>, inout [Value], Duration) -> Result
    ) -> Result {
        let (result, _) = state.withLock { state in
            guard state.isOpen else { return (closed, [Value]()) }
            var removed: [Value] = []
            let result = body(&state.table, &removed, now())
            return (result, removed)
        }
        return result
    }
}

/// How much a cache holds. If there is more, it removes what was not used for the longest time.
public struct CacheLimits: Sendable, Hashable {
    /// How many values.
    public var count: Int
    /// The sum of the costs of the values, in the application's own unit.
    public var cost: Int

    /// 1,000 values of any cost.
    public static let standard = CacheLimits()

    /// At most `count` values, of `cost` together. If there are more, the cache drops those that were used least recently.
    /// ```swift
    /// let limits = CacheLimits(count: 100, cost: 1 << 20)
    /// ```
    public init(count: Int = 1000, cost: Int = .max) {
        self.count = count
        self.cost = cost
    }
}
