import Coffer
import FoundationEssentials

/// All preferences of an application as one `Codable` value with a version.
///
/// ```swift
/// struct Preferences: Codable, Sendable { var fontSize = 12.0; var recentFiles: [URL] = [] }
///
/// let preferences = VersionedSettings(
///     suite: "com.example.app.preferences", version: 3, default: Preferences(),
///     migrations: [
///         SettingsMigration(from: 1) { json in json["fontSize"] = json["size"] },
///         SettingsMigration(from: 2, PreferencesV2.self) { old in Preferences(fontSize: Double(old.fontSize)) },
///     ])
/// try await preferences.update { $0.fontSize = 14 }
/// let size = try await preferences.load().fontSize
/// ```
///
/// Each write is in the file when the call returns. ``update(_:)`` reads and writes in one step, so that processes that
/// change different properties lose nothing. What an older version has stored is brought to this version when it is first
/// read; a step that fails leaves the file as it was. What a newer version has stored is refused. Use a suite for nothing
/// else.
public struct VersionedSettings<Model: Codable & Sendable>: Sendable {
    /// Where the preferences are kept.
    public let backend: any SettingsBackend
    /// The version that this program stores.
    public let version: Int
    /// The preferences if nothing is stored.
    public let defaultValue: Model
    private let migrations: [SettingsMigration]

    /// Preferences in any backend.
    ///
    /// - Parameters:
    ///   - version: 1 or more; one more with each change of `Model` that cannot read what it stored before.
    ///   - default: the preferences if nothing is stored.
    ///   - migrations: one step for each version that users may still have, in any order.
    public init(
        backend: any SettingsBackend, version: Int, default: Model, migrations: [SettingsMigration] = []
    ) {
        self.backend = backend
        self.version = version
        defaultValue = `default`
        self.migrations = migrations
    }

    /// Preferences in a file of the user: see ``FileSettings``.
    public init(suite: String, version: Int, default: Model, migrations: [SettingsMigration] = []) {
        self.init(
            backend: FileSettings(suite: suite), version: version, default: `default`, migrations: migrations)
    }

    /// The stored preferences, or the default. Brings what an older version has stored to this version.
    ///
    /// - Throws: ``SettingsError/Code/newerVersion``, ``SettingsError/Code/migrationFailed``,
    ///   ``SettingsError/Code/wrongType``, and what a read of the file throws.
    public func load() async throws(SettingsError) -> Model {
        let values = try backend.read().values
        if try storedVersion(values) == nil { return defaultValue }
        if let model = try current(values) { return model }
        return try await update { (_) throws(SettingsError) in }
    }

    /// Stores preferences in the place of all that is stored. What a newer version has stored is refused.
    /// - Throws: as ``update(_:)``, also ``SettingsError/Code/notStorable`` for a version below 1.
    public func save(_ model: Model) async throws(SettingsError) {
        _ = try await backend.change { (values) throws(SettingsError) in
            _ = try storedVersion(values)
            try put(model, in: &values)
        }
    }

    /// Changes some of the preferences, in one step. Between reading and writing no process changes anything.
    ///
    /// - Parameter body: changes the preferences. If it throws, nothing is stored. Keep it short: others wait for it.
    /// - Returns: what is stored now.
    /// - Throws: as ``load()``; ``SettingsError/Code/sensitive``, ``SettingsError/Code/notStorable`` and
    ///   ``SettingsError/Code/limitExceeded`` for a value that settings do not hold; ``SettingsError/Code/busy``.
    @discardableResult
    public func update(
        _ body: @Sendable (inout Model) throws(SettingsError) -> Void
    ) async throws(SettingsError) -> Model {
        var model = defaultValue
        _ = try await backend.change { (values) throws(SettingsError) in
            model = defaultValue
            if try storedVersion(values) != nil {
                if let stored = try current(values) { model = stored } else { model = try migrated(values) }
            }
            try body(&model)
            try put(model, in: &values)
        }
        return model
    }

    /// Removes what is stored, so that the default counts again. What a newer version has stored is refused.
    public func reset() async throws(SettingsError) {
        _ = try await backend.change { (values) throws(SettingsError) in
            _ = try storedVersion(values)
            values = [:]
        }
    }

    private static var versionName: String { "version" }
    private static var modelName: String { "preferences" }

    private func put(_ model: Model, in values: inout [String: SettingsJSON]) throws(SettingsError) {
        // No load would take what is stored under another number.
        guard version > 0 else {
            throw SettingsError(
                .notStorable, "the preferences have version \(version), and the first one is 1",
                advice: "give the first version of the preferences the number 1")
        }
        values[Self.versionName] = .integer(Int64(version))
        values[Self.modelName] = try SettingsEncoder.encode(model)
    }

    /// - Returns: nil if nothing is stored.
    private func storedVersion(_ values: [String: SettingsJSON]) throws(SettingsError) -> Int64? {
        guard let stored = values[Self.versionName] else {
            guard values.isEmpty else {
                throw SettingsError(
                    .wrongType, "the suite holds other settings, and no preferences with a version",
                    advice: "use a suite for these preferences alone")
            }
            return nil
        }
        guard case .integer(let number) = stored, number > 0 else {
            throw SettingsError(.wrongType, "the version of the preferences is no number above 0")
        }
        guard number <= version else {
            throw SettingsError(
                .newerVersion, "the preferences have version \(number), and this program knows \(version)",
                advice: "update the program")
        }
        return number
    }

    /// - Returns: nil if the stored version is older.
    private func current(_ values: [String: SettingsJSON]) throws(SettingsError) -> Model? {
        guard try storedVersion(values) == Int64(version) else { return nil }
        return try SettingCoding<Model>.codable.decode(values[Self.modelName] ?? .null)
    }

    private func migrated(_ values: [String: SettingsJSON]) throws(SettingsError) -> Model {
        var json = values[Self.modelName] ?? .null
        guard var step = try storedVersion(values).flatMap({ Int(exactly: $0) }) else { return defaultValue }
        while step < version {
            guard let migration = migrations.first(where: { $0.version == step }) else {
                throw SettingsError(.migrationFailed, "no step leads from version \(step) of the preferences")
            }
            do { try migration.body(&json) } catch {
                throw SettingsError(
                    .migrationFailed, "the step from version \(step) of the preferences failed",
                    cause: (error as? SettingsError)?.message ?? "\(type(of: error))")
            }
            step += 1
        }
        do throws(SettingsError) { return try SettingCoding<Model>.codable.decode(json) } catch {
            throw SettingsError(
                .migrationFailed, "the steps to version \(version) do not lead to \(Model.self)", cause: error.cause)
        }
    }
}

extension VersionedSettings: ServiceData {
    /// Removes all preferences of this suite, of whichever version, for any service. The file is written when the call returns.
    public func deleteEverything(of service: String) async throws {
        _ = try await backend.change { (values) throws(SettingsError) in values = [:] }
    }
}
