import Coffer
import FoundationEssentials

/// A cache that outlives the process: each value is an item of the keychain, and expires there.
///
/// ```swift
/// let profiles = KeychainCache<Profile>(name: "profiles", keychain: keychain, lifetime: .seconds(86400))
/// try await profiles.set(profile, for: "42")
/// let stored = try await profiles.value(for: "42")
/// ```
/// The items open on this device only, while the vault is unlocked. Nobody is ever asked: while the vault is locked, reading throws `.locked`, and
/// writing goes on. Nothing stays in the memory of the process. If the cache is full, the values that were written first leave it.
public struct KeychainCache<Value: Codable & Sendable>: ValueCache {
    /// The key of a value is the rest of its account.
    public typealias Key = String

    /// Tells the caches of a service apart. Without a slash.
    public let name: String
    /// Where the values are kept.
    public let keychain: Keychain
    /// How long values live.
    public let lifetime: Duration
    /// The cost of a value is the number of its bytes as JSON.
    public let limits: CacheLimits
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - limits: how many values, and how many bytes of them as JSON. A value of more than 1 MiB is not kept.
    ///   - now: the time by which values expire. Tests give another.
    public init(
        name: String, keychain: Keychain, lifetime: Duration, limits: CacheLimits = CacheLimits(cost: 16 << 20),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.name = name
        self.keychain = keychain.prompting(.never)
        self.lifetime = lifetime
        self.limits = limits
        self.now = now
    }

    /// The account of a key's item.
    public func account(of key: String) throws(KeychainError) -> String {
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
            throw KeychainError(
                .invalidArgument, "this is no name of a cache: \(VisibleText.quoted(name))",
                advice: "choose one without a slash")
        }
        return prefix + key
    }

    private var prefix: String { "cache/\(name)/" }

    /// The value of a key; nil if there is none, or if it has expired.
    /// - Throws: `.locked`; `.notDecodable` if another version of the program has stored another type.
    public func value(for key: String) async throws(KeychainError) -> Value? { try await values(for: [key])[key] }

    /// The values that are there and have not expired. Other keys are missing in the answer.
    /// - Throws: as ``value(for:)``.
    public func values(for keys: [String]) async throws(KeychainError) -> [String: Value] {
        let wanted = Set(keys)
        guard !wanted.isEmpty else { return [:] }
        for _ in 0..<CacheReading.rounds {
            let present = try await stored().filter {
                wanted.contains($0.key) && !hasExpired($0.item) && Self.hasValue($0.item)
            }
            do throws(KeychainError) { return try await read(present) } catch {
                // A value left the cache after it was looked up.
                guard error.code == .notFound else { throw error }
            }
        }
        return [:]
    }

    private func read(_ present: [CachePlan.Stored]) async throws(KeychainError) -> [String: Value] {
        // Equal keys can have different bytes. Only one of them is read.
        let unique = Dictionary(present.map { ($0.key, $0) }) { first, _ in first }.values.sorted { $0.key < $1.key }
        var parts = CacheBatches.split(unique, count: CacheBatches.reads) { stored in
            CacheBatches.size(value: stored.bytes, account: stored.item.account, name: name)
        }
        var values: [String: Value] = [:]
        while let part = parts.popLast() {
            let request = ReadRequest(prompts: .never, mayUnlock: false)
            let items: [Item]
            do throws(KeychainError) {
                items = try await keychain.backend.read(part.map(\.item.name), request, in: keychain.vault)
            } catch {
                // Another program wrote the sizes or other attributes, or the values have grown meanwhile.
                guard error.code == .limitExceeded, part.count > 1 else { throw error }
                let half = part.count / 2
                parts += [Array(part.prefix(half)), Array(part.dropFirst(half))]
                continue
            }
            for (stored, item) in zip(part, items) where !hasExpired(item.attributes) {
                values[stored.key] = try ItemCoding.decode(Value.self, item.value, item.attributes.name)
            }
        }
        return values
    }

    /// Stores the value of a key in place of the former one.
    public func set(_ value: Value, for key: String) async throws(KeychainError) { try await keep([key: value]) }

    /// Stores several values. Up to 128 changes with about 1 MiB of values are one transaction: all of them are stored,
    /// or none.
    /// A value that has no room, or more than 1 MiB, is not kept. The former value of its key leaves.
    /// - Throws: as `Keychain/apply(_:protection:)`.
    public func keep(_ values: [String: Value]) async throws(KeychainError) {
        var plan = CachePlan(limits)
        for (key, value) in values { plan.add(key, try ItemCoding.encode(value)) }
        let expiry = Expiry.at(now().addingTimeInterval(lifetime / .seconds(1)))
        var changes: [ItemChange] = []
        for (key, bytes) in plan.kept {
            let item = NewItem(
                value: bytes, access: .whenUnlocked.thisDeviceOnly,
                attributes: [CacheAttributes.name: name, CacheAttributes.bytes: String(bytes.count)], expiry: expiry)
            changes.append(ItemChange(keychain.name(try account(of: key)), .set(item)))
        }
        let leaving = plan.leaving(try await stored(), now: now())
        try await apply(changes + leaving.map { ItemChange($0, .delete) })
    }

    /// Removes the values of these keys. A key without a value is fine.
    /// - Throws: `.brokerUnreachable` and other errors of the broker. Nobody is asked.
    public func forget(_ keys: [String]) async throws(KeychainError) {
        let unwanted = Set(keys)
        try await delete(try await stored().filter { unwanted.contains($0.key) })
    }

    /// Removes all values of this cache. Other items of the service stay.
    /// - Throws: as ``forget(_:)``.
    public func forgetAll() async throws(KeychainError) { try await delete(try await stored()) }

    private func delete(_ items: [CachePlan.Stored]) async throws(KeychainError) {
        try await apply(items.map { ItemChange($0.item.name, .delete) })
    }

    private func apply(_ changes: [ItemChange]) async throws(KeychainError) {
        let parts = CacheBatches.split(changes, count: ChangeLimits.changes) { change in
            let value = if case .set(let item) = change.action { item.value.count } else { 0 }
            return CacheBatches.size(value: value, account: change.name.account, name: name)
        }
        // What a cache has comes from elsewhere, so an older copy of it is worth nothing to an attacker.
        for part in parts { try await keychain.apply(part, protection: .later) }
    }

    /// An item may have other fields alone, and nothing to read then.
    private static func hasValue(_ item: ItemAttributes) -> Bool { item.fields.contains { $0.name == .secret } }

    private func hasExpired(_ item: ItemAttributes) -> Bool { item.expires.map { $0 <= now() } ?? false }

    /// Everything of the cache that the vault has, expired or not.
    private func stored() async throws(KeychainError) -> [CachePlan.Stored] {
        // A name that cannot be used finds nothing of other caches.
        _ = try account(of: "")
        return try await keychain.search(attributes: [CacheAttributes.name: name]).compactMap { item in
            guard item.account.utf8.starts(with: prefix.utf8) else { return nil }
            return CachePlan.Stored(
                key: String(item.account.unicodeScalars.dropFirst(prefix.unicodeScalars.count)), item: item)
        }
    }
}

enum CacheReading {
    /// How often values are looked up again because some of them left the cache.
    static let rounds = 8
}

/// What the items of a cache are found by.
enum CacheAttributes {
    static let name = "coffer-cache"
    static let bytes = "bytes"
}

extension KeychainCache: ServiceData {
    /// Empties the cache.
    public func deleteEverything(of service: String) async throws { try await forgetAll() }
}
