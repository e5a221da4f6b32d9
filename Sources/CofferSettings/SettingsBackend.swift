/// Where the settings of one suite are kept. ``FileSettings`` keeps them in a file, ``InMemorySettings`` in memory.
///
/// ```swift
/// let settings = Settings(backend: InMemorySettings())
/// ```
public protocol SettingsBackend: Sendable {
    /// Reads all settings.
    /// - Throws: ``SettingsError/Code/damaged``, ``SettingsError/Code/newerVersion``, ``SettingsError/Code/notTrusted``,
    ///   ``SettingsError/Code/unavailable``.
    func read() throws(SettingsError) -> SettingsContent

    /// Says which content ``read()`` would give, at little cost.
    func stamp() throws(SettingsError) -> SettingsStamp

    /// Reads, changes and writes all settings in one step. Between reading and writing nobody else writes.
    /// - Parameter body: changes the settings. If it throws, nothing is written.
    /// - Returns: what is stored now.
    func change(
        _ body: (inout [String: SettingsJSON]) throws(SettingsError) -> Void
    ) async throws(SettingsError) -> SettingsContent

    /// Notices that the content may have changed, by this process or another one; the first one comes once the backend watches. The stream
    /// ends only when nobody reads it.
    func notices() -> AsyncStream<Void>

    /// Puts a damaged file aside, so that the settings start anew.
    /// - Returns: where the damaged content is now; nil if nothing was damaged.
    func setAsideDamaged() async throws(SettingsError) -> String?
}

/// All settings of a suite at one moment.
///
/// ```swift
/// let content = try InMemorySettings().read()
/// print(content.values.keys.sorted())
/// ```
public struct SettingsContent: Sendable, Equatable {
    /// The stored values by name.
    public let values: [String: SettingsJSON]
    /// Tells this content from others.
    public let stamp: SettingsStamp

    /// For backends of your own.
    public init(values: [String: SettingsJSON], stamp: SettingsStamp) {
        self.values = values
        self.stamp = stamp
    }
}

/// Tells contents of one backend apart. Two contents with the same stamp are the same.
///
/// ```swift
/// let backend = InMemorySettings()
/// let isSame = try backend.stamp() == backend.read().stamp
/// ```
public struct SettingsStamp: Sendable, Hashable {
    private let numbers: [UInt64]

    /// - Parameter numbers: numbers that the backend gives to no two contents.
    public init(_ numbers: UInt64...) { self.numbers = numbers }
}
