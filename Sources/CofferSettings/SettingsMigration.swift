import FoundationEssentials

/// A step from one version of ``VersionedSettings`` to the next.
public struct SettingsMigration: Sendable {
    /// The version that it starts from. It leads to the next number.
    public let version: Int
    let body: @Sendable (inout SettingsJSON) throws -> Void

    /// A step that changes the stored JSON.
    /// ```swift
    /// let migration = SettingsMigration(from: 1) { json in
    ///     json["fontSize"] = json["size"] ?? 12
    ///     json["size"] = nil
    /// }
    /// ```
    /// - Parameter body: changes the value. If it throws, the file stays as it was.
    public init(from version: Int, _ body: @escaping @Sendable (inout SettingsJSON) throws -> Void) {
        self.version = version
        self.body = body
    }

    /// A step from one type to the next.
    /// ```swift
    /// let migration = SettingsMigration(from: 2, PreferencesV2.self) { old in PreferencesV3(fontSize: Double(old.fontSize)) }
    /// ```
    public init<Old: Codable & Sendable, New: Codable & Sendable>(
        from version: Int, _ old: Old.Type, _ body: @escaping @Sendable (Old) throws -> New
    ) {
        self.init(from: version) { json in
            let former = try SettingCoding<Old>.codable.decode(json)
            json = try SettingsEncoder.encode(try body(former))
        }
    }
}
