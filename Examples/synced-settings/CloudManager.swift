import CofferSync

/// Settings that follow a person to all of their machines. An application that had a manager around Apple's
/// `NSUbiquitousKeyValueStore` keeps its shape.
struct CloudManager: Sendable {
    let settings: SyncedSettings

    /// - Parameter firstSync: who wins when this machine first meets the others.
    init(service: String, firstSync: FirstSync = .remote) {
        settings = SyncedSettings(
            keychain: Keychain(service: service), local: Settings(suite: service),
            cache: FileSettings(suite: service + ".synced"), firstSync: firstSync, exchanges: .onDemand)
    }

    // The switch.
    var isEnabled: Bool { settings.isOn }
    func setEnabled(_ isOn: Bool) throws { try settings.turn(on: isOn) }

    // The key-value store. Each value falls back to this machine's own.
    func set(_ text: String, _ name: String) throws { try settings.set(text, for: Self.key(name)) }
    func string(_ name: String) throws -> String { try settings.value(for: Self.key(name)) }
    func remove(_ name: String) throws { try settings.remove(Self.key(name)) }

    /// What Apple's `synchronize()` does.
    func synchronize() async throws { try await settings.synchronize() }

    /// The next notice: which keys changed, and why.
    func nextNotice() async -> SyncedSettingsChange? {
        var changes = settings.changes().makeAsyncIterator()
        return await changes.next()
    }

    private static func key(_ name: String) -> SettingKey<String> { SettingKey(name, default: "default") }
}
