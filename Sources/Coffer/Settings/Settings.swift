import Synchronization

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
/// change the same one, the last write counts.
///
/// Settings are plain text. They refuse a ``SensitiveValue``; passwords and tokens belong into a keychain.
public final class Settings: Sendable {
    /// Where the settings are kept.
    public let backend: any SettingsBackend
    private let batch: Duration
    let state: Mutex<SettingsState>

    /// Settings of any backend.
    /// - Parameter batch: how long a write waits for further changes; nil for 200 milliseconds.
    public init(backend: any SettingsBackend, batch: Duration? = nil) {
        self.backend = backend
        self.batch = batch ?? SettingsLimits.batch
        state = Mutex(SettingsState())
    }

    /// The user's own settings, in ``FileSettings``.
    /// - Parameter suite: a name, such as `com.example.app`. It is checked at the first use.
    public convenience init(suite: String) { self.init(backend: FileSettings(suite: suite)) }

    /// The settings that the members of a POSIX group share, in ``FileSettings``.
    public convenience init(suite: String, group: String) {
        self.init(backend: FileSettings(suite: suite, group: group))
    }

    deinit { state.withLock { $0.watch?.cancel() } }

    /// Sees what other processes have written since the last look.
    func refresh() throws(SettingsError) {
        while true {
            let seen = state.withLock { $0.content?.stamp }
            if try backend.stamp() == seen { return }
            let content = try backend.read()
            // Another task may have read or written something newer meanwhile. Then this is looked at once more.
            let observers = state.withLock { $0.content?.stamp == seen ? $0.adopt(content) : nil }
            if let observers { return SettingsState.tell(observers) }
        }
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
        try refresh()
        return try state.withLock { (state) throws(SettingsError) in try state.value(for: key) }
    }

    /// Whether a value is stored for this key. Defaults do not count.
    public func contains<Value>(_ key: SettingKey<Value>) throws(SettingsError) -> Bool {
        try refresh()
        return state.withLock { $0.values[key.name] != nil }
    }

    /// The names of all stored settings, in order.
    public func names() throws(SettingsError) -> [String] {
        try refresh()
        return state.withLock { $0.values.keys.sorted() }
    }

    /// Registers a default that goes before the key's own, for this value of ``Settings`` only. It is not stored.
    /// ```swift
    /// try settings.register(default: 16, for: fontSize)
    /// ```
    public func register<Value>(default value: Value, for key: SettingKey<Value>) throws(SettingsError) {
        try SettingName.check(key.name)
        let json = try Value.settingCoding.encode(value)
        _ = try SettingsFormat.text(of: json)
        SettingsState.tell(state.withLock { $0.register(json, for: key.name) })
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
        let edit = try SettingsEdit.set(value, for: key)
        try edit.record(in: self)
    }

    /// Removes a value, so that the default counts again. A missing one is no error.
    public func remove<Value>(_ key: SettingKey<Value>) throws(SettingsError) {
        try SettingName.check(key.name)
        try SettingsEdit(name: key.name, value: nil).record(in: self)
    }

    /// Removes all values, so that the defaults count again.
    public func reset() throws(SettingsError) { try keepOnly([]) }

    /// Removes all values but these: what former versions of an application have left.
    /// ```swift
    /// try settings.removeAll(except: ["fontSize", "theme"])
    /// ```
    public func removeAll(except names: Set<String>) throws(SettingsError) { try keepOnly(names) }

    private func keepOnly(_ names: Set<String>) throws(SettingsError) {
        SettingsState.tell(state.withLock { $0.keepOnly(names) })
        schedule()
    }

    /// Writes all changes now.
    ///
    /// - Throws: why they could not be written, or why a property could not be set. Changes that could not be written are
    ///   kept, and the next ``flush()`` tries again. If other processes have filled the suite meanwhile, the changes that
    ///   fit are written.
    public func flush() async throws(SettingsError) {
        let left = try await write { (_) throws(SettingsError) in }
        if let refused = state.withLock({ $0.takeRefusal() }) { throw refused }
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
        let defaults = state.withLock { $0.defaults }
        _ = try await write { (values) throws(SettingsError) in
            var draft = SettingsDraft(values: values, defaults: defaults)
            result = try body(&draft)
            values = draft.values
        }
        guard let result else { throw SettingsError(.unavailable, "the settings were not opened") }
        return result
    }

    /// Writes what is pending, then what `body` changes, as one change of the file.
    /// - Returns: why some of the pending changes were left out; nil if none was.
    private func write(
        _ body: (inout [String: SettingsJSON]) throws(SettingsError) -> Void
    ) async throws(SettingsError) -> SettingsError? {
        var written = SettingsState.Written()
        var own: Set<String> = []
        let seen = state.withLock { $0.content?.stamp }
        do throws(SettingsError) {
            let content = try await backend.change { (values) throws(SettingsError) in
                // Only now, because another write of this process may have come first.
                written = try state.withLock { (state) throws(SettingsError) in try state.write(to: &values) }
                let before = values
                try body(&values)
                own = SettingsState.names(of: before, unlike: values)
                state.withLock { $0.begin(writing: own, of: values) }
            }
            let observers = state.withLock { state in
                defer { state.end(writing: own) }
                state.forget(written)
                if !written.left.isEmpty, let reason = written.reason { state.failed(reason) }
                return state.content?.stamp == seen ? state.adopt(content, own: own) : nil
            }
            // Otherwise another task has read or written something newer.
            if let observers { SettingsState.tell(observers) } else { try refresh() }
            return written.left.isEmpty ? nil : written.reason
        } catch {
            state.withLock { state in
                state.end(writing: own)
                state.failed(error)
            }
            throw error
        }
    }

    /// Has the pending changes written a moment from now.
    func schedule() {
        let isFirst = state.withLock { state in
            if state.isScheduled { return false }
            state.isScheduled = true
            return true
        }
        guard isFirst else { return }
        // The task holds this value, so that changes are written even if nobody else does.
        Task.detached { [self] in
            // `try?`: nobody cancels this task, so it always sleeps.
            try? await Task.sleep(for: batch)
            state.withLock { $0.isScheduled = false }
            // `try?`: flush() and failures() tell the error. The changes stay pending.
            _ = try? await write { (_) throws(SettingsError) in }
        }
    }

    /// Puts a damaged file aside, so that the settings start with their defaults. Nothing else ever does that.
    /// - Returns: where the damaged content is now; nil if nothing was damaged.
    @discardableResult
    public func setAsideDamaged() async throws(SettingsError) -> String? {
        let path = try await backend.setAsideDamaged()
        try refresh()
        return path
    }
}

extension SettingsEdit {
    fileprivate func record(in settings: Settings) throws(SettingsError) {
        // The room that is left depends on what the file has. `try?`: flush() tells why it cannot be read.
        if settings.state.withLock({ $0.content == nil }) { try? settings.refresh() }
        let observers = try settings.state.withLock { (state) throws(SettingsError) in
            try state.record(self)
        }
        SettingsState.tell(observers)
        settings.schedule()
    }
}
