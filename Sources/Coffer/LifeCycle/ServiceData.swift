/// Data of a service outside of its keychain, such as settings, files and caches. ``ServiceLifeCycle`` deletes it.
///
/// ```swift
/// struct Thumbnails: ServiceData {
///     func deleteEverything(of service: String) async throws { redraw() }
/// }
/// ```
public protocol ServiceData: Sendable {
    /// Deletes everything that it has of the service. If there is nothing, that is fine, so that a call that failed can be repeated.
    func deleteEverything(of service: String) async throws
}

extension Keychain: ServiceData {
    /// Deletes all items of the service in this keychain's vault, of every class.
    public func deleteEverything(of service: String) async throws {
        _ = try await of(service: service).deleteEverything()
    }
}

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

extension Settings: ServiceData {
    /// Removes all settings of this suite, for any service. The file is written when the call returns.
    public func deleteEverything(of service: String) async throws {
        try reset()
        try await flush()
    }
}

extension VersionedSettings: ServiceData {
    /// Removes all preferences of this suite, of whichever version, for any service. The file is written when the call returns.
    public func deleteEverything(of service: String) async throws {
        _ = try await backend.change { (values) throws(SettingsError) in values = [:] }
    }
}
