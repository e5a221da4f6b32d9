import Coffer
import CofferSettings
import CofferSync
import CofferTestKit
import Testing

/// A machine in memory with the settings of one application.
struct SyncedMachine {
    let backend = InMemoryKeychain()
    let local = Settings(backend: InMemorySettings())
    let cache = InMemorySettings()
    let settings: SyncedSettings

    init(firstSync: FirstSync = .remote, names: Set<String>? = nil, local values: [String: SettingsJSON] = [:]) throws {
        for (name, value) in values { try local.set(value.text, for: SettingKey(name, default: "")) }
        settings = SyncedSettings(
            keychain: Keychain(service: "app", backend: backend), local: local, cache: cache, firstSync: firstSync,
            names: names, exchanges: .onDemand)
    }

    /// The application starts again, with what its files have.
    func restarted(firstSync: FirstSync = .remote, names: Set<String>? = nil) -> SyncedSettings {
        SyncedSettings(
            keychain: Keychain(service: "app", backend: backend), local: local, cache: cache, firstSync: firstSync,
            names: names, exchanges: .onDemand)
    }

    func set(_ name: String, _ text: String) throws { try settings.set(text, for: SettingKey(name, default: "")) }

    func get(_ name: String) throws -> String { try settings.value(for: SettingKey(name, default: "none")) }

    var keychain: Keychain { Keychain(service: "app", itemClass: .setting, backend: backend) }
}

extension SettingsJSON {
    fileprivate var text: String { if case .string(let text) = self { text } else { "" } }
}

/// Two machines of one person. Everything happens when a test says so.
struct SyncedPair {
    let circle = InMemoryCircle()
    let desk: SyncedMachine
    let laptop: SyncedMachine

    init(firstSync: FirstSync = .remote, joined: Bool = true) async throws {
        desk = try SyncedMachine()
        laptop = try SyncedMachine(firstSync: firstSync)
        circle.join(desk.backend, as: "desk")
        if joined { circle.join(laptop.backend, as: "laptop") }
        if joined { try await settle() }
    }

    /// All settings come to all.
    func settle() async throws {
        for _ in 0..<2 {
            for machine in [desk, laptop] {
                circle.exchange()
                try await machine.settings.synchronize()
            }
        }
    }
}

/// The changes that are told up to now.
func told(_ changes: SyncedSettingsChanges, _ count: Int) async -> [SyncedSettingsChange] {
    var iterator = changes.makeAsyncIterator()
    var found: [SyncedSettingsChange] = []
    while found.count < count, let change = await iterator.next() { found.append(change) }
    return found
}
