import Coffer
import CofferSettings
import Foundation
import Glibc

enum Theme: String, SettingValue { case light, dark }

struct WindowFrame: Codable, Equatable, SettingValue { var width = 800, height = 600 }

struct Account: Codable, SettingValue {
    var name = ""
    @Sensitive var token = ""
}

/// The application's settings as properties.
struct Preferences {
    @Setting var fontSize: Int
    @Setting var nickname: String?
    @Setting var frame: WindowFrame
    @Setting var theme: Theme

    init(_ settings: Settings) {
        _fontSize = Setting("fontSize", default: 12, in: settings)
        _nickname = Setting("nickname", in: settings)
        _frame = Setting("frame", default: WindowFrame(), in: settings)
        _theme = Setting("theme", default: .light, in: settings)
    }
}

struct Row07TypedSettings: Row {
    let number = 7
    let title = "Typed settings"

    func run(_ stage: TourRow) async throws {
        let settings = Settings(suite: stage.service)
        // As another process sees the suite.
        let others = Settings(suite: stage.service)
        let fontSize = SettingKey("fontSize", default: 12)

        try await stage.verb("settings by key, with types") {
            try settings.set(14, for: fontSize)
            try expectEqual(try settings.value(for: fontSize), 14)
            try await expectSettingsError(.wrongType) {
                _ = try settings.value(for: SettingKey("fontSize", default: "a text"))
            }
        }
        try await stage.verb("registered defaults go before the key's own, and are not stored") {
            let columns = SettingKey("columns", default: 1)
            try settings.register(default: 3, for: columns)
            try expectEqual(try settings.value(for: columns), 3)
            try expect(try !settings.contains(columns))
        }
        try await stage.verb("reset brings the defaults back") {
            try settings.reset()
            try expectEqual(try settings.value(for: fontSize), 12)
        }
        try await wrappers(stage, settings, others)
        try await sharing(stage)
        try await types(stage, settings, others)
        try await stage.verb("changes are written together, a moment later; flush waits for that") {
            for size in 1...100 { try settings.set(size, for: fontSize) }
            try expectEqual(try settings.value(for: fontSize), 100)
            try await settings.flush()
            try expectEqual(try others.value(for: fontSize), 100)
        }
        try await stage.verb("a count that two programs raise at once loses nothing") {
            let launches = SettingKey("launches", default: 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for suite in [settings, others] {
                    group.addTask {
                        for _ in 0..<10 {
                            try await suite.update { draft throws(SettingsError) in
                                try draft.set(draft.value(for: launches) + 1, for: launches)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try expectEqual(try settings.value(for: launches), 20)
        }
        try await stage.verb("obsolete keys are cleaned up") {
            try settings.removeAll(except: ["fontSize"])
            try await settings.flush()
            try expectEqual(try others.names(), ["fontSize"])
        }
        try await stage.verb("a secret is refused") {
            try await expectSettingsError(.sensitive) {
                try settings.set(Account(name: "me", token: "s3cret"), for: SettingKey("account", default: Account()))
            }
            try expect(try !settings.names().contains("account"))
        }
    }

    private func wrappers(_ stage: TourRow, _ settings: Settings, _ others: Settings) async throws {
        let preferences = Preferences(settings)
        try await stage.verb("property wrappers: plain, optional, Codable, enum") {
            try expectEqual(preferences.fontSize, 12)
            preferences.fontSize = 16
            try expectEqual(preferences.nickname, nil)
            preferences.nickname = "Kim"
            preferences.frame.width = 1024
            preferences.theme = .dark
            try await settings.flush()
            let seen = Preferences(others)
            try expectEqual(seen.fontSize, 16)
            try expectEqual(seen.nickname, "Kim")
            try expectEqual(seen.frame, WindowFrame(width: 1024))
            try expectEqual(seen.theme, .dark)
            preferences.nickname = nil
            try preferences.$theme.reset()
            try expectEqual(preferences.theme, .light)
        }
        try await stage.verb("property wrapper: observed, also what other programs change") {
            var sizes = preferences.$fontSize.changes().makeAsyncIterator()
            try others.set(20, for: preferences.$fontSize.key)
            try await others.flush()
            try expectEqual(await sizes.next(), 20)
        }
    }

    private func sharing(_ stage: TourRow) async throws {
        try await stage.verb("a suite that the members of a group share") {
            try await stage.withFolder { folder in
                // As root lays the folder down once: /var/lib/coffer-settings/GROUP.
                guard chmod(folder, 0o2770) == 0, let group = getgrgid(getegid()) else {
                    throw Unmet(description: "the group's folder cannot be made")
                }
                let name = String(cString: group.pointee.gr_name)
                let channel = SettingKey("channel", default: "stable")
                let one = Settings(backend: FileSettings(suite: stage.service, group: name, folder: folder))
                let other = Settings(backend: FileSettings(suite: stage.service, group: name, folder: folder))
                try one.set("beta", for: channel)
                try await one.flush()
                try expectEqual(try other.value(for: channel), "beta")
            }
        }
    }

    private func types(_ stage: TourRow, _ settings: Settings, _ others: Settings) async throws {
        func holds<Value: SettingValue & Equatable>(_ value: Value, else usual: Value) async throws {
            let key = SettingKey("type.\(Value.self)", default: usual)
            try settings.set(value, for: key)
            try await settings.flush()
            try expectEqual(try others.value(for: key), value)
        }
        try await stage.verb("Bool, Int, Double, String, Data, Date, URL, arrays, dictionaries") {
            try await holds(true, else: false)
            try await holds(Int.max, else: 0)
            try await holds(0.1, else: 0)
            try await holds("ä\u{0}€", else: "")
            try await holds(Data([0, 0xFF]), else: Data())
            try await holds(Date(timeIntervalSince1970: 1_800_000_000.25), else: .distantPast)
            guard let url = URL(string: "https://example.com/a?b=c") else { throw Unmet(description: "no URL") }
            try await holds(url, else: URL(filePath: "/"))
            try await holds([1, 2, 3], else: [])
            try await holds(["a": ["b", "c"]], else: [:])
        }
    }
}
