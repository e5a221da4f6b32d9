import Glibc
import Platform
import Testing

@testable import CofferSettings

/// The kernel compares the bytes of paths. Two that are equal in Unicode lead to two files.
struct SettingsSpellingTests {
    private let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    @Test func aFolderOfAnotherSpellingHasAnotherMemory() throws {
        let key = SettingKey("size", default: 0)
        var both: [Settings] = []
        for name in ["\u{E9}", "e\u{301}"] {
            let folder = fixture.folder + "/" + name
            try Folder.make(folder, mode: 0o700)
            both.append(Settings(backend: FileSettings(suite: "app", folder: folder), batch: .seconds(3600)))
        }
        try both[0].set(1, for: key)
        #expect(try !both[1].contains(key))
        #expect(both[0].memory !== both[1].memory)
        #expect(SettingsFile(path: "/a", group: "\u{E9}") != SettingsFile(path: "/a", group: "e\u{301}"))
        #expect(SettingsFile(path: "/a", group: "") != SettingsFile(path: "/a", group: nil))
    }

    /// By letters, `link/../b` is `b`. The kernel goes where the link leads, and then up.
    @Test func aLinkIsFollowedBeforeTheFolderAboveIsTaken() throws {
        let key = SettingKey("size", default: 0)
        let folder = fixture.folder
        for name in ["x", "x/y", "x/b", "b"] { try Folder.make(folder + "/" + name, mode: 0o700) }
        #expect(unsafe symlink(folder + "/x/y", folder + "/link") == 0)
        func settings(_ name: String) -> Settings {
            Settings(backend: FileSettings(suite: "app", folder: folder + "/" + name), batch: .seconds(3600))
        }
        let (above, near, same) = (settings("link/../b"), settings("b"), settings("x/b"))
        try above.set(1, for: key)
        #expect(near.memory !== above.memory)
        #expect(same.memory === above.memory)
        #expect(try !near.contains(key))
        #expect(try same.value(for: key) == 1)
    }

    @Test func whatIsMissingOfAPathStays() {
        let folder = FilePaths.resolved(fixture.folder)
        #expect(FilePaths.resolvedBeginning(of: fixture.folder + "//./a/./b/../c") == folder + "/a/b/../c")
        #expect(FilePaths.resolvedBeginning(of: "/no-such-folder/a") == "/no-such-folder/a")
        #expect(FilePaths.resolvedBeginning(of: "/") == "/")
        #expect(FilePaths.resolvedBeginning(of: "/.") == "/")
        #expect(FilePaths.resolvedBeginning(of: "/proc/self/../no-such-name") == "/proc/no-such-name")
    }
}
