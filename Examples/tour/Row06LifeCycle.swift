import Coffer
import CofferCaches
import CofferFiles
import CofferSessions
import CofferSettings

struct Row06LifeCycle: Row {
    let number = 6
    let title = "Data life cycle"

    func run(_ stage: TourRow) async throws {
        let keychain = stage.keychain
        let session = CredentialSession(keychain: keychain)
        let settings = Settings(suite: stage.service)
        let files = ProtectedFiles(keychain: keychain, directory: .documents)
        let theme = SettingKey("theme", default: "light")
        let answers = LRUCache<String, String>()
        let life = ServiceLifeCycle(
            keychain: keychain, sessions: [session], personal: [answers], lasting: [settings, files])

        try await stage.verb("a temporary token is bound to this device, and ends by itself") {
            let item = try await keychain.setTemporary("t", for: "upload", lifetime: .milliseconds(300))
            try expect(item.access.isThisDeviceOnly)
            try expect(item.expires != nil)
            try await Task.sleep(for: .milliseconds(400))
            try await expectError(.notFound) { _ = try await keychain.string(for: "upload") }
        }
        try await stage.verb("logout ends the login and empties caches; settings and files stay") {
            try await session.save(Credentials(accessToken: "access", password: "s3cret", apiKey: "key"))
            try settings.set("dark", for: theme)
            try await settings.flush()
            try await files.write([1, 2, 3], to: "picture")
            answers.set("42", for: "question")
            try await life.logout()
            try expect(try await !session.isLoggedIn)
            try expectEqual(answers.count, 0)
            try expectEqual(try settings.value(for: theme), "dark")
            try expectEqual(try await files.read("picture"), [1, 2, 3])
        }
        try await stage.verb("account deletion removes everything of the service: items, settings and files") {
            try await keychain.set("other", for: "other")
            try await keychain.items(ofClass: .key).set([7], for: "signing")
            try await life.deleteEverything()
            for itemClass in ItemClass.allCases {
                try expect(try await keychain.items(ofClass: itemClass).list().isEmpty)
            }
            try expect(try Settings(suite: stage.service).names().isEmpty)
            try expect(try await files.list().isEmpty)
        }
    }
}
