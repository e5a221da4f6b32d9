import Coffer
import CofferSettings
import Foundation
import Testing

@testable import CofferFiles

/// Records with a store that fails, or that another program changes at the worst moment.
struct HybridFailureTests {
    let fixture: HybridFixture

    init() throws { fixture = try HybridFixture() }

    typealias SecretOnly = HybridVersionTests.SecretOnly

    struct Note: HybridRecord, Equatable {
        var token: String?
        var note: String?
        static let fields: [HybridField<Note>] = [.secret("token", \.token), .file("note", \.note)]
    }

    struct NoteWithTheme: HybridRecord, Equatable {
        var note: String?
        var theme = "light"
        static let fields: [HybridField<NoteWithTheme>] = [.file("note", \.note), .setting("theme", \.theme)]
    }

    /// Runs something before the read of this number, from 1.
    private func beforeRead(_ number: Int, _ body: @escaping @Sendable () async throws -> Void) {
        guard number > 1 else { return fixture.backend.edit { $0.beforeRead = body } }
        fixture.backend.edit { $0.beforeRead = { self.beforeRead(number - 1, body) } }
    }

    private func isRefused(_ call: () async throws -> Void) async -> Bool {
        do { try await call() } catch { return error is SettingsError }
        return false
    }

    private func paths() async throws -> [String] {
        try await fixture.files.list(recursively: true).filter { !$0.isFolder }.map(\.path)
    }

    @Test("A save that removes the former files while they are read is loaded instead")
    func filesOfAnEarlierSave() async throws {
        try await fixture.store().save(Person(1))
        // The third read is that of the first file's key.
        let fixture = fixture
        beforeRead(3) { try await fixture.store().save(Person(3)) }
        #expect(try await fixture.store().load() == Person(3))
    }

    @Test("A load writes no settings over those of a later save")
    func settingsOfALaterSave() async throws {
        try await fixture.store().save(Person(1))
        let fixture = fixture
        // The former files are still there, so nothing but the settings tells of the other save.
        beforeRead(4) {
            await #expect(throws: Crash.self) { try await fixture.store(crash: .settingsWritten).save(Person(3)) }
        }
        #expect(try await fixture.store().load() == Person(3))
        #expect(try Settings(backend: fixture.settings).value(for: SettingKey("user.theme", default: "")) == "theme 3")
    }

