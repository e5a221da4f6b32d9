import Coffer
import CofferSettings

/// What version 2 of the application stored.
struct OldPreferences: Codable {
    var fontSize = 12
    var recent: [String] = []
}

/// What version 3 stores.
struct NewPreferences: Codable, Equatable {
    var fontSize = 12.0
    var recentFiles: [String] = []
    var isBold = false
}

struct Row08VersionedPreferences: Row {
    let number = 8
    let title = "Versioned preferences"

    func run(_ stage: TourRow) async throws {
        let suite = stage.service
        let first = VersionedSettings(suite: suite, version: 1, default: ["size": 12])
        let migrations = [
            SettingsMigration(from: 1) { json in
                json["fontSize"] = json["size"] ?? 12
                json["size"] = nil
                json["recent"] = []
            },
            SettingsMigration(from: 2, OldPreferences.self) { old in
                NewPreferences(fontSize: Double(old.fontSize), recentFiles: old.recent)
            },
        ]
        let third = VersionedSettings(suite: suite, version: 3, default: NewPreferences(), migrations: migrations)

        try await stage.verb("one Codable value; its default until it is saved") {
            try expectEqual(try await first.load(), ["size": 12])
            try await first.save(["size": 18])
            try expectEqual(try await first.load(), ["size": 18])
        }
        try await stage.verb("a version number, and migration when an older one is loaded") {
            try expectEqual(try await third.load(), NewPreferences(fontSize: 18))
        }
        try await stage.verb("what a newer version has stored is refused") {
            try await expectSettingsError(.newerVersion) { _ = try await first.load() }
        }
        try await stage.verb("partial update; programs that change different parts lose nothing") {
            async let bold = third.update { $0.isBold = true }
            async let recent = third.update { $0.recentFiles.append("letter.txt") }
            _ = try await (bold, recent)
            let both = NewPreferences(fontSize: 18, recentFiles: ["letter.txt"], isBold: true)
            try expectEqual(try await third.load(), both)
        }
        try await stage.verb("reset") {
            try await third.reset()
            try expectEqual(try await third.load(), NewPreferences())
        }
    }
}
