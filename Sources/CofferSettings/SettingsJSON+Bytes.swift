/// For stores of settings that are not files of a suite.
extension SettingsJSON {
    /// The JSON text of one value.
    /// - Throws: ``SettingsError/Code/notStorable``, ``SettingsError/Code/limitExceeded``.
    package func encoded() throws(SettingsError) -> [UInt8] { Array(try SettingsFormat.text(of: self).utf8) }

    /// - Returns: nil for bytes that are no value.
    package init?(decoding bytes: [UInt8]) {
        guard bytes.count <= SettingsLimits.value else { return nil }
        do throws(SettingsReader.Malformed) {
            self = try SettingsReader.read(bytes, depth: SettingsLimits.depth)
        } catch { return nil }
    }
}

extension SettingKey {
    /// - Returns: nil for a value that is stored as nothing.
    package func encode(_ value: Value) throws(SettingsError) -> SettingsJSON? {
        try SettingsEdit.set(value, for: self).value
    }

    package func decode(_ json: SettingsJSON) throws(SettingsError) -> Value {
        try Value.settingCoding.decode(json)
    }
}

extension Settings {
    /// What is stored under a name, of any type.
    package func json(named name: String) throws(SettingsError) -> SettingsJSON? {
        try memory.refresh()
        return memory.state.withLock { $0.values[name] }
    }

    /// Stores a value of any type. nil removes it.
    package func put(_ json: SettingsJSON?, named name: String) throws(SettingsError) {
        try SettingName.check(name)
        try memory.record(SettingsEdit(name: name, value: json))
        memory.schedule(after: SettingsLimits.batch)
    }
}
