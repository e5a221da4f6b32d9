import Coffer
import CofferTestKit
import Testing

@testable import CofferSettings
@testable import CofferSync

/// The limits of settings, beside those of what keeps them. They change on purpose only, and then here, too.
@Suite("The limits of settings are as they were chosen")
struct SharedLimitTests {
    @Test func sizes() {
        #expect([SyncLimits.name, SyncLimits.count] == [255, 1024])
        #expect([SyncLimits.value, SyncLimits.all, SyncLimits.bytes] == [64 << 10, 640 << 10, 256 << 10])
        #expect([SettingsLimits.name, SettingsLimits.suite, SettingsLimits.count] == [256, 128, 2048])
        #expect([SettingsLimits.value, SettingsLimits.file] == [256 << 10, 1 << 20])
        #expect([SettingsLimits.pending, SettingsLimits.depth] == [4096, 32])
        #expect([SettingsLimits.lock, SettingsLimits.batch] == [.seconds(20), .milliseconds(200)])
    }

    /// Otherwise the vault would refuse what was set here.
    @Test func aVaultHasRoomForWhatIsShared() {
        #expect(SyncLimits.value <= ItemLimits.settingValue)
        #expect(SyncLimits.count <= ItemLimits.settings.ofService)
        #expect(SyncLimits.all < ItemLimits.settings.bytesOfService)
        #expect(SyncLimits.changes <= ItemLimits.changes && SyncLimits.reads <= ItemLimits.reads)
    }

    /// The file has a sign before each name. One name that it refuses would keep all settings out of it.
    @Test func theFileTakesTheLongestName() async throws {
        let cache = InMemorySettings()
        let settings = SyncedSettings(
            keychain: Keychain(service: "app", backend: InMemoryKeychain()),
            local: Settings(backend: InMemorySettings()), cache: cache, exchanges: .onDemand)
        let key = SettingKey(String(repeating: "n", count: SyncLimits.name), default: "")
        try settings.set("1", for: key)
        try await settings.flush()
        #expect(try cache.read().values["=" + key.name] == .string("1"))
    }

    /// Otherwise the error would say that nothing was set, and the other machines would get it.
    @Test func whatTheLocalSettingsRefuseIsNotShared() async throws {
        let machine = try SyncedMachine(names: ["theme"])
        try machine.set("theme", "light")
        let large = String(repeating: "x", count: 200 << 10)
        for number in 0..<5 { try machine.local.set(large, for: SettingKey("n\(number)", default: "")) }
        let error = #expect(throws: SettingsError.self) {
            try machine.set("theme", String(repeating: "d", count: 60 << 10))
        }
        #expect(error?.code == .limitExceeded)
        #expect(try machine.get("theme") == "light")
        #expect(machine.settings.sharedNames == ["theme"])
    }
}
