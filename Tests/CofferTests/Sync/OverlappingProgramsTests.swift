import Coffer
import CofferSettings
import CofferTestKit
import Testing

@testable import CofferSync

/// Two programs of this machine share a file. One has just exchanged a setting, and the other one changes it.
struct OverlappingProgramsTests {
    private let theme = SettingKey("theme", default: "none")
    private let backend = InMemoryKeychain()
    private let circle = InMemoryCircle()
    private let local = Settings(backend: InMemorySettings())

    private func settings(_ cache: any SettingsBackend) -> SyncedSettings {
        SyncedSettings(
            keychain: Keychain(service: "app", backend: backend), local: local, cache: cache, exchanges: .onDemand)
    }

    private var stored: Keychain { Keychain(service: "app", itemClass: .setting, backend: backend) }

    /// The vault has a value of another machine, or has just got one of this machine. The newer choice goes there, too.
    @Test(arguments: [false, true], ["own", nil] as [String?])
    func whatAnotherProgramSetsMeanwhileStays(isGiven: Bool, next: String?) async throws {
        circle.join(backend, as: "desk")
        let gate = Gate()
        let cache = GatedSettings(before: gate)
        let other = settings(cache.file)
        try other.set("dark", for: theme)
        try await other.synchronize()
        if isGiven { try other.set("light", for: theme) } else { try await stored.set("\"light\"", for: "theme") }
        try await other.flush()
        try #require(other.pendingNames == (isGiven ? ["theme"] : []))
        let one = settings(cache)
        let exchange = Task { try await one.synchronize() }
        try #require(try await eventually { gate.waiting == 1 })
        try #require(try await stored.string(for: "theme") == "\"light\"")
        if let next { try other.set(next, for: theme) } else { try other.remove(theme) }
        try await other.flush()
        gate.open()
        try await exchange.value
        for program in [one, settings(cache.file)] {
            #expect(program.pendingNames == ["theme"])
            #expect(try program.value(for: theme) == next ?? "none")
        }
        try await one.synchronize()
        #expect(one.pendingNames == [])
        #expect(try one.value(for: theme) == next ?? "none")
        #expect(try await stored.exists("theme") == (next != nil))
    }

    /// The file has a former value that waits, of this program.
    @Test func whatWasGivenWaitsNoLonger() async throws {
        circle.join(backend, as: "desk")
        let cache = InMemorySettings()
        let one = settings(cache)
        try one.set("dark", for: theme)
        try await one.synchronize()
        try one.set("light", for: theme)
        try await one.flush()
        try one.set("own", for: theme)
        try await one.synchronize()
        let again = settings(cache)
        #expect(again.pendingNames == [])
        #expect(try again.value(for: theme) == "own")
        #expect(try await stored.string(for: "theme") == "\"own\"")
    }
}
