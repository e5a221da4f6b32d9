/// Data of a service outside of its keychain, such as settings, files and caches. `ServiceLifeCycle` deletes it.
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
    /// Deletes all items of the service in this keychain's vault, of every class but settings. `SyncedSettings` deletes
    /// those.
    public func deleteEverything(of service: String) async throws {
        _ = try await of(service: service).deleteEverything()
    }
}
