import Coffer
import CofferCaches
import CofferConfiguration
import CofferFiles
import CofferSessions
import CofferSettings
import CofferSync
import FoundationEssentials

// What the examples of documents and doc comments take for given. DocumentCode.swift is made of these examples by scripts/doc-code.

let keychain = Keychain(service: "com.example.app")
let secrets = KeychainProvider(Keychain(service: "com.example.server"))
let session = CredentialSession(keychain: keychain)
let settings = Settings(suite: "com.example.app")
let synced = SyncedSettings(service: "com.example.app")
let files = ProtectedFiles(service: "com.example.notes", directory: .documents)
let caches = ProtectedFiles(service: "com.example.notes", directory: .caches)
let users = HybridStore(User.self, name: "user", keychain: keychain, settings: settings, files: files)
let profiles = Repository(
    source: ClosureSource { (id: String) in try await mailServer.profile(id) },
    cache: TTLCache(lifetime: .seconds(300)))
let account = Account()
let changes: [ItemChange] = []
let folder = "/tmp/example"
let lifeCycle = ServiceLifeCycle(keychain: keychain)

let fontSize = SettingKey("fontSize", default: 12)
let launches = SettingKey("launches", default: 0)

let bytes: [UInt8] = [1, 2, 3]
let picture: [UInt8] = [1, 2, 3]
let profile = Profile(name: "me")
let answer = Answer(text: "42")
let url = "https://example.com"
let other = "https://example.org"
let mailServer = MailServer()
let window = Window()
let player = Player()
let microphone = Microphone()
let download = AsyncStream<[UInt8]> { $0.finish() }

func hideSecrets() {}
func lookAgain() async throws {}
func signOut() {}
func showLogin() {}
func showBusy() {}
func show(_ path: String) {}
func redraw() {}
func layout(_ size: Int) {}

enum Theme: String, SettingValue { case light, dark }

struct Account {
    @KeychainItem("token", in: keychain) var token: KeychainHandle<String>
}

struct Profile: Codable, Sendable { let name: String }

struct Answer: Sendable { let text: String }

struct Note: Codable, Sendable { let title: String }

struct PreferencesV2: Codable, Sendable { let fontSize: Int }

struct PreferencesV3: Codable, Sendable { let fontSize: Double }

struct User: HybridRecord {
    var token: String?
    var theme = "light"
    var picture: [UInt8]?

    static let fields: [HybridField<User>] = [
        .secret("token", \.token), .setting("theme", \.theme), .file("picture", \.picture),
    ]
}

struct MailServer: Sendable {
    func profile(_ id: String) async throws -> Profile? { nil }
    func profiles(_ ids: [String]) async throws -> [String: Profile] { [:] }
    func store(_ profiles: [String: Profile]) async throws {}
    func exchange(_ refreshToken: String) async throws -> SessionTokens { SessionTokens(accessToken: "a") }
    func fetch(_ credentials: Credentials) async {}
}

struct Window: Sendable {
    func show(_ text: String) async {}
    func ask(_ text: String, hidden: Bool) async -> String? { nil }
}

struct Player: Sendable {
    func play(_ part: [UInt8]) async {}
}

struct Microphone: Sendable {
    func next() async -> [UInt8]? { nil }
}

struct Digest {
    mutating func update(_ part: [UInt8]) {}
}
