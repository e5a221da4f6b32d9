import Coffer
import CofferFiles
import CofferSettings
import CofferTestKit
import Foundation

/// A part of an application, as its author tests it: the stores are injected.
struct Vocabulary: Sendable {
    let keychain: Keychain
    let settings: Settings

    static let language = SettingKey("language", default: "en")

    func signIn(_ token: String, language: String) async throws {
        try await keychain.set(token, for: "token")
        try settings.set(language, for: Self.language)
        try await settings.flush()
    }
}

struct Row13Testability: Row {
    let number = 13
    let title = "Testability"

    func run(_ stage: TourRow) async throws {
        try await stage.verb("in-memory doubles are injected in place of the stores") {
            let (backend, stored) = (InMemoryKeychain(), InMemorySettings())
            let vocabulary = Vocabulary(
                keychain: Keychain(service: stage.service, backend: backend), settings: Settings(backend: stored))
            try await vocabulary.signIn("t", language: "fi")
            try expectEqual(try await vocabulary.keychain.string(for: "token"), "t")
            try expectEqual(try stored.read().values["language"], "fi")
            try expect(try await !stage.keychain.exists("token"))
        }
        try await stage.verb("the double asks the person that the test describes") {
            let backend = InMemoryKeychain(password: "s3cret", person: .answers("s3cret"))
            let keychain = Keychain(service: stage.service, backend: backend)
            try await keychain.set("gated", for: "me", access: .whenUnlocked.requiring(.userPresence))
            try expectEqual(try await keychain.string(for: "me", reason: "Test"), "gated")
            try expect(backend.shownMessages.contains { $0.text.contains("Test") })
        }
        try await stage.verb("the double fails where the broker would") {
            let keychain = Keychain(service: stage.service, backend: InMemoryKeychain(person: .givesUp))
            try await keychain.set("gated", for: "me", access: .whenUnlocked.requiring(.userPresence))
            try await expectError(.cancelled) { _ = try await keychain.string(for: "me") }
            let stored = InMemorySettings()
            stored.fail(with: SettingsError(.busy, "others write"))
            let settings = Settings(backend: stored)
            try await expectSettingsError(.busy) { _ = try settings.value(for: Vocabulary.language) }
        }
        try await stage.verb("throw-away suites and directories") {
            try await stage.withFolder { folder in
                let settings = Settings(backend: FileSettings(suite: "test", folder: folder + "/settings"))
                try settings.set("sv", for: Vocabulary.language)
                try await settings.flush()
                let files = ProtectedFiles(
                    service: stage.service, directory: .custom(folder + "/files"), backend: InMemoryKeychain())
                try await files.write([1], to: "a")
                try expectEqual(try await files.read("a"), [1])
            }
            try expect(try Settings(suite: stage.service).names().isEmpty)
        }
        try await stage.verb(
            "unit tests of save, load, update, delete: the double, this broker, one for the test alone"
        ) {
            let sandbox = try await SandboxBroker()
            for backend in [InMemoryKeychain(), BrokerBackend(), sandbox.backend] as [any KeychainBackend] {
                try await unitTests(Keychain(service: stage.service, backend: backend))
            }
            await sandbox.stop()
        }
    }

    private func unitTests(_ keychain: Keychain) async throws {
        try await keychain.set("one", for: "unit")
        try expectEqual(try await keychain.string(for: "unit"), "one")
        try await keychain.update(for: "unit") { old in (old ?? "") + "!" }
        try expectEqual(try await keychain.string(for: "unit"), "one!")
        try expect(try await keychain.delete("unit"))
        try await expectError(.notFound) { _ = try await keychain.string(for: "unit") }
    }
}
