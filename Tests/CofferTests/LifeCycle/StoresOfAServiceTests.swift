import Coffer
import CofferSessions
import CofferSettings
import CofferTestKit
import Testing

@Suite("a service's settings go with its account")
struct StoresOfAServiceTests {
    @Test("Deleting an account removes all settings of the suite, also those that are not written yet")
    func settings() async throws {
        let backend = InMemorySettings()
        let settings = Settings(backend: backend)
        let name = SettingKey("name", default: "nobody")
        try settings.set("me", for: name)
        let keychain = Keychain(service: "app", backend: InMemoryKeychain())
        try await keychain.set("t", for: "token")
        let life = ServiceLifeCycle(keychain: keychain, lasting: [settings])
        try await life.deleteEverything()
        #expect(try settings.value(for: name) == "nobody")
        #expect(try Settings(backend: backend).names().isEmpty)
        #expect(try await keychain.accounts().isEmpty)
    }

    @Test("Deleting an account removes preferences, also those of a newer version")
    func preferences() async throws {
        let backend = InMemorySettings()
        let preferences = { VersionedSettings(backend: backend, version: $0, default: "nobody") }
        try await preferences(2).save("me")
        let keychain = Keychain(service: "app", backend: InMemoryKeychain())
        try await ServiceLifeCycle(keychain: keychain, lasting: [preferences(1)]).deleteEverything()
        #expect(try await preferences(1).load() == "nobody")
    }
}
