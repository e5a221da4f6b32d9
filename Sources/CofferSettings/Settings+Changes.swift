extension Settings {
    /// The settings that change from now on, in this process and in others.
    /// ```swift
    /// for await change in settings.changes() where change.names.contains("theme") { redraw() }
    /// ```
    public func changes() -> SettingsChanges {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let observer = SettingsObserver(wake: wake)
        // What is stored now is no change.
        try? memory.refresh()  // `try?`: reading a value throws the error.
        let number = memory.state.withLock { $0.observers.add(observer) }
        wake.onTermination = { [weak memory] _ in memory?.removeObserver(number) }
        memory.startWatching()
        return SettingsChanges(settings: self, observer: observer, wakes: wakes)
    }

    /// The values that a setting has from now on. Values that come while nobody takes the next one are left out, except
    /// for the last. A stored value of another type counts as the default.
    /// ```swift
    /// for await size in settings.changes(of: fontSize) { layout(size) }
    /// ```
    public func changes<Value>(of key: SettingKey<Value>) -> SettingValues<Value> {
        SettingValues(changes: changes(), settings: self, key: key)
    }

    /// The errors of writes that ran by themselves, and of properties that could not be set, from now on. What could not
    /// be written is kept, and tried again with the next change or ``flush()``.
    public func failures() -> AsyncStream<SettingsError> {
        AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            let number = memory.state.withLock { $0.observers.add(continuation) }
            // The stream keeps the settings, because without them it would be silent for ever.
            continuation.onTermination = { [self] _ in memory.removeObserver(number) }
        }
    }
}

extension SettingsMemory {
    fileprivate func removeObserver(_ number: UInt64) {
        let watch = state.withLock { state -> Task<Void, Never>? in
            state.observers.remove(number)
            guard !state.observers.observesChanges else { return nil }
            defer { state.watch = nil }
            return state.watch
        }
        watch?.cancel()
    }

    fileprivate func startWatching() {
        state.withLock { state in
            guard state.watch == nil else { return }
            state.watch = Task.detached { [weak self, backend] in
                for await _ in backend.notices() {
                    guard let self else { return }
                    // `try?`: reading a value throws the error.
                    try? refresh()
                }
            }
        }
    }
}

/// The values that one setting takes.
///
/// ```swift
/// for await size in settings.changes(of: fontSize) { layout(size) }
/// ```
public struct SettingValues<Value: SettingValue>: AsyncSequence, Sendable {
    /// The value of the setting after a change.
    public typealias Element = Value

    let changes: SettingsChanges
    let settings: Settings
    let key: SettingKey<Value>

    /// Waits for changes of the setting.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var changes: SettingsChanges.AsyncIterator
        fileprivate let settings: Settings
        fileprivate let key: SettingKey<Value>

        /// Waits for the next value.
        /// - Returns: nil if the task was cancelled.
        public mutating func next() async -> Value? {
            while let change = await changes.next() {
                guard change.names.contains(key.name) else { continue }
                // `try?`: a stored value of another type counts as the default.
                return
                    (try? settings.memory.state.withLock { (state) throws(SettingsError) in
                        try state.value(for: key)
                    }) ?? key.defaultValue
            }
            return nil
        }
    }

    /// Begins with the next change.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(changes: changes.makeAsyncIterator(), settings: settings, key: key)
    }
}
