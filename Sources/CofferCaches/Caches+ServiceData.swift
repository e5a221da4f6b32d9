import Coffer

extension LRUCache: ServiceData {
    /// Empties the cache.
    public func deleteEverything(of service: String) { removeAll() }
}

extension TTLCache: ServiceData {
    /// Empties the cache.
    public func deleteEverything(of service: String) { removeAll() }
}

extension KeychainCache: ServiceData {
    /// Empties the cache.
    public func deleteEverything(of service: String) async throws { try await forgetAll() }
}

extension Repository: ServiceData {
    /// Empties the cache. Answers that are under way are not kept.
    public func deleteEverything(of service: String) async throws { try await forgetAll() }
}
