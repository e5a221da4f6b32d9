/// A cache as ``Repository`` uses it: ``LRUCache``, ``TTLCache``, ``KeychainCache``, or one of the application's.
///
/// A cache may drop every value at any time. It never gives one that has expired.
public protocol ValueCache<Key, Value>: Sendable {
    associatedtype Key: Hashable & Sendable
    associatedtype Value: Sendable

    /// The values of those keys that the cache has.
    func values(for keys: [Key]) async throws(KeychainError) -> [Key: Value]

    /// Keeps values in place of the former ones.
    func keep(_ values: [Key: Value]) async throws(KeychainError)

    /// Removes the values of keys. Absent ones are fine.
    func forget(_ keys: [Key]) async throws(KeychainError)

    func forgetAll() async throws(KeychainError)
}
