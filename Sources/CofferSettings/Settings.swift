import Coffer

/// The settings of a suite: typed values by name, in one file that several processes may use at once.
///
/// ```swift
/// let settings = Settings(suite: "com.example.app")
/// let fontSize = SettingKey("fontSize", default: 12)
/// try settings.set(14, for: fontSize)
/// let size = try settings.value(for: fontSize)   // 14
/// try await settings.flush()                      // before the process ends
/// ```
///
/// Reads come from memory and see what any process has written. ``set(_:for:)`` changes the memory at once and the file a
/// moment later, together with other changes. ``flush()`` waits for that, and throws if it failed. A failed write is kept
/// and tried again; ``failures()`` tells of it too. Call ``flush()`` before the process ends: what is in memory ends with
/// it. ``update(_:)`` reads and writes in one step, for example to count.
///
/// Only the settings that a process changed are written, so processes that change different ones lose nothing. If two
/// change the same one, the last write counts. In one process, all values of ``Settings`` for the same file share their
/// memory: what one has set, the others see at once.
///
/// Settings are plain text. They refuse a ``SensitiveValue``; passwords and tokens belong into a keychain.
public final class Settings: Sendable {
    /// Where the settings are kept.
    public var backend: any SettingsBackend { memory.backend }
    private let batch: Duration
    let memory: SettingsMemory

    /// Settings of any backend.
    /// - Parameter batch: how long a write waits for further changes; nil for 200 milliseconds.
    public convenience init(backend: any SettingsBackend, batch: Duration? = nil) {
        self.init(memory: .of(backend), batch: batch)
    }

    init(memory: SettingsMemory, batch: Duration? = nil) {
        self.memory = memory
        self.batch = batch ?? SettingsLimits.batch
    }

    /// The user's own settings, in ``FileSettings``.
    /// - Parameter suite: a name, such as `com.example.app`. It is checked at the first use.
    public convenience init(suite: String) { self.init(backend: FileSettings(suite: suite)) }

    /// The settings that the members of a POSIX group share, in ``FileSettings``.
    public convenience init(suite: String, group: String) {
        self.init(backend: FileSettings(suite: suite, group: group))
    }
}

// MARK: Reading

extension Settings {
    /// The value of a setting: the stored one, otherwise the registered default, otherwise the key's own.
    ///
    /// - Throws: ``SettingsError/Code/wrongType`` if the stored value is of another type; ``SettingsError/Code/damaged``
    ///   and the other codes if the settings cannot be read.
    public func value<Value>(for key: SettingKey<Value>) throws(SettingsError) -> Value {
        try SettingName.check(key.name)
        try memory.refresh()
        return try memory.state.withLock { (state) throws(SettingsError) in try state.value(for: key) }
    }

    /// Whether a value is stored for this key. Defaults do not count.
    public func contains<Value>(_ key: SettingKey<Value>) throws(SettingsError) -> Bool {
        try memory.refresh()
        return memory.state.withLock { $0.values[key.name] != nil }
    }

    /// The names of all stored settings, in order.
    public func names() throws(SettingsError) -> [String] {
        try memory.refresh()
        return memory.state.withLock { $0.values.keys.sorted() }
    }

    /// Registers a default that goes before the key's own. It is not stored. It counts for all settings of this file in this process, until the process ends.
    /// ```swift
    /// try settings.register(default: 16, for: fontSize)
    /// ```
    public func register<Value>(default value: Value, for key: SettingKey<Value>) throws(SettingsError) {
        try SettingName.check(key.name)
        let json = try Value.settingCoding.encode(value)
        _ = try SettingsFormat.text(of: json)
        try memory.change { (state) in state.register(json, for: key.name) }
    }
}

// MARK: Writing

extension Settings {
    /// Sets a value. It can be read at once, and is written with other changes a moment later: see ``flush()``.
    /// Setting nil removes the value.
    ///
    /// - Throws: ``SettingsError/Code/notStorable``, ``SettingsError/Code/sensitive``,
    ///   ``SettingsError/Code/limitExceeded``, ``SettingsError/Code/invalidName``.
    public func set<Value>(_ value: Value, for key: SettingKey<Value>) throws(SettingsError) {
        try memory.record(try SettingsEdit.set(value, for: key))
        memory.schedule(after: batch)
    }

    /// Removes a value, so that the default counts again. A missing one is no error.
    public func remove<Value>(_ key: SettingKey<Value>) throws(SettingsError) {
        try SettingName.check(key.name)
        try memory.record(SettingsEdit(name: key.name, value: nil))
        memory.schedule(after: batch)
    }

    /// Removes all values that are there now, so that the defaults count again. What another process stores from now on
    /// stays.
    /// - Throws: why the settings cannot be read.
    public func reset() throws(SettingsError) { try removeAll(except: []) }

    /// Removes all values that are there now, but for these: what former versions of an application have left. What another
    /// process stores from now on stays.
    /// ```swift
    /// try settings.removeAll(except: ["fontSize", "theme"])
    /// ```
    /// - Throws: why the settings cannot be read.
    public func removeAll(except names: Set<String>) throws(SettingsError) {
        try memory.removeAll(except: names)
        memory.schedule(after: batch)
    }

    /// Writes all changes now.
    ///
    /// - Throws: why they could not be written, or why a property could not be set. Changes that could not be written are
    ///   kept, and the next ``flush()`` tries again. If other processes have filled the suite meanwhile, the changes that
    ///   fit are written.
    public func flush() async throws(SettingsError) {
        let left = try await memory.write()
        if let refused = memory.state.withLock({ $0.takeRefusal() }) { throw refused }
        if let left { throw left }
    }

    /// Reads and changes settings in one step, and writes them at once. Between its reads and its writes no process
    /// changes anything, and nobody ever sees a part of it.
    /// ```swift
    /// try await settings.update { draft throws(SettingsError) in
    ///     try draft.set(draft.value(for: launches) + 1, for: launches)
    /// }
    /// ```
    /// - Parameter body: changes the draft. If it throws, nothing of it is written. Keep it short: others wait for it.
    public func update<Result: Sendable>(
        _ body: @Sendable (inout SettingsDraft) throws(SettingsError) -> Result
    ) async throws(SettingsError) -> Result {
        var result: Result?
        let defaults = memory.state.withLock { $0.defaults }
        _ = try await memory.write { (values) throws(SettingsError) in
            var draft = SettingsDraft(values: values, defaults: defaults)
            result = try body(&draft)
            values = draft.values
        }
        guard let result else { throw SettingsError(.unavailable, "the settings were not opened") }
        return result
    }

    /// Puts a damaged file aside, so that the settings start with their defaults. Nothing else ever does that.
    /// - Returns: where the damaged content is now; nil if nothing was damaged.
    @discardableResult
    public func setAsideDamaged() async throws(SettingsError) -> String? {
        let path = try await backend.setAsideDamaged()
        try memory.refresh()
        return path
    }
}

extension Settings: ServiceData {
    /// Removes all settings of this suite, for any service. The file is written when the call returns.
    public func deleteEverything(of service: String) async throws {
        try reset()
        try await flush()
    }
}
