import Foundation
import Glibc
import Platform
import Testing

@testable import Coffer
@testable import CofferSettings

/// The file itself, and those who can put things in its place.
@Suite struct FileSettingsTests {
    private let size = SettingKey("size", default: 12)
    private let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    private func stored(_ value: Int) async throws {
        let settings = fixture.settings()
        try settings.set(value, for: size)
        try await settings.flush()
    }

    @Test func theFileIsPrivateAndReadable() async throws {
        try await stored(5)
        #expect(try FileStatus.of(fixture.file)?.mode == 0o600)
        #expect(try fixture.text() == "{\"coffer-settings\":1,\"settings\":{\n\"size\":5\n}}\n")
        #expect(Set(try Folder.entries(fixture.folder)) == ["app.json", ".app.lock"])
    }

    @Test func missingFoldersAreMadePrivate() async throws {
        let folder = fixture.folder + "/config"
        let settings = Settings(backend: FileSettings(suite: "app", folder: folder))
        #expect(try settings.value(for: size) == 12)
        #expect(try FileStatus.of(folder) == nil)
        try settings.set(1, for: size)
        try await settings.flush()
        #expect(try FileStatus.of(folder)?.mode == 0o700)
    }

    @Test(arguments: ["", ".", "..", ".a", "-a", "a/b", "../a", "a b", "a\n", "ä", String(repeating: "a", count: 129)])
    func namesThatArePathsAreRefused(_ suite: String) async throws {
        let settings = Settings(backend: FileSettings(suite: suite, folder: fixture.folder))
        #expect(code { _ = try settings.value(for: size) } == .invalidName)
        #expect(code { try settings.set(1, for: size) } == .invalidName)
        #expect(await asyncCode { try await settings.flush() } == .invalidName)
        let group = Settings(suite: "app", group: suite)
        #expect(code { _ = try group.value(for: size) } == .invalidName)
        #expect(try Folder.entries(fixture.folder) == [])
    }

    /// Refused both ways, and left as it is.
    private func isRefused(_ expected: SettingsError.Code) async {
        let settings = fixture.settings()
        #expect(code { _ = try settings.value(for: size) } == expected)
        #expect(throws: Never.self) { try settings.set(99, for: size) }
        #expect(await asyncCode { try await settings.flush() } == expected)
    }

    @Test func aLinkIsNotFollowed() async throws {
        let victim = fixture.folder + "/victim"
        let text = Array("{\"coffer-settings\":1,\"settings\":{}}".utf8)
        try DurableFile.write(text, to: victim, mode: 0o600)
        #expect(unsafe symlink(victim, fixture.file) == 0)
        await isRefused(.notTrusted)
        #expect(try DurableFile.read(victim, limit: 1000) == text)
        #expect(try FileStatus.of(fixture.file)?.isSymbolicLink == true)
        try FileRemoval.remove(fixture.file)
        // The same file under two names: somebody else's, perhaps.
        #expect(unsafe link(victim, fixture.file) == 0)
        await isRefused(.notTrusted)
        #expect(try DurableFile.read(victim, limit: 1000) == text)
    }

    @Test func aLinkInThePlaceOfTheLockOrTheNewFileIsNotFollowed() async throws {
        let victim = fixture.folder + "/victim"
        try DurableFile.write([1], to: victim, mode: 0o600)
        #expect(unsafe symlink(victim, fixture.folder + "/.app.json.writing") == 0)
        try await stored(5)
        #expect(try DurableFile.read(victim, limit: 10) == [1])
        try FileRemoval.remove(fixture.folder + "/.app.lock")
        #expect(unsafe symlink(victim, fixture.folder + "/.app.lock") == 0)
        let settings = fixture.settings()
        try settings.set(6, for: size)
        #expect(await asyncCode { try await settings.flush() } == .notTrusted)
        #expect(try DurableFile.read(victim, limit: 10) == [1])
    }

    @Test func aLinkInThePlaceOfTheFolderIsNotFollowed() async throws {
        try await stored(5)
        let link = fixture.folder + "/link"
        #expect(unsafe symlink(fixture.folder, link) == 0)
        let settings = Settings(backend: FileSettings(suite: "app", folder: link))
        #expect(code { _ = try settings.value(for: size) } == .notTrusted)
        try settings.set(6, for: size)
        #expect(await asyncCode { try await settings.flush() } == .notTrusted)
    }