    @Test("A load without settings removes none of those of a later save")
    func settingsOfALaterVersion() async throws {
        try await fixture.store(Note.self).save(Note(token: "secret", note: "1"))
        let fixture = fixture
        beforeRead(3) {
            await #expect(throws: Crash.self) {
                try await fixture.store(NoteWithTheme.self, crash: .settingsWritten)
                    .save(NoteWithTheme(note: "2", theme: "dark"))
            }
        }
        #expect(try await fixture.store(Note.self).load() == Note(token: nil, note: "2"))
        #expect(try await fixture.store(NoteWithTheme.self).load() == NoteWithTheme(note: "2", theme: "dark"))
        #expect(try Settings(backend: fixture.settings).contains(SettingKey("user.theme", default: "")))
    }

    @Test("The first error of the keychain is told, and nothing is changed")
    func keychainFails() async throws {
        try await fixture.store().save(Person(1))
        fixture.backend.edit { $0.failingChange = 2 }
        #expect(await keychainCode { try await fixture.store().save(Person(3)) } == .failed)
        #expect(await keychainCode { try await fixture.store().delete() } == .failed)
        fixture.backend.edit { $0.failingChange = 0 }
        #expect(await keychainCode { try await fixture.store().save(Person(3)) } == .failed)
        fixture.backend.edit { state in
            state.failingChange = nil
            state.failure = KeychainError(.locked, "locked")
        }
        #expect(await keychainCode { _ = try await fixture.store().load() } == .locked)
        #expect(await keychainCode { try await fixture.store().save(Person(3)) } == .locked)
        #expect(await keychainCode { try await fixture.store().delete() } == .locked)
        fixture.backend.edit { $0.failure = nil }
        #expect(try await fixture.store().load() == Person(1))
    }

    @Test("Settings that cannot be read end what needs them, and nothing else")
    func settingsFail() async throws {
        fixture.settings.fail(with: SettingsError(.busy, "busy"))
        #expect(await isRefused { _ = try await fixture.store().load() })
        #expect(try await fixture.store(SecretOnly.self, name: "plain").load() == nil)
        try await fixture.store(SecretOnly.self, name: "plain").save(SecretOnly(token: "secret"))
        #expect(try await fixture.store(SecretOnly.self, name: "plain").load() == SecretOnly(token: "secret"))
        fixture.settings.fail(with: nil)
        try await fixture.store().save(Person(1))
        fixture.settings.fail(with: SettingsError(.busy, "busy"))
        #expect(await isRefused { try await fixture.store().delete() })
        fixture.settings.fail(with: nil)
        #expect(try await fixture.store().load() == nil)
        #expect(try await !fixture.traces().contains { $0.hasPrefix("setting") })
    }

    @Test("A save that the settings refuse removes nothing that another program has begun")
    func refusedSaveLeavesFiles() async throws {
        await #expect(throws: Crash.self) { try await fixture.store(crash: .filesWritten).save(Person(1)) }
        let begun = try await paths()
        fixture.settings.fail(with: SettingsError(.busy, "busy"))
        #expect(await isRefused { try await fixture.store().save(Person(3)) })
        #expect(try await paths() == begun && begun.count == 2)
    }

    @Test("A list of written settings that is none is told, not passed over")
    func listOfSettings() async throws {
        let settings = Settings(backend: fixture.settings)
        try settings.set(5, for: SettingKey("user.@fields", default: 0))
        try await settings.flush()
        #expect(await isRefused { try await fixture.store().save(Person(1)) })
        #expect(await isRefused { try await fixture.store().delete() })
        #expect(try await fixture.traces() == ["setting user.@fields"])
    }

    @Test("A deletion takes a setting along that was set without a record")
    func lonelySetting() async throws {
        let settings = Settings(backend: fixture.settings)
        try settings.set("dark", for: SettingKey("user.theme", default: ""))
        try await settings.flush()
        #expect(try await fixture.store().delete() == false)
        #expect(try await fixture.traces().isEmpty)
    }

    @Test("A record without files makes no directory")
    func noDirectory() async throws {
        let place = fixture.folder + "/none"
        let store = HybridStore(
            SecretOnly.self, name: "user", keychain: fixture.keychain,
            settings: Settings(backend: fixture.settings, batch: .seconds(3600)),
            files: ProtectedFiles(keychain: fixture.keychain, directory: .custom(place)))
        try await store.save(SecretOnly(token: "secret"))
        #expect(try await store.load() == SecretOnly(token: "secret"))
        #expect(try await store.delete())
        #expect(!FileManager.default.fileExists(atPath: place))
    }

    @Test("What stands in the place of a record's folder or file is told")
    func somethingInTheWay() async throws {
        let folder = fixture.folder + "/user"
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: fixture.folder)
        #expect(
            await keychainCode { try await fixture.store(SecretOnly.self).save(SecretOnly(token: "x")) }
                == .notPermitted)
        #expect(await keychainCode { try await fixture.store().delete() } == .notPermitted)
        #expect(try await fixture.keychain.list().isEmpty)
        try FileManager.default.removeItem(atPath: folder)
        // In a file there are no files that a save has left.
        try Data().write(to: URL(fileURLWithPath: folder))
        #expect(await keychainCode { try await fixture.store().save(Person(1)) } == .notPermitted)
        #expect(await keychainCode { try await fixture.store().delete() } == nil)
        try FileManager.default.removeItem(atPath: folder)
        try await fixture.store().save(Person(1))
        let first = try #require(try await paths().first)
        let file = fixture.folder + "/" + first
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        #expect(await keychainCode { try await fixture.store().delete() } == .invalidArgument)
        #expect(try await fixture.store().load() == nil)
    }

    @Test("The files of a deleted record cannot come back, those of a former save may wait")
    func protection() async throws {
        try await fixture.store().save(Person(1))
        fixture.backend.edit { $0.protections = [] }
        try await fixture.store().delete()
        #expect(fixture.backend.edit { $0.protections } == [.soon, .soon])
    }

    @Test("A save with an access control that contradicts itself writes no file")
    func contradiction() async throws {
        struct Wrong: HybridRecord {
            var note: String?
            var token: String?
            static let fields: [HybridField<Wrong>] = [
                .file("note", \.note),
                .secret("token", \.token, access: .whenUnlocked.requiring(.biometryAny, .biometryCurrentSet)),
            ]
        }
        let record = Wrong(note: "a", token: "b")
        #expect(await keychainCode { try await fixture.store(Wrong.self).save(record) } == .invalidArgument)
        #expect(try await paths().isEmpty)
        #expect(fixture.backend.edit { $0.items.isEmpty })
    }

    @Test("A file that could not be loaded again is refused before anything is written")
    func largerThanALoadTakes() async throws {
        try await fixture.store().save(Person(1))
        let before = try await paths()
        var large = Person(3)
        large.picture = [UInt8](repeating: 0, count: ProtectedFiles.defaultLimit + 1)
        let record = large
        #expect(await keychainCode { try await fixture.store().save(record) } == .limitExceeded)
        #expect(try await paths() == before)
        #expect(try await fixture.store().load() == Person(1))
    }

    @Test("Secrets that one call could not read again are refused before anything is written")
    func secretsLargerThanALoadTakes() async throws {
        try await fixture.store().save(Person(1))
        let before = try await paths()
        var large = Person(3)
        large.token = String(repeating: "a", count: 780_000)
        large.password = String(repeating: "b", count: 780_000)
        let record = large
        do {
            try await fixture.store().save(record)
            Issue.record("it was saved")
        } catch let error as KeychainError {
            #expect(error.code == .limitExceeded)
            #expect(error.message.hasPrefix("the fields token, password, "))
        }
        #expect(try await paths() == before)
        #expect(try await fixture.store().load() == Person(1))
    }

    @Test("A name that cannot be used is refused by a load, too", arguments: ["", "a/b", "a.b"])
    func nameOfALoad(name: String) async throws {
        #expect(await keychainCode { _ = try await fixture.store(name: name).load() } == .invalidArgument)
    }
}

