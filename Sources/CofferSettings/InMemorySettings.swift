import Synchronization

/// Settings in memory, for tests. Several ``Settings`` on one value behave like processes that share a file.
///
/// ```swift
/// let settings = Settings(backend: InMemorySettings())
/// ```
public final class InMemorySettings: SettingsBackend {
    private struct State {
        var values: [String: SettingsJSON] = [:]
        var generation: UInt64 = 0
        var failure: SettingsError?
        var readers: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var nextReader: UInt64 = 0
    }

    private let state: Mutex<State>

    /// - Parameter values: what is stored at first.
    public init(_ values: [String: SettingsJSON] = [:]) { state = Mutex(State(values: values)) }

    /// Lets every read and write fail from now on, to test what the application does then; nil for success.
    public func fail(with error: SettingsError?) { state.withLock { $0.failure = error } }

    /// Implements ``SettingsBackend/read()``.
    public func read() throws(SettingsError) -> SettingsContent {
        try state.withLock { (state) throws(SettingsError) in
            if let failure = state.failure { throw failure }
            return SettingsContent(values: state.values, stamp: SettingsStamp(state.generation))
        }
    }

    /// Implements ``SettingsBackend/stamp()``.
    public func stamp() throws(SettingsError) -> SettingsStamp { try read().stamp }

    /// Implements ``SettingsBackend/change(_:)``.
    public func change(
        _ body: (inout [String: SettingsJSON]) throws(SettingsError) -> Void
    ) async throws(SettingsError) -> SettingsContent {
        let (content, readers) = try state.withLock { (state) throws(SettingsError) in
            if let failure = state.failure { throw failure }
            var values = state.values
            try body(&values)
            _ = try SettingsFormat.bytes(of: values)
            if values != state.values {
                state.values = values
                state.generation += 1
            }
            return (
                SettingsContent(values: values, stamp: SettingsStamp(state.generation)), Array(state.readers.values)
            )
        }
        for reader in readers { reader.yield() }
        return content
    }

    /// Implements ``SettingsBackend/notices()``.
    public func notices() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.nextReader += 1
                state.readers[state.nextReader] = continuation
                return state.nextReader
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.readers.removeValue(forKey: number) }
            }
            continuation.yield()
        }
    }

    /// Memory is never damaged: nil.
    public func setAsideDamaged() async throws(SettingsError) -> String? { nil }
}
