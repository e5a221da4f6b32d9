import Coffer

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
