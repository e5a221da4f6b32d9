import Coffer
import CofferFiles
import CofferSettings

/// One user of an application. Each field has the store that fits it.
struct User: HybridRecord, Equatable {
    var token: String?
    var theme = "light"
    var picture: [UInt8]?

    static let fields: [HybridField<User>] = [
        .secret("token", \.token, access: .whenUnlocked.requiring(.userPresence)),
        .setting("theme", \.theme),
        .file("picture", \.picture),
    ]
}

struct Row18HybridStore: Row {
    let number = 18
    let title = "Hybrid store"

    func run(_ stage: TourRow) async throws {
        let settings = Settings(suite: stage.service)
        let files = ProtectedFiles(keychain: stage.keychain, directory: .documents)
        let users = HybridStore(
            User.self, name: "user", keychain: stage.keychain, settings: settings, files: files)
        let kim = User(token: "t-1", theme: "dark", picture: [1, 2, 3])

        try await stage.verb("save: the token into the keychain, the theme into settings, the picture into a file") {
            try expectEqual(try await users.load(), nil)
            try await users.save(kim)
            try expect(try await stage.keychain.exists("user/token"))
            try expectEqual(try settings.value(for: SettingKey("user.theme", default: "")), "dark")
            try expectEqual(try await files.list(in: "user").count, 1)
        }
        try await stage.verb("load gives the whole, with one prompt") {
            _ = stage.person.takeShown()
            try expectEqual(try await users.load(reason: "Show your account"), kim)
            let shown = stage.person.takeShown()
            try expectEqual(shown.questions, 1)
            try expect(shown.text.contains("Show your account"))
        }
        try await stage.verb("a save replaces the whole, and leaves nothing of the former one") {
            let robin = User(token: "t-2", theme: "light", picture: nil)
            try await users.save(robin)
            try expectEqual(try await users.load(), robin)
            try expect(try await files.list(in: "user").isEmpty)
        }
        try await stage.verb("delete removes the whole; an absent record is fine") {
            try expect(try await users.delete())
            try expect(try await !users.delete())
            try expectEqual(try await users.load(), nil)
            try expect(try await stage.keychain.list().isEmpty)
            try expect(try Settings(suite: stage.service).names().isEmpty)
        }
    }
}
