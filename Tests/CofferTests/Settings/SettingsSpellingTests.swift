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
}
