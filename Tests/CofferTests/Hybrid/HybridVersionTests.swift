import Coffer
import CofferSettings
import CofferTestKit
import Foundation
import Platform
import Synchronization
import Testing

@testable import CofferFiles

/// Versions of a program that keep a field in different stores, and people who answer late.
struct HybridVersionTests {
    let fixture: HybridFixture

    init() throws { fixture = try HybridFixture() }

    struct AsSetting: HybridRecord, Equatable {
        var token = ""
        var theme = "light"
        static let fields: [HybridField<AsSetting>] = [.setting("token", \.token), .setting("theme", \.theme)]
    }

    struct AsSecret: HybridRecord, Equatable {
        var token = ""
        var theme = "light"
        static let fields: [HybridField<AsSecret>] = [.secret("token", \.token), .setting("theme", \.theme)]
    }

    /// No field is a setting.
    struct SecretOnly: HybridRecord, Equatable {
        var token = ""
        static let fields: [HybridField<SecretOnly>] = [.secret("token", \.token)]
    }

    private var stored: [String] { get throws { try Settings(backend: fixture.settings).names() } }

    private func saveAsSetting() async throws {
        var record = AsSetting()
        record.token = "plain"
        try await fixture.store(AsSetting.self).save(record)
        #expect(try stored.contains("user.token"))
    }

    @Test("A setting that becomes a secret leaves no plain text after a save, and other settings stay")
    func becomesSecret() async throws {
        let other = SettingKey("user.window", default: "")
        let settings = Settings(backend: fixture.settings)
        try settings.set("mine", for: other)
        try await settings.flush()
        try await saveAsSetting()
        try await fixture.store(AsSecret.self).save(AsSecret(token: "secret"))
        #expect(try stored == ["user.@fields", "user.@revision", "user.theme", "user.window"])
        try await saveAsSetting()
        try await fixture.store(SecretOnly.self).save(SecretOnly(token: "secret"))
        #expect(try stored == ["user.window"])
        #expect(try await fixture.store(SecretOnly.self).load() == SecretOnly(token: "secret"))
    }

    @Test("A deletion removes the settings of another version, too, even if it is interrupted")
    func deletion() async throws {
        try await saveAsSetting()
        try await fixture.store(SecretOnly.self).delete()
        #expect(try await fixture.traces().isEmpty)
        try await saveAsSetting()
        await #expect(throws: Crash.self) { try await fixture.store(SecretOnly.self, crash: .committed).delete() }
        #expect(try await fixture.store(SecretOnly.self).load() == nil)
        #expect(try await fixture.traces().isEmpty)
    }

    @Test("A save that ends before it removed the plain text is finished by the next load")
    func interrupted() async throws {
        try await saveAsSetting()
        let record = SecretOnly(token: "secret")
        await #expect(throws: Crash.self) {
            try await fixture.store(SecretOnly.self, crash: .committed).save(record)
        }
        #expect(try await fixture.store(SecretOnly.self).load() == record)
        #expect(try stored.isEmpty)
    }

    @Test("A load by a version without settings leaves those of the version that saved")
    func loadLeaves() async throws {
        try await saveAsSetting()
        #expect(try await fixture.store(SecretOnly.self).load() == SecretOnly())
        #expect(try await fixture.store(AsSetting.self).load()?.token == "plain")
    }

    @Test("A secret that becomes a setting or a file leaves no item")
    func becomesOther() async throws {
        struct AsFile: HybridRecord {
            var token = ""
            static let fields: [HybridField<AsFile>] = [.file("token", \.token)]
        }
        try await fixture.store(SecretOnly.self).save(SecretOnly(token: "secret"))
        try await saveAsSetting()
        #expect(try await fixture.keychain.accounts() == ["user/@manifest"])
        try await fixture.store(SecretOnly.self).save(SecretOnly(token: "secret"))
        try await fixture.store(AsFile.self).save(AsFile(token: "file"))
        #expect(try await fixture.keychain.accounts() == ["user/@manifest"])
        try await fixture.store(SecretOnly.self).save(SecretOnly(token: "secret"))
        #expect(try await fixture.traces() == ["item user/@manifest", "item user/token"])
    }

    @Test("While a person is asked to open the vault for a save, other programs write in the directory")
    func writersDoNotWait() async throws {
        let backend = InMemoryKeychain()
        let written = Mutex<Bool?>(nil)
        let folder = fixture.folder
        let files = { @Sendable (prompts: Prompts) in
            ProtectedFiles(
                keychain: Keychain(service: "app", prompts: prompts, backend: backend), directory: .custom(folder))
        }
        let settings = Settings(backend: fixture.settings)
        let store = { @Sendable (prompts: Prompts) in
            HybridStore(
                Person.self, name: "user", keychain: Keychain(service: "app", prompts: prompts, backend: backend),
                settings: settings, files: files(prompts))
        }
        try await store(.never).save(Person(1))
        try await backend.lock(.own)
        let asking = Prompts.handler { message in
            guard message.wantsAnswer else { return nil }
            let state = try FolderState(in: FileRoot.making(files(.never).place()))
            if let held = try state.tryLock(.writers, isShared: true) {
                held.keep()
                written.withLock { $0 = $0 ?? true }
            } else {
                written.withLock { $0 = false }
            }
            return "sandbox"
        }
        try await store(asking).save(Person(3))
        #expect(written.withLock { $0 } == true)
    }
}
