import Coffer

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
