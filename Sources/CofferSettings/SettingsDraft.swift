/// The settings of a suite inside of ``Settings/update(_:)``, where no process changes anything meanwhile.
///
/// ```swift
/// try await settings.update { (draft) throws(SettingsError) in
///     try draft.set(try draft.value(for: launches) + 1, for: launches)
/// }
/// ```
public struct SettingsDraft: Sendable {
    private(set) var values: [String: SettingsJSON]
    private let defaults: [String: SettingsJSON]

    init(values: [String: SettingsJSON], defaults: [String: SettingsJSON]) {
        self.values = values
        self.defaults = defaults
    }

    /// The value of a setting: the stored one, otherwise the registered default, otherwise the key's own.
    /// - Throws: ``SettingsError/Code/wrongType``.
    public func value<Value>(for key: SettingKey<Value>) throws(SettingsError) -> Value {
        guard let json = values[key.name] ?? defaults[key.name] else { return key.defaultValue }
        return try Value.settingCoding.decode(json)
    }

    /// Sets a value. Setting nil removes it.
    /// - Throws: ``SettingsError/Code/notStorable``, ``SettingsError/Code/sensitive``,
    ///   ``SettingsError/Code/limitExceeded``, ``SettingsError/Code/invalidName``.
    public mutating func set<Value>(_ value: Value, for key: SettingKey<Value>) throws(SettingsError) {
        let edit = try SettingsEdit.set(value, for: key)
        values[edit.name] = edit.value
    }

    /// Removes a value, so that the default counts again.
    public mutating func remove<Value>(_ key: SettingKey<Value>) { values[key.name] = nil }

    /// - Throws: ``SettingsError/Code/limitExceeded`` if the settings are too many or too large for a suite.
    package func checkSize() throws(SettingsError) { try SettingsFormat.Size(of: values).check() }

    /// Whether a value is stored for this key.
    public func contains<Value>(_ key: SettingKey<Value>) -> Bool { values[key.name] != nil }
}

/// A change of one setting.
struct SettingsEdit: Sendable {
    let name: String
    /// nil for a removal.
    let value: SettingsJSON?

    static func set<Value>(_ value: Value, for key: SettingKey<Value>) throws(SettingsError) -> SettingsEdit {
        try SettingName.check(key.name)
        let json = try Value.settingCoding.encode(value)
        // Checked now, so that the caller hears of it and the file's other changes do not fail with it.
        _ = try SettingsFormat.text(of: json)
        return SettingsEdit(name: key.name, value: json == .null ? nil : json)
    }
}