    @Test func whatIsNoFileIsRefusedAtOnce() async throws {
        #expect(unsafe mkfifo(fixture.file, 0o600) == 0)
        await isRefused(.notTrusted)
        try FileRemoval.remove(fixture.file)
        try Folder.make(fixture.file, mode: 0o700)
        await isRefused(.notTrusted)
    }

    @Test func othersMayNotWriteIt() async throws {
        try await stored(5)
        #expect(unsafe chmod(fixture.file, 0o620) == 0)
        await isRefused(.notTrusted)
        #expect(unsafe chmod(fixture.file, 0o600) == 0)
        #expect(unsafe chmod(fixture.folder, 0o750) == 0)
        await isRefused(.notTrusted)
        #expect(unsafe chmod(fixture.folder, 0o700) == 0)
        #expect(try fixture.settings().value(for: size) == 5)
    }

    /// Only root can give files away.
    @Test(.enabled(if: geteuid() == 0)) func anothersFileIsRefused() async throws {
        try await stored(5)
        #expect(unsafe chown(fixture.file, 65534, 65534) == 0)
        await isRefused(.notTrusted)
        #expect(unsafe chown(fixture.file, 0, 0) == 0)
        #expect(unsafe chown(fixture.folder, 65534, 65534) == 0)
        await isRefused(.notTrusted)
    }

    @Test(arguments: [
        "", "{", "[]", "{}", "{\"coffer-settings\":1}", "{\"coffer-settings\":0,\"settings\":{}}",
        "{\"coffer-settings\":1,\"settings\":[]}", "{\"coffer-settings\":1,\"settings\":{\"a\":1,\"a\":2}}",
        "{\"coffer-settings\":1,\"settings\":{}} x", String(repeating: " ", count: SettingsLimits.file + 1),
    ])
    func aDamagedFileIsAnErrorUntilItIsPutAside(_ text: String) async throws {
        try fixture.write(text)
        await isRefused(.damaged)
        #expect(try FileStatus.of(fixture.file)?.size == Int64(text.utf8.count))
        let settings = fixture.settings()
        let aside = try #require(try await settings.setAsideDamaged())
        #expect(aside.hasPrefix(fixture.file + ".damaged-"))
        #expect(try DurableFile.read(aside, limit: 2 << 20) == Array(text.utf8))
        #expect(try settings.value(for: size) == 12)
        try await stored(5)
        #expect(try await settings.setAsideDamaged() == nil)
        #expect(try settings.value(for: size) == 5)
    }

    @Test func aNewerFileIsNotTouched() async throws {
        try fixture.write("{\"coffer-settings\":2,\"settings\":{}}")
        await isRefused(.newerVersion)
        #expect(await asyncCode { _ = try await fixture.settings().setAsideDamaged() } == .newerVersion)
        #expect(try fixture.text() == "{\"coffer-settings\":2,\"settings\":{}}")
    }

    /// Two writes of one moment, of the same length: a reader between them sees both.
    @Test func everyWriteHasAnotherStamp() async throws {
        let backend = fixture.backend()
        var stamps: Set<SettingsStamp> = []
        for number in 0..<200 {
            let content = try await backend.change { (values) throws(SettingsError) in
                values["a"] = .integer(Int64(number % 10))
            }
            #expect(try backend.stamp() == content.stamp)
            stamps.insert(content.stamp)
        }
        #expect(stamps.count == 200)
    }

    @Test func everyWriteIsLaterEvenIfTheClockGoesBack() async throws {
        try await stored(5)
        let future = Date(timeIntervalSinceNow: 86_400)
        try FileManager.default.setAttributes([.modificationDate: future], ofItemAtPath: fixture.file)
        var last = try #require(try FileStatus.of(fixture.file)).changed
        for value in 0..<3 {
            try await stored(value)
            let changed = try #require(try FileStatus.of(fixture.file)).changed
            #expect(changed > last)
            last = changed
        }
    }

    /// Whose words a person may follow in a shell.
    @Test func anAdviceQuotesThePath() throws {
        let folder = fixture.folder + "/it's mine"
        try Folder.make(folder, mode: 0o750)
        let settings = Settings(backend: FileSettings(suite: "app", folder: folder))
        do {
            _ = try settings.value(for: size)
            Issue.record("a folder that others can enter was taken")
        } catch {
            #expect(error.code == .notTrusted)
            #expect(error.advice == #"run: chmod 700 '\#(fixture.folder)/it'\''s mine'"#)
        }
    }