extension HybridFailureTests {
    /// A record, and the files of a save that was interrupted.
    private func saveAndInterrupt() async throws {
        try await fixture.store().save(Person(1))
        await #expect(throws: Crash.self) { try await fixture.store(crash: .filesWritten).save(Person(3)) }
        #expect(try await paths().count == 4)
    }

    @Test("Files of an interrupted save wait if the vault is locked just then", arguments: [true, false])
    func lockedMeanwhile(isLocked: Bool) async throws {
        try await saveAndInterrupt()
        let fixture = fixture
        let code = isLocked ? KeychainError.Code.locked : .authenticationNeeded
        // The first look at the manifest may ask a person. The second one comes when nobody else writes.
        beforeRead(2) { fixture.backend.edit { $0.failure = KeychainError(code, "locked") } }
        try await fixture.store().removeOrphans()
        fixture.backend.edit { $0.failure = nil }
        #expect(try await paths().count == 4)
        try await fixture.store().removeOrphans()
        #expect(try await paths().count == 2)
        #expect(try await fixture.store().load() == Person(1))
    }

    @Test("Any other error ends the removal of such files", arguments: [1, 2])
    func otherErrors(read: Int) async throws {
        try await saveAndInterrupt()
        beforeRead(read) { throw Crash() }
        #expect(await keychainCode { try await fixture.store().removeOrphans() } == .cancelled)
        #expect(try await paths().count == 4)
        fixture.backend.edit { $0.failingChange = 0 }
        #expect(await keychainCode { try await fixture.store().removeOrphans() } == .failed)
    }
}