    @Test(arguments: [ENOSPC, EDQUOT]) func aFullDiskComesWithAnAdvice(_ number: Int32) {
        let error = SettingsError(SystemError("write the file", errno: number))
        #expect(error.code == .unavailable)
        #expect(error.advice == "free some space on the disk")
        #expect(error.cause == "errno \(number)")
    }

    @Test func aWriteThatFailsIsToldAndLeavesTheFile() async throws {
        try await stored(5)
        // A folder in the place of the new file cannot be removed as a file.
        try Folder.make(fixture.folder + "/.app.json.writing", mode: 0o700)
        let settings = fixture.settings()
        try settings.set(6, for: size)
        #expect(await asyncCode { try await settings.flush() } == .unavailable)
        #expect(try fixture.settings().value(for: size) == 5)
        #expect(unsafe rmdir(fixture.folder + "/.app.json.writing") == 0)
        try await settings.flush()
        #expect(try fixture.settings().value(for: size) == 6)
    }
}

/// The settings that a group shares.
@Suite struct GroupSettingsTests {
    private let size = SettingKey("size", default: 12)
    private let fixture: SettingsFixture
    private let group: Group

    init() throws {
        fixture = try SettingsFixture()
        group = try #require(try Group.withGID(getegid()))
    }

    private func settings() -> Settings {
        Settings(backend: FileSettings(suite: "app", group: group.name, folder: fixture.folder))
    }

    private func result() async -> SettingsError.Code? {
        await asyncCode {
            let settings = settings()
            try settings.set(5, for: size)
            try await settings.flush()
            _ = try self.settings().value(for: size)
        }
    }

    @Test func theFolderMustBeTheGroupsAlone() async throws {
        for mode: mode_t in [0o770, 0o2775, 0o2771, 0o700] {
            #expect(unsafe chmod(fixture.folder, mode) == 0)
            #expect(await result() == .notTrusted)
            #expect(try Folder.entries(fixture.folder) == [])
        }
        #expect(unsafe chmod(fixture.folder, 0o2770) == 0)
        #expect(await result() == nil)
        for name in ["app.json", ".app.lock"] {
            let status = try FileStatus.of(fixture.folder + "/" + name)
            #expect(status?.mode == 0o660)
            #expect(status?.gid == group.gid)
        }
        #expect(unsafe chmod(fixture.file, 0o664) == 0)
        #expect(await result() == .notTrusted)
    }

    @Test func aGroupThatIsNotThereAndAFolderThatIsMissing() async throws {
        let nobody = Settings(backend: FileSettings(suite: "app", group: "no-such-group-7", folder: fixture.folder))
        #expect(code { _ = try nobody.value(for: size) } == .invalidName)
        #expect(code { try nobody.set(1, for: size) } == .invalidName)
        #expect(code { try nobody.remove(size) } == .invalidName)
        #expect(code { try nobody.reset() } == .invalidName)
        // Also if it has no folder, as no group has that does not exist.
        let nowhere = Settings(suite: "app", group: "no-such-group-7")
        #expect(code { _ = try nowhere.value(for: size) } == .invalidName)
        #expect(code { try nowhere.set(1, for: size) } == .invalidName)
        let missing = Settings(
            backend: FileSettings(suite: "app", group: group.name, folder: fixture.folder + "/missing"))
        try missing.set(1, for: size)
        #expect(await asyncCode { try await missing.flush() } == .unavailable)
        #expect(try FileStatus.of(fixture.folder + "/missing") == nil)
    }

    /// Only root can give files away.
    @Test(.enabled(if: geteuid() == 0)) func anotherMembersFileIsTakenAndAnotherGroupsIsNot() async throws {
        #expect(unsafe chmod(fixture.folder, 0o2770) == 0)
        #expect(await result() == nil)
        #expect(unsafe chown(fixture.file, 65534, group.gid) == 0)
        #expect(unsafe chmod(fixture.file, 0o660) == 0)
        #expect(await result() == nil)
        #expect(unsafe chown(fixture.file, 0, 65534) == 0)
        #expect(await result() == .notTrusted)
    }
}
