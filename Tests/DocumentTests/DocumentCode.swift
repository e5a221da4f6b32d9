// Made by scripts/doc-code from documents and doc comments: change these.
// swift-format-ignore-file
import Coffer
import CofferCaches
import CofferConfiguration
import CofferFiles
import CofferSessions
import CofferSettings
import CofferSync
import CofferTestKit
import Configuration
import FoundationEssentials
import Glibc
import Testing

// README.md
struct Example1 {
    func run() async throws {
        let keychain = Keychain(service: "com.example.app")
        try await keychain.set("s3cret", for: "token", access: .whenUnlocked.requiring(.userPresence))
        let token = try await keychain.string(for: "token", reason: "Fetch your mail")   // asks the person
        _ = keychain
        _ = token
    }
}

// docs/library.md
struct Example2 {
    func run() async throws {
        let keychain = Keychain(service: "com.example.app")

        // Storing asks nobody. It makes the item, or replaces its value.
        try await keychain.set("s3cret", for: "token", access: .whenUnlocked.requiring(.userPresence))

        // Reading asks the person, because the item requires presence.
        let token = try await keychain.string(for: "token", reason: "Fetch your mail")

        // Finding asks nobody, and works while the vault is locked.
        let accounts = try await keychain.accounts()
        let exists = try await keychain.exists("token")

        try await keychain.delete("token")
        _ = keychain
        _ = token
        _ = accounts
        _ = exists
    }
}

// docs/library.md
struct Example3 {
    struct Server: Codable, Sendable { var host: String; var key: [UInt8] }
    func run() async throws {
        try await keychain.set(value: Server(host: "example.com", key: [1, 2, 3]), for: "server")
        let server = try await keychain.value(Server.self, for: "server")

        try await keychain.set([0xC0, 0xFF, 0xEE], for: "seed", expires: .after(.seconds(3600)))
        let seed = try await keychain.bytes(for: "seed")
        _ = server
        _ = seed
    }
}

// docs/library.md
struct Example4 {
    func run() async throws {
        switch await keychain.availability() {
        case .available(let status) where status.state == .unlocked: print("ready")
        case .available: print("the next read asks for the password")      // locked, or no vault yet
        case .noBroker(let reason): print(reason.message)       // not installed, or not running
        case .silent(let reason), .refused(let reason): print(reason.message)
        }
    }
}

// docs/library.md
struct Example5 {
    func run() async throws {
        let length = try await keychain.withBytes(for: "signingKey", reason: "Sign the report") { key in key.count }
        _ = length
    }
}

// docs/library.md
struct Example6 {
    func run() async throws {
        let context = try await keychain.authenticate(for: ["access", "refresh"], reason: "Sign you in")
        let access = try context.string(for: "access")
        let refresh = try context.string(for: "refresh")
        _ = context
        _ = access
        _ = refresh
    }
}

// docs/library.md
struct Example7 {
    func run() async throws {
        try await keychain.set("s3cret", for: "octo")
        try await keychain.field(.notes).set("Ask for Mona", for: "octo")
        try await keychain.field("pin").set("1234", for: "octo")

        for field in try await keychain.attributes(of: "octo").fields { print(field.name, field.kind, field.set) }

        // One prompt for all of them, if the item requires a person.
        let login = try await keychain.values(of: "octo", fields: [.secret, "pin"], reason: "Sign in")
        let (password, pin) = (try login.string(of: .secret), try login.string(of: "pin"))
        print(password.count, pin.count)

        try await keychain.removeField("pin", of: "octo")
        _ = login
        _ = password
        _ = pin
    }
}

// docs/library.md
struct Example8 {
    struct Account {
        @KeychainItem("token", in: keychain, access: .whenUnlocked.requiring(.userPresence))
        var token: KeychainHandle<String>
    }
    func run() async throws {
        let account = Account()
        try await account.token.set("s3cret")
        let token = try await account.token.value(reason: "Show your token")
        _ = account
        _ = token
    }
}

// docs/library.md
struct Example9 {
    func run() async throws {
        let inWindow = Keychain(service: "com.example.app", prompts: .handler { message in
            guard message.wantsAnswer else {
                await window.show(message.text)
                return nil
            }
            return await window.ask(message.text, hidden: message.isHidden)   // nil: the person gives up
        })
        let quiet = keychain.prompting(.never)
        _ = inWindow
        _ = quiet
    }
}

// docs/library.md
struct Example10 {
    func run() async throws {
        let reading = Task { try await keychain.string(for: "token") }
        reading.cancel()
        _ = reading
    }
}

// docs/library.md
struct Example11 {
    func token() async throws(KeychainError) -> String? {
        do throws(KeychainError) { return try await keychain.string(for: "token", reason: "Fetch your mail") } catch {
            switch error.code {
            case .notFound: return nil                       // never stored, expired or deleted
            case .cancelled, .authenticationNeeded: return nil   // the person gave up, or nobody could be asked
            default: throw error
            }
        }
    }
}

// docs/library.md
struct Example12 {
    func run() async throws {
        try await keychain.set(
            "s3cret", for: "seed", access: .whenUnlocked.thisDeviceOnly.requiring(.applicationPassword),
            applicationPassword: "correct horse")
        let seed = try await keychain.string(for: "seed", applicationPassword: "correct horse")

        // Tightening or loosening asks as reading does.
        try await keychain.edit("token", ItemEdit(access: .whenUnlocked.thisDeviceOnly), reason: "Change your token")
        _ = seed
    }
}

// docs/library.md
struct Example13 {
    func run() async throws {
        let known = try await keychain.attributes(of: "access")
        try await keychain.apply([
            ItemChange(keychain.name("access"), .set(NewItem(value: Array("new".utf8))), if: .isUnchanged(since: known)),
            ItemChange(keychain.name("old"), .delete),
        ])

        // A value that depends on the former one. No change of another program is lost.
        try await keychain.update(for: "counter") { old in String((Int(old ?? "") ?? 0) + 1) }
        _ = known
    }
}

// docs/library.md
struct Example14 {
    func run() async throws {
        try await keychain.delete("thumbnail-42", protection: .later)
    }
}

// docs/library.md
struct Example15 {
    func run() async throws {
        for try await event in try await keychain.changes() {
            switch event {
            case .added(let item), .updated(let item): print("stored:", item.account)
            case .deleted(let item): print("gone:", item.account)
            case .locked: hideSecrets()
            case .unlocked: break
            case .sharing: break
            case .missed: try await lookAgain()
            }
        }
    }
}

// docs/library.md
struct Example16 {
    func run() async throws {
        for version in try await keychain.history(of: "token") { print(version.version, version.set) }

        if let last = try await keychain.history(of: "token").first {
            let former = try await keychain.string(for: "token", reason: "Compare your tokens")
            let bytes = try await keychain.bytes(for: "token", version: last.version, reason: "Compare your tokens")
            print(former.utf8.count, bytes.count)
            try await keychain.restore("token", version: last.version, reason: "Restore your token")
        }
    }
}

// docs/library.md
struct Example17 {
    func run() async throws {
        let shared = Keychain(service: "com.example.app", group: "ops")
        try await shared.set("s3cret", for: "database")
        _ = shared
    }
}

// docs/library.md
struct Example18 {
    func run() async throws {
        let keys = keychain.items(ofClass: .key)
        try await keys.set([UInt8](repeating: 7, count: 32), for: "signing")

        let server = try InternetServer(scheme: "https", host: "example.com")
        try await keychain.setInternetPassword("s3cret", for: "me", on: server)
        let password = try await keychain.internetPassword(for: "me", on: server)
        _ = keys
        _ = server
        _ = password
    }
}

// docs/library.md
struct Example19 {
    func run() async throws {
        let session = CredentialSession(
            keychain: keychain, access: [.password: .whenUnlocked.thisDeviceOnly.requiring(.userPresence)])
        try await session.saveSession(SessionTokens(accessToken: "a", refreshToken: "r", expires: .now + 3600), userID: "42")

        if try await !session.isLoggedIn { showLogin() }          // asks nobody
        let token = try await session.accessToken(reason: "Fetch your mail") { refreshToken in
            try await mailServer.exchange(refreshToken)           // only if the token has expired
        }
        let login = try await session.load([.userName, .password], reason: "Sign you in")
        try await session.logout()
        _ = session
        _ = token
        _ = login
    }
}

// docs/library.md
struct Example20 {
    func run() async throws {
        let fontSize = SettingKey("fontSize", default: 12)
        let settings = Settings(suite: "com.example.app")
        try settings.set(14, for: fontSize)
        let size = try settings.value(for: fontSize)
        try await settings.flush()                                // before the process ends
        _ = fontSize
        _ = settings
        _ = size
    }
}

// docs/library.md
struct Example21 {
    struct Preferences {
        @Setting("fontSize", in: settings) var fontSize = 12
        @Setting("nickname", in: settings) var nickname: String?
    }
    func run() async throws {
        let preferences = Preferences()
        preferences.fontSize = 16
        for await size in preferences.$fontSize.changes() { print(size) }
        _ = preferences
    }
}

// docs/library.md
struct Example22 {
    func run() async throws {
        let files = ProtectedFiles(service: "com.example.notes", directory: .documents)
        try await files.write(Array("Buy milk".utf8), to: "notes/today.txt", access: .whenUnlocked.requiring(.userPresence))
        let note = try await files.read("notes/today.txt", reason: "Show your note")

        for file in try await files.list(in: "notes") { print(file.name, file.size) }   // asks nobody
        try await files.delete("notes/today.txt")
        _ = files
        _ = note
    }
}

// docs/library.md
struct Example23 {
    func run() async throws {
        var writer = try await files.writer(to: "backup.tar")
        try await writer.write([1, 2, 3])
        try await writer.finish()

        for try await part in files.chunks(of: "backup.tar", reason: "Check the backup") { print(part.count) }
    }
}

// docs/library.md
struct Example24 {
    func run() async throws {
        let pictures = await LRUCache<String, [UInt8]>(
            limits: CacheLimits(count: 200, cost: 32 << 20), emptiesOnLockOf: keychain)
        pictures.set([1, 2, 3], for: "me", cost: 3)

        let profiles = Repository(
            source: ClosureSource { (id: String) in try await mailServer.profile(id) },
            cache: KeychainCache<Profile>(name: "profiles", keychain: keychain, lifetime: .seconds(86400)))
        let profile = try await profiles.value(for: "42")                          // the cache, then the server
        let newest = try await profiles.value(for: "42", policy: .networkFirst)    // also works offline
        _ = pictures
        _ = profiles
        _ = profile
        _ = newest
    }
}

// docs/library.md
struct Example25 {
    func run() async throws {
        let shared = SyncedSettings(service: "com.example.app")
        try shared.set(14, for: fontSize)
        for await change in shared.changes() { print(change.reason, change.names) }
        _ = shared
    }
}

// docs/library.md
struct Example26 {
    func run() async throws {
        let notes = SyncedRecords<Note>(
            keychain: Keychain(service: "com.example.notes"),
            strategy: .merge { mine, theirs in Note(title: [mine.title, theirs.title].sorted().joined(separator: " / ")) })
        try await notes.decide()
        let hasLeft = try await notes.isSynced("shopping")
        _ = notes
        _ = hasLeft
    }
}

// docs/library.md
struct Example27 {
    struct User: HybridRecord {
        var token: String?
        var theme = "light"
        var picture: [UInt8]?

        static let fields: [HybridField<User>] = [
            .secret("token", \.token, access: .whenUnlocked.requiring(.userPresence)),
            .setting("theme", \.theme),
            .file("picture", \.picture),
        ]
    }
    func run() async throws {
        let users = HybridStore(User.self, name: "user", keychain: keychain, settings: settings, files: files)
        try await users.save(User(token: "s3cret", theme: "dark", picture: [1, 2, 3]))
        let user = try await users.load(reason: "Show your account")
        _ = users
        _ = user
    }
}

// docs/library.md
struct Example28 {
    func run() async throws {
        let life = ServiceLifeCycle(
            keychain: keychain, sessions: [CredentialSession(keychain: keychain)],
            personal: [TTLCache<String, Profile>(lifetime: .seconds(300))])
        try await life.logout()              // the logins, and what is personal
        try await life.deleteEverything()    // all items of the service, too
        _ = life
    }
}

// docs/library.md
struct Example29 {
    func run() async throws {
        let secrets = KeychainProvider(Keychain(service: "com.example.server"))
        let config = ConfigReader(providers: [secrets, EnvironmentVariablesProvider()])
        let password = try await config.fetchRequiredString(forKey: "database.password")
        _ = secrets
        _ = config
        _ = password
    }
}

// docs/library.md
struct Example30 {
    func run() async throws {
        try await secrets.preload()
        try await secrets.run { _ = try? await secrets.preload() }   // until the task is cancelled
    }
}

// docs/library.md
struct Example31 {
    @Test func `the token needs a person`() async throws {
        let backend = InMemoryKeychain(password: "s3cret", person: .givesUp)
        let keychain = Keychain(service: "com.example.app", backend: backend)
        try await keychain.set("token", for: "me", access: .whenUnlocked.requiring(.userPresence))
        await #expect(throws: KeychainError(.cancelled, "")) { try await keychain.string(for: "me") }
        #expect(!backend.shownMessages.isEmpty)
    }
}

// docs/library.md
struct Example32 {
    func run() async throws {
        let sandbox = try await SandboxBroker()
        let keychain = Keychain(
            service: "com.example.app", prompts: .handler { $0.wantsAnswer ? SandboxBroker.password : nil },
            backend: sandbox.backend)
        try await keychain.set("token", for: "me", access: .whenUnlocked.requiring(.userPresence))
        let token = try await keychain.string(for: "me")
        try await sandbox.restartBroker()                          // the vault is sealed, as after an upgrade
        await sandbox.stop()
        _ = sandbox
        _ = keychain
        _ = token
    }
}

// docs/porting.md
struct Example33 {
    func run() async throws {
        let token = try await Keychain(service: "com.example.app").bytes(for: "token", reason: "Fetch your mail")
        _ = token
    }
}

// docs/porting.md
struct Example34 {
    func run() async throws {
        do throws(KeychainError) {
            try await keychain.set(
                "s3cret", for: "token", access: .whenUnlocked.thisDeviceOnly.requiring(.userPresence), if: .isAbsent)
        } catch {
            guard error.code == .alreadyExists else { throw error }   // errSecDuplicateItem
        }
    }
}

// docs/porting.md
struct Example35 {
    func status(of call: () async throws(KeychainError) -> Void) async -> Int32 {
        do throws(KeychainError) {
            try await call()
            return 0
        } catch { return error.appleStatus }
    }
}

// docs/porting.md
struct Example36 {
    func run() async throws {
        try await keychain.set("s3cret", for: "token", access: .afterFirstUnlock, label: "example.com")
        let token = try await keychain.string(for: "token", reason: "Fetch your mail")
        _ = token
    }
}

// docs/porting.md
struct Example37 {
    func run() async throws {
        let former = ["access": "a", "refresh": "r"]   // what the other store gave
        try await keychain.apply(former.map { account, value in
            ItemChange(
                keychain.name(account),
                .set(NewItem(value: Array(value.utf8), access: .whenUnlocked.thisDeviceOnly.requiring(.userPresence))),
                if: .isAbsent)
        })
        _ = former
    }
}

// docs/porting.md
struct Example38 {
    func stored(_ account: String) async throws(KeychainError) -> String? {
        do throws(KeychainError) { return try await keychain.string(for: account) } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}

// Sources/Coffer/Coffer.docc/Coffer.md
struct Example39 {
    func run() async throws {
        let keychain = Keychain(service: "com.example.app")
        try await keychain.set("s3cret", for: "token", access: .whenUnlocked.requiring(.userPresence))
        let token = try await keychain.string(for: "token", reason: "Fetch your mail")   // asks the person
        _ = keychain
        _ = token
    }
}

// Sources/CofferSettings/CofferSettings.docc/CofferSettings.md
struct Example40 {
    func run() async throws {
        let fontSize = SettingKey("fontSize", default: 12)
        let settings = Settings(suite: "com.example.app")
        try settings.set(14, for: fontSize)
        try await settings.flush()   // before the process ends
        _ = fontSize
        _ = settings
    }
}

// Sources/CofferSync/CofferSync.docc/CofferSync.md
struct Example41 {
    func run() async throws {
        let settings = SyncedSettings(service: "com.example.app")
        try settings.set(14, for: SettingKey("fontSize", default: 12))
        _ = settings
    }
}

// Sources/CofferCaches/CofferCaches.docc/CofferCaches.md
struct Example42 {
    func run() async throws {
        let profiles = Repository(
            source: ClosureSource { (id: String) in try await mailServer.profile(id) },
            cache: KeychainCache<Profile>(name: "profiles", keychain: keychain, lifetime: .seconds(86400)))
        let profile = try await profiles.value(for: "42")   // the cache, then the server
        _ = profiles
        _ = profile
    }
}

// Sources/CofferSessions/CofferSessions.docc/CofferSessions.md
struct Example43 {
    func run() async throws {
        let session = CredentialSession(
            keychain: keychain, access: [.password: .whenUnlocked.thisDeviceOnly.requiring(.userPresence)])
        try await session.saveLogin(userName: "me", password: "s3cret")
        try await ServiceLifeCycle(keychain: keychain, sessions: [session]).logout()
        _ = session
    }
}

// Sources/CofferFiles/CofferFiles.docc/CofferFiles.md
struct Example44 {
    func run() async throws {
        let files = ProtectedFiles(service: "com.example.notes", directory: .documents)
        try await files.write(Array("Buy milk".utf8), to: "today.txt", access: .whenUnlocked.requiring(.userPresence))
        let note = try await files.read("today.txt", reason: "Show your note")
        _ = files
        _ = note
    }
}

// Sources/CofferConfiguration/CofferConfiguration.docc/CofferConfiguration.md
struct Example45 {
    func run() async throws {
        let config = ConfigReader(providers: [KeychainProvider(Keychain(service: "com.example.server"))])
        let password = try await config.fetchRequiredString(forKey: "database.password")
        _ = config
        _ = password
    }
}

// Sources/CofferTestKit/CofferTestKit.docc/CofferTestKit.md
struct Example46 {
    func run() async throws {
        let backend = InMemoryKeychain(password: "s3cret", person: .answers("s3cret"))
        let keychain = Keychain(service: "com.example.app", backend: backend)
        _ = backend
        _ = keychain
    }
}

// Sources/Item/AccessControl.swift
struct Example47 {
    func run() async throws {
        let access = AccessControl.whenUnlocked.thisDeviceOnly.requiring(.userPresence)
        _ = access
    }
}

// Sources/Item/AccessControlError.swift
struct Example48 {
    func run() async throws {
        do {
            _ = try AccessControl(requirements: [.biometryAny, .biometryCurrentSet])
        } catch {
            print(error)
        }
    }
}

// Sources/Item/FieldKind.swift
struct Example49 {
    func run() async throws {
        let kinds: Set<FieldKind> = [.secret, .otp]
        for field in try await keychain.attributes(of: "octo").fields where kinds.contains(field.kind) { print(field.name) }
        _ = kinds
    }
}

// Sources/Item/FieldName.swift
struct Example50 {
    func run() async throws {
        let pin: FieldName = "pin"
        print(pin, FieldName.otp)
        _ = pin
    }
}

// Sources/Item/ItemKind.swift
struct Example51 {
    func run() async throws {
        let keys = keychain.items(ofClass: .key)
        _ = keys
    }
}

// Sources/Item/ItemName.swift
struct Example52 {
    func run() async throws {
        let name = ItemName(service: "com.example.app", account: "token")
        _ = name
    }
}

// Sources/Item/PartialAccess.swift
struct Example53 {
    func run() async throws {
        let change = PartialAccess(requirements: [.devicePasscode])
        let access = try change.applied(to: .whenUnlocked.thisDeviceOnly)
        _ = change
        _ = access
    }
}

// Sources/CofferClient/Backend/BrokerBackend.swift
struct Example54 {
    func run() async throws {
        let keychain = Keychain(service: "com.example.app", backend: BrokerBackend(paths: SocketPaths(broker: folder + "/coffer.sock")))
        _ = keychain
    }
}

// Sources/CofferClient/Backend/KeychainBackend.swift
struct Example55 {
    func run() async throws {
        let keychain = Keychain(service: "com.example.app", backend: InMemoryKeychain(person: .answers("sandbox")))
        _ = keychain
    }
}

// Sources/CofferClient/Backend/KeychainBackend.swift
struct Example56 {
    func run() async throws {
        let quiet = ReadRequest(prompts: .never, mayUnlock: false)
        _ = quiet
    }
}

// Sources/CofferClient/Backend/KeychainBackend.swift
struct Example57 {
    func run() async throws {
        let query = ItemQuery(service: "com.example.app", attributes: ["server": "db1"])
        _ = query
    }
}

// Sources/CofferClient/Backend/KeychainBackend.swift
struct Example58 {
    func run() async throws {
        let fingers = try await keychain.biometrics()
        if let reason = fingers.unavailableReason { print("Use your password: \(reason)") }
        _ = fingers
    }
}

// Sources/CofferClient/Errors/KeychainError.swift
struct Example59 {
    func run() async throws {
        do throws(KeychainError) {
            print(try await keychain.string(for: "token").count)
        } catch {
            switch error.code {
            case .notFound: showLogin()
            case .cancelled: return
            default: throw error
            }
        }
    }
}

// Sources/CofferClient/Errors/KeychainError.swift
struct Example60 {
    func run() async throws {
        throw KeychainError(.locked, "the vault is locked", advice: "coffer unlock")
    }
}

// Sources/CofferClient/Items/Field.swift
struct Example61 {
    func run() async throws {
        for field in try await keychain.attributes(of: "octo").fields { print(field.name, field.kind) }
    }
}

// Sources/CofferClient/Items/ItemAttributes.swift
struct Example62 {
    func run() async throws {
        let token = try await keychain.attributes(of: "token")
        print(token.modified, token.access)
        _ = token
    }
}

// Sources/CofferClient/Items/ItemAttributes.swift
struct Example63 {
    func run() async throws {
        let item = try await keychain.item(for: "token", reason: "Show your token")
        print(item.value.count, item.attributes.modified)
        _ = item
    }
}

// Sources/CofferClient/Items/ItemAttributes.swift
struct Example64 {
    func run() async throws {
        for itemClass in ItemClass.allCases { print(itemClass.rawValue) }
    }
}

// Sources/CofferClient/Items/ItemAttributes.swift
struct Example65 {
    func run() async throws {
        if let former = try await keychain.history(of: "token").first {
            try await keychain.restore("token", version: former.version)
        }
    }
}

// Sources/CofferClient/Items/ItemChange.swift
struct Example66 {
    func run() async throws {
        let change = ItemChange(ItemName(service: "com.example.app", account: "token"), .delete)
        _ = change
    }
}

// Sources/CofferClient/Items/ItemChange.swift
struct Example67 {
    func run() async throws {
        let item = NewItem(value: Array("s3cret".utf8), access: .whenUnlocked.thisDeviceOnly)
        _ = item
    }
}

// Sources/CofferClient/Items/ItemChange.swift
struct Example68 {
    func run() async throws {
        let edit = ItemEdit(label: "Production")
        _ = edit
    }
}

// Sources/CofferClient/Items/ItemChange.swift
struct Example69 {
    func run() async throws {
        let outcomes = try await keychain.apply(changes)
        let replaced = outcomes.filter { $0.existedBefore }.count
        _ = outcomes
        _ = replaced
    }
}

// Sources/CofferClient/Items/ItemChange.swift
struct Example70 {
    func run() async throws {
        try await keychain.delete("thumbnail-42", protection: .later)
    }
}

// Sources/CofferClient/Items/KeychainEvent.swift
struct Example71 {
    func run() async throws {
        for try await event in try await keychain.changes() {
            if case .updated(let item) = event { print(item.account) }
        }
    }
}

// Sources/CofferClient/Items/SharingState.swift
struct Example72 {
    func run() async throws {
        let sharing = try await keychain.sharing()
        print(sharing.machines.map { $0.name ?? "unknown" })
        _ = sharing
    }
}

// Sources/CofferClient/Items/SharingState.swift
struct Example73 {
    func run() async throws {
        if try await keychain.sharing(of: "note-7") == .waiting { print("not sent yet") }
    }
}

// Sources/CofferClient/Items/SharingState.swift
struct Example74 {
    func run() async throws {
        for conflict in try await keychain.conflicts() { print(conflict.name.account, conflict.revisions.count) }
    }
}

// Sources/CofferClient/Items/VaultName.swift
struct Example75 {
    func run() async throws {
        let team = Keychain(service: "com.example.app", group: "developers")
        assert(team.vault == .group("developers"))
        _ = team
    }
}

// Sources/CofferClient/Items/VaultName.swift
struct Example76 {
    func run() async throws {
        guard try await keychain.status().state == .unlocked else { return }
    }
}

// Sources/CofferClient/Prompts/Prompts.swift
struct Example77 {
    func run() async throws {
        let quiet = Keychain(service: "com.example.daemon", prompts: .never)
        _ = quiet
    }
}

// Sources/CofferClient/Prompts/Prompts.swift
struct Example78 {
    func run() async throws {
        let keychain = Keychain(service: "com.example.app", prompts: .handler { message in
            guard message.wantsAnswer else {
                await window.show(message.text)
                return nil
            }
            return await window.ask(message.text, hidden: message.isHidden)
        })
        _ = keychain
    }
}

// Sources/CofferClient/Prompts/Prompts.swift
struct Example79 {
    func run() async throws {
        let message = PromptMessage(style: .hiddenQuestion, text: "Password: ")
        assert(message.wantsAnswer && message.isHidden)
        _ = message
    }
}

// Sources/CofferClient/SocketPaths.swift
struct Example80 {
    func run() async throws {
        let sockets = SocketPaths(broker: folder + "/coffer.sock", authenticator: folder + "/auth.sock")
        _ = sockets
    }
}

// Sources/Coffer/Items/Expiry.swift
struct Example81 {
    func run() async throws {
        try await keychain.set("one-time", for: "upload", expires: .after(.seconds(600)))
    }
}

// Sources/Coffer/Items/Expiry.swift
struct Example82 {
    func run() async throws {
        let item = NewItem(value: Array("s3cret".utf8), expiry: .after(.seconds(600)))
        _ = item
    }
}

// Sources/Coffer/Items/Expiry.swift
struct Example83 {
    func run() async throws {
        let edit = ItemEdit(expiry: .never)
        _ = edit
    }
}

// Sources/Coffer/Keychain/AuthenticationContext.swift
struct Example84 {
    func run() async throws {
        let context = try await keychain.authenticate(for: ["user", "password"], reason: "Sign in")
        let password = try context.string(for: "password")
        _ = context
        _ = password
    }
}

// Sources/Coffer/Keychain/FieldValues.swift
struct Example85 {
    func run() async throws {
        let login = try await keychain.values(of: "octo", fields: [.secret, .otp], reason: "Sign in")
        let password = try login.string(of: .secret)
        _ = login
        _ = password
    }
}

// Sources/Coffer/Keychain/InternetPassword.swift
struct Example86 {
    func run() async throws {
        let server = try InternetServer(scheme: "https", host: "example.com", port: 8443)
        let password = try await keychain.internetPassword(for: "me", on: server)
        _ = server
        _ = password
    }
}

// Sources/Coffer/Keychain/InternetPassword.swift
struct Example87 {
    func run() async throws {
        let server = try InternetServer(scheme: "https", host: "example.com")
        try await keychain.setInternetPassword("s3cret", for: "me", on: server)
        _ = server
    }
}

// Sources/Coffer/Keychain/Keychain+Fields.swift
struct Example88 {
    func run() async throws {
        try await keychain.set("s3cret", for: "octo")
        try await keychain.field(.notes).set("Ask for Mona", for: "octo")
        let notes = try await keychain.field(.notes).string(for: "octo")
        _ = notes
    }
}

// Sources/Coffer/Keychain/Keychain+Finding.swift
struct Example89 {
    func run() async throws {
        let work = try await keychain.search(attributes: ["profile": "work"])
        _ = work
    }
}

// Sources/Coffer/Keychain/Keychain+Finding.swift
struct Example90 {
    func run() async throws {
        for try await event in try await keychain.changes() {
            if case .locked = event { hideSecrets() }
        }
    }
}

// Sources/Coffer/Keychain/Keychain+Reading.swift
struct Example91 {
    func run() async throws {
        let length = try await keychain.withBytes(for: "signingKey", reason: "Sign the report") { key in key.count }
        _ = length
    }
}

// Sources/Coffer/Keychain/Keychain+Reading.swift
struct Example92 {
    func run() async throws {
        let token = try await keychain.string(for: "accessToken", reason: "Show your token")
        _ = token
    }
}

// Sources/Coffer/Keychain/Keychain+Reading.swift
struct Example93 {
    func run() async throws {
        let context = try await keychain.authenticate(for: ["accessToken", "refreshToken"], reason: "Sign you in")
        let access = try context.string(for: "accessToken")
        let refresh = try context.string(for: "refreshToken")
        _ = context
        _ = access
        _ = refresh
    }
}

// Sources/Coffer/Keychain/Keychain+Reading.swift
struct Example94 {
    func run() async throws {
        try await keychain.update(for: "counter") { old in
            String((Int(old ?? "") ?? 0) + 1)
        }
    }
}

// Sources/Coffer/Keychain/Keychain+Sharing.swift
struct Example95 {
    func run() async throws {
        let hasLeft = try await keychain.isSynced("note-7")
        _ = hasLeft
    }
}

// Sources/Coffer/Keychain/Keychain+Sharing.swift
struct Example96 {
    func run() async throws {
        for try await change in try await keychain.conflictChanges() {
            if case .began(let conflict) = change { print(conflict.name) }
        }
    }
}

// Sources/Coffer/Keychain/Keychain+Sharing.swift
struct Example97 {
    func run() async throws {
        for try await change in try await keychain.conflictChanges() {
            if case .ended(let conflict) = change { print(conflict.name.account) }
        }
    }
}

// Sources/Coffer/Keychain/Keychain+Writing.swift
struct Example98 {
    func run() async throws {
        try await keychain.set("s3cret", for: "me", access: .whenUnlocked.requiring(.userPresence))
    }
}

// Sources/Coffer/Keychain/Keychain+Writing.swift
struct Example99 {
    func run() async throws {
        try await keychain.apply([
            ItemChange(keychain.name("accessToken"), .set(NewItem(value: Array("a".utf8)))),
            ItemChange(keychain.name("refreshToken"), .set(NewItem(value: Array("r".utf8)))),
            ItemChange(keychain.name("oldToken"), .delete),
        ])
    }
}

// Sources/Coffer/Keychain/Keychain.swift
struct Example100 {
    func run() async throws {
        let keychain = Keychain(service: "com.example.app")
        try await keychain.set("s3cret", for: "accessToken",
                               access: .whenUnlocked.thisDeviceOnly.requiring(.userPresence))
        let token = try await keychain.string(for: "accessToken", reason: "Show your token")
        _ = keychain
        _ = token
    }
}

// Sources/Coffer/Keychain/KeychainAvailability.swift
struct Example101 {
    func run() async throws {
        switch await keychain.availability() {
        case .available(let status): print(status.state)
        case .noBroker(let reason), .silent(let reason), .refused(let reason): print("secrets stay in memory: \(reason)")
        }
    }
}

// Sources/Coffer/Keychain/KeychainHandle.swift
struct Example102 {
    func run() async throws {
        let token = KeychainHandle<String>("token", in: keychain)
        try await token.set("s3cret")
        let value = try await token.value(reason: "Show your token")
        _ = token
        _ = value
    }
}

// Sources/Coffer/Keychain/KeychainHandle.swift
struct Example103 {
    func run() async throws {
        for try await event in try await account.token.changes() {
            if case .deleted = event { signOut() }
        }
    }
}

// Sources/Coffer/Keychain/KeychainItem.swift
struct Example104 {
    struct Account {
        @KeychainItem("token", in: keychain, access: .whenUnlocked.requiring(.userPresence))
        var token: KeychainHandle<String>
        @KeychainItem("profile", in: keychain) var profile: KeychainHandle<Profile>   // struct Profile: Codable
    }
    func run() async throws {
        let token = try await account.token.value(reason: "Show your token")
        try await account.token.set("s3cret")
        _ = token
    }
}

// Sources/Coffer/LifeCycle/Keychain+Temporary.swift
struct Example105 {
    func run() async throws {
        try await keychain.setTemporary("s3cret", for: "upload", lifetime: .seconds(600))
    }
}

// Sources/Coffer/LifeCycle/ServiceData.swift
struct Example106 {
    struct Thumbnails: ServiceData {
        func deleteEverything(of service: String) async throws { redraw() }
    }
}

// Sources/Coffer/Storage/StorageAdvice.swift
struct Example107 {
    func run() async throws {
        let advice = StorageAdvice.store(for: .document, size: picture.count)
        _ = advice
    }
}

// Sources/Coffer/Storage/StorageAdvice.swift
struct Example108 {
    func run() async throws {
        let advice = StorageAdvice.store(for: .document, size: picture.count)
        print(advice.store, advice.reason)   // protectedFile …
        _ = advice
    }
}

// Sources/Coffer/Storage/StorageAdvice.swift
struct Example109 {
    func run() async throws {
        let fits = picture.count <= StorageLimits.item
        _ = fits
    }
}

// Sources/CofferSettings/FileSettings.swift
struct Example110 {
    func run() async throws {
        let settings = Settings(suite: "com.example.app")
        _ = settings
    }
}

// Sources/CofferSettings/InMemorySettings.swift
struct Example111 {
    func run() async throws {
        let settings = Settings(backend: InMemorySettings())
        _ = settings
    }
}

// Sources/CofferSettings/Sensitive.swift
struct Example112 {
    struct Token: Codable, SensitiveValue { let text: String }
}

// Sources/CofferSettings/Sensitive.swift
struct Example113 {
    struct Account: Codable, Sendable {
        var name: String
        @Sensitive var token: String
    }
}

// Sources/CofferSettings/Setting.swift
struct Example114 {
    struct Preferences {
        @Setting("fontSize", in: settings) var fontSize = 12
        @Setting("nickname", in: settings) var nickname: String?
        @Setting("theme", default: .light, in: settings) var theme: Theme   // enum Theme: String, SettingValue
    }
    func run() async throws {
        let settings = Settings(suite: "com.example.app")


        let preferences = Preferences()
        try preferences.$fontSize.reset()
        for await size in preferences.$fontSize.changes() { layout(size) }
        _ = settings
        _ = preferences
    }
}

// Sources/CofferSettings/SettingCoding.swift
struct Example115 {
    enum Theme: String, SettingValue { case light, dark }
}

// Sources/CofferSettings/SettingKey.swift
extension SettingKey where Value == Int {
    static let fontSize = SettingKey("editor.fontSize", default: 12)
}
struct Example116 {
    func run() async throws {
        let size = try settings.value(for: .fontSize)
        _ = size
    }
}

// Sources/CofferSettings/SettingValue.swift
struct Example117 {
    enum Theme: String, SettingValue { case light, dark }
    struct WindowFrame: Codable, SettingValue { var width = 800, height = 600 }
}

// Sources/CofferSettings/Settings+Changes.swift
struct Example118 {
    func run() async throws {
        for await change in settings.changes() where change.names.contains("theme") { redraw() }
    }
}

// Sources/CofferSettings/Settings+Changes.swift
struct Example119 {
    func run() async throws {
        for await size in settings.changes(of: fontSize) { layout(size) }
    }
}

// Sources/CofferSettings/Settings+Changes.swift
struct Example120 {
    func run() async throws {
        for await size in settings.changes(of: fontSize) { layout(size) }
    }
}

// Sources/CofferSettings/Settings.swift
struct Example121 {
    func run() async throws {
        let settings = Settings(suite: "com.example.app")
        let fontSize = SettingKey("fontSize", default: 12)
        try settings.set(14, for: fontSize)
        let size = try settings.value(for: fontSize)   // 14
        try await settings.flush()                      // before the process ends
        _ = settings
        _ = fontSize
        _ = size
    }
}

// Sources/CofferSettings/Settings.swift
struct Example122 {
    func run() async throws {
        try settings.register(default: 16, for: fontSize)
    }
}

// Sources/CofferSettings/Settings.swift
struct Example123 {
    func run() async throws {
        try settings.removeAll(except: ["fontSize", "theme"])
    }
}

// Sources/CofferSettings/Settings.swift
struct Example124 {
    func run() async throws {
        try await settings.update { draft throws(SettingsError) in
            try draft.set(draft.value(for: launches) + 1, for: launches)
        }
    }
}

// Sources/CofferSettings/SettingsBackend.swift
struct Example125 {
    func run() async throws {
        let settings = Settings(backend: InMemorySettings())
        _ = settings
    }
}

// Sources/CofferSettings/SettingsBackend.swift
struct Example126 {
    func run() async throws {
        let content = try InMemorySettings().read()
        print(content.values.keys.sorted())
        _ = content
    }
}

// Sources/CofferSettings/SettingsBackend.swift
struct Example127 {
    func run() async throws {
        let backend = InMemorySettings()
        let isSame = try backend.stamp() == backend.read().stamp
        _ = backend
        _ = isSame
    }
}

// Sources/CofferSettings/SettingsChanges.swift
struct Example128 {
    func run() async throws {
        for await change in settings.changes() where change.names.contains("theme") { redraw() }
    }
}

// Sources/CofferSettings/SettingsChanges.swift
struct Example129 {
    func run() async throws {
        for await change in settings.changes() { print(change.names) }
    }
}

// Sources/CofferSettings/SettingsDraft.swift
struct Example130 {
    func run() async throws {
        try await settings.update { (draft) throws(SettingsError) in
            try draft.set(try draft.value(for: launches) + 1, for: launches)
        }
    }
}

// Sources/CofferSettings/SettingsError.swift
struct Example131 {
    func run() async throws {
        do { try await settings.flush() } catch where error.code == .busy { showBusy() }
    }
}

// Sources/CofferSettings/SettingsJSON.swift
struct Example132 {
    func run() async throws {
        let migration = SettingsMigration(from: 1) { json in
            json["fontSize"] = json["size"] ?? 12
            json["size"] = nil
        }
        _ = migration
    }
}

// Sources/CofferSettings/SettingsLimits.swift
struct Example133 {
    func run() async throws {
        let fits = fontSize.name.utf8.count <= SettingsLimits.name
        _ = fits
    }
}

// Sources/CofferSettings/SettingsMigration.swift
struct Example134 {
    func run() async throws {
        let migration = SettingsMigration(from: 1) { json in
            json["fontSize"] = json["size"] ?? 12
            json["size"] = nil
        }
        _ = migration
    }
}

// Sources/CofferSettings/SettingsMigration.swift
struct Example135 {
    func run() async throws {
        let migration = SettingsMigration(from: 2, PreferencesV2.self) { old in PreferencesV3(fontSize: Double(old.fontSize)) }
        _ = migration
    }
}

// Sources/CofferSettings/VersionedSettings.swift
struct Example136 {
    struct Preferences: Codable, Sendable { var fontSize = 12.0; var recentFiles: [URL] = [] }
    func run() async throws {
        let preferences = VersionedSettings(
            suite: "com.example.app.preferences", version: 3, default: Preferences(),
            migrations: [
                SettingsMigration(from: 1) { json in json["fontSize"] = json["size"] },
                SettingsMigration(from: 2, PreferencesV2.self) { old in Preferences(fontSize: Double(old.fontSize)) },
            ])
        try await preferences.update { $0.fontSize = 14 }
        let size = try await preferences.load().fontSize
        _ = preferences
        _ = size
    }
}

// Sources/CofferSync/FirstSync.swift
struct Example137 {
    func run() async throws {
        let settings = SyncedSettings(service: "com.example.app", firstSync: .remote)
        _ = settings
    }
}

// Sources/CofferSync/FirstSync.swift
struct Example138 {
    func run() async throws {
        let longest = FirstSync.merge { name, local, remote in
            guard case .array(let here) = local, case .array(let there) = remote else { return remote }
            return here.count > there.count ? local : remote
        }
        _ = longest
    }
}

// Sources/CofferSync/RecordStrategy.swift
struct Example139 {
    func run() async throws {
        let strategy = RecordStrategy<Note>.merge { mine, theirs in
            Note(title: [theirs.title, mine.title].sorted().joined(separator: " / "))
        }
        _ = strategy
    }
}

// Sources/CofferSync/SyncLimits.swift
struct Example140 {
    func run() async throws {
        let fits = fontSize.name.utf8.count <= SyncLimits.name
        _ = fits
    }
}

// Sources/CofferSync/SyncedRecords.swift
struct Example141 {
    func run() async throws {
        let notes = SyncedRecords<Note>(keychain: Keychain(service: "com.example.notes"), strategy: .lastWriter)
        try await notes.save(Note(title: "Milk"), as: "shopping")
        try await notes.decide()
        let note = try await notes.record("shopping")
        _ = notes
        _ = note
    }
}

// Sources/CofferSync/SyncedSettings.swift
struct Example142 {
    func run() async throws {
        let settings = SyncedSettings(service: "com.example.app")
        let fontSize = SettingKey("fontSize", default: 12)
        try settings.set(14, for: fontSize)
        let size = try settings.value(for: fontSize)   // 14, at once
        for await change in settings.changes() where change.names.contains("fontSize") { layout(size) }
        _ = settings
        _ = fontSize
        _ = size
    }
}

// Sources/CofferSync/SyncedSettings.swift
struct Example143 {
    func run() async throws {
        do { try await synced.synchronize() } catch where error.code == .locked { showLogin() }
    }
}

// Sources/CofferSync/SyncedSettingsChange.swift
struct Example144 {
    func run() async throws {
        for await change in synced.changes() where change.names.contains("fontSize") { redraw() }
    }
}

// Sources/CofferSync/SyncedSettingsChange.swift
struct Example145 {
    func run() async throws {
        var changes = synced.changes().makeAsyncIterator()
        let first = await changes.next()
        _ = first
    }
}

// Sources/CofferSync/SyncedSettingsChange.swift
struct Example146 {
    func run() async throws {
        var changes = synced.changes().makeAsyncIterator()
        while let change = await changes.next() { print(change.names) }
    }
}

// Sources/CofferCaches/KeychainCache.swift
struct Example147 {
    func run() async throws {
        let profiles = KeychainCache<Profile>(name: "profiles", keychain: keychain, lifetime: .seconds(86400))
        try await profiles.set(profile, for: "42")
        let stored = try await profiles.value(for: "42")
        _ = profiles
        _ = stored
    }
}

// Sources/CofferCaches/LRUCache.swift
struct Example148 {
    func run() async throws {
        let pictures = LRUCache<String, [UInt8]>(limits: CacheLimits(count: 200, cost: 32 << 20))
        pictures.set(bytes, for: "me", cost: bytes.count)
        let picture = pictures.value(for: "me")
        _ = pictures
        _ = picture
    }
}

// Sources/CofferCaches/MemoryCache.swift
struct Example149 {
    func run() async throws {
        let limits = CacheLimits(count: 100, cost: 1 << 20)
        _ = limits
    }
}

// Sources/CofferCaches/RemoteSource.swift
struct Example150 {
    struct Profiles: RemoteSource {
        func fetch(_ ids: [String]) async throws -> [String: Profile] { try await mailServer.profiles(ids) }
        func send(_ profiles: [String: Profile]) async throws { try await mailServer.store(profiles) }
    }
}

// Sources/CofferCaches/RemoteSource.swift
struct Example151 {
    func run() async throws {
        let source = ClosureSource { (id: String) in try await mailServer.profile(id) }
        _ = source
    }
}

// Sources/CofferCaches/RemoteSource.swift
struct Example152 {
    func send(_ values: [String: Profile]) async throws { throw ReadOnlySource() }
}

// Sources/CofferCaches/Repository.swift
struct Example153 {
    func run() async throws {
        let profile = try await profiles.value(for: "42", policy: .networkFirst)
        _ = profile
    }
}

// Sources/CofferCaches/Repository.swift
struct Example154 {
    func run() async throws {
        let profiles = Repository(
            source: ClosureSource { (id: String) in try await mailServer.profile(id) },
            cache: TTLCache(lifetime: .seconds(300)))
        let profile = try await profiles.value(for: "42")                      // the cache, then the source
        let newest = try await profiles.value(for: "42", policy: .networkFirst)  // also works offline
        let forced = try await profiles.refresh("42")
        _ = profiles
        _ = profile
        _ = newest
        _ = forced
    }
}

// Sources/CofferCaches/Repository.swift
struct Example155 {
    func warm(_ cache: some ValueCache<String, Profile>) async throws {
        try await cache.keep(["42": profile])
    }
}

// Sources/CofferCaches/TTLCache.swift
struct Example156 {
    func run() async throws {
        let answers = TTLCache<String, Answer>(lifetime: .seconds(300))
        answers.set(answer, for: url)
        answers.set(answer, for: other, lifetime: .seconds(10))
        let cached = answers.value(for: url)   // nil after 300 seconds
        _ = answers
        _ = cached
    }
}

// Sources/CofferSessions/CredentialSession+Reading.swift
struct Example157 {
    func run() async throws {
        if try await session.state() == .needsRefresh { showBusy() }
    }
}

// Sources/CofferSessions/CredentialSession+Reading.swift
struct Example158 {
    func run() async throws {
        let login = try await session.load([.userName, .password], reason: "Sign you in")
        _ = login
    }
}

// Sources/CofferSessions/CredentialSession+Refresh.swift
struct Example159 {
    func run() async throws {
        let token = try await session.accessToken(reason: "Fetch your mail") { refreshToken in
            try await mailServer.exchange(refreshToken)
        }
        _ = token
    }
}

// Sources/CofferSessions/CredentialSession+Refresh.swift
struct Example160 {
    func run() async throws {
        let tokens = try await session.refresh { refreshToken in
            try await mailServer.exchange(refreshToken)
        }
        _ = tokens
    }
}

// Sources/CofferSessions/CredentialSession.swift
struct Example161 {
    func run() async throws {
        let session = CredentialSession(
            keychain: Keychain(service: "com.example.app"),
            access: [.password: .whenUnlocked.thisDeviceOnly.requiring(.userPresence)])
        try await session.save(Credentials(accessToken: "a", refreshToken: "r", userID: "42"))
        if try await session.isLoggedIn {
            let credentials = try await session.load([.accessToken], reason: "Fetch your mail")
            await mailServer.fetch(credentials)
        }
        try await session.logout()
        _ = session
    }
}

// Sources/CofferSessions/Credentials.swift
struct Example162 {
    func run() async throws {
        try await session.save(Credentials(accessToken: "a1", refreshToken: "r1", userID: "42"))
    }
}

// Sources/CofferSessions/Credentials.swift
struct Example163 {
    func run() async throws {
        let credentials = Credentials(accessToken: "a1", refreshToken: "r1", userID: "42")
        _ = credentials
    }
}

// Sources/CofferSessions/Credentials.swift
struct Example164 {
    func run() async throws {
        let tokens = SessionTokens(accessToken: "a2", expires: Date(timeIntervalSinceNow: 3600))
        _ = tokens
    }
}

// Sources/CofferSessions/Credentials.swift
struct Example165 {
    func run() async throws {
        let tokens = SessionTokens(accessToken: "a2", expires: Date(timeIntervalSinceNow: 3600))
        _ = tokens
    }
}

// Sources/CofferSessions/Credentials.swift
struct Example166 {
    func run() async throws {
        let session = CredentialSession(keychain: keychain, access: [.refreshToken: .whenUnlocked.thisDeviceOnly])
        _ = session
    }
}

// Sources/CofferSessions/ServiceLifeCycle.swift
struct Example167 {
    func run() async throws {
        let life = ServiceLifeCycle(
            keychain: keychain, sessions: [session],
            personal: [profiles],          // a Repository
            lasting: [users])              // a HybridStore
        try await life.logout()              // users stay
        try await life.deleteEverything()    // nothing stays
        _ = life
    }
}

// Sources/CofferSessions/ServiceLifeCycle.swift
struct Example168 {
    func run() async throws {
        do throws(ServiceDeletionError) {
            try await lifeCycle.deleteEverything()
        } catch {
            for failure in error.failures { print(failure.error) }
        }
    }
}

// Sources/CofferFiles/Folders/ProtectedDirectory.swift
struct Example169 {
    func run() async throws {
        let documents = ProtectedFiles(service: "com.example.notes", directory: .documents)
        let exports = ProtectedFiles(service: "com.example.notes", directory: .custom("/srv/notes"))
        _ = documents
        _ = exports
    }
}

// Sources/CofferFiles/Hybrid/HybridRecord.swift
struct Example170 {
    struct User: HybridRecord {
        var token: String?
        var theme = "light"
        var picture: [UInt8]?

        static let fields: [HybridField<User>] = [
            .secret("token", \.token, access: .whenUnlocked.requiring(.userPresence)),
            .setting("theme", \.theme),
            .file("picture", \.picture),
        ]
    }
}

// Sources/CofferFiles/Hybrid/HybridRecord.swift
struct Example171 {
    func run() async throws {
        let token = HybridField<User>.secret("token", \.token)
        _ = token
    }
}

// Sources/CofferFiles/Hybrid/HybridStore.swift
struct Example172 {
    func run() async throws {
        let users = HybridStore(
            User.self, name: "user", keychain: keychain, settings: settings, files: files)
        try await users.save(User(token: "s3cret", theme: "dark", picture: picture))
        let user = try await users.load(reason: "Show your account")
        try await users.delete()
        _ = users
        _ = user
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Listing.swift
struct Example173 {
    func run() async throws {
        for file in try await files.list() where !file.isFolder { print(file.path, file.size) }
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Listing.swift
struct Example174 {
    func run() async throws {
        for file in try await files.list(in: "notes") where !file.isFolder { print(file.name, file.size) }
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Listing.swift
struct Example175 {
    func run() async throws {
        if try await files.exists("notes/today.json") { show("notes/today.json") }
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Listing.swift
struct Example176 {
    func run() async throws {
        let age = Date.now.timeIntervalSince(try await files.info(of: "notes/today.json").modified)
        _ = age
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Listing.swift
struct Example177 {
    func run() async throws {
        let bytes = try await files.size(of: "backup.tar")
        _ = bytes
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Listing.swift
struct Example178 {
    func run() async throws {
        let date = try await files.modified(of: "backup.tar")
        _ = date
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Listing.swift
struct Example179 {
    func run() async throws {
        if try await caches.directorySize() > 100 << 20 { try await caches.deleteAll() }
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Moving.swift
struct Example180 {
    func run() async throws {
        try await files.move("notes/draft.json", to: "notes/final.json", reason: "Rename your note")
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Reading.swift
struct Example181 {
    func run() async throws {
        let picture = try await files.read("pictures/profile.png", reason: "Show your picture")
        _ = picture
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Reading.swift
struct Example182 {
    func run() async throws {
        let note = try await files.read("notes/today.json", as: Note.self)
        _ = note
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Reading.swift
struct Example183 {
    func run() async throws {
        for try await part in files.chunks(of: "recording.wav") { await player.play(part) }
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Reading.swift
struct Example184 {
    func run() async throws {
        try await files.export("backup.tar", toDescriptor: STDOUT_FILENO, reason: "Restore the backup")
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Removing.swift
struct Example185 {
    func run() async throws {
        try await files.delete("notes/today.json")
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Removing.swift
struct Example186 {
    func run() async throws {
        try await files.delete(["notes/today.json", "notes/yesterday.json"])
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Removing.swift
struct Example187 {
    func run() async throws {
        try await files.createDirectory("notes/2026")
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Removing.swift
struct Example188 {
    func run() async throws {
        try await files.removeDirectory("notes/2025", recursively: true)
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Removing.swift
struct Example189 {
    func run() async throws {
        try await ProtectedFiles(service: "com.example.notes", directory: .caches).deleteAll()
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Sweeping.swift
struct Example190 {
    func run() async throws {
        let removed = try await files.sweep()
        _ = removed
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Writing.swift
struct Example191 {
    func run() async throws {
        try await files.write(Array(picture), to: "pictures/profile.png")
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Writing.swift
struct Example192 {
    func run() async throws {
        try await files.write(value: Note(title: "Today"), to: "notes/today.json")
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Writing.swift
struct Example193 {
    func run() async throws {
        try await files.write(from: download, to: "backup.tar")
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Writing.swift
struct Example194 {
    func run() async throws {
        var writer = try await files.writer(to: "recording.wav", access: .afterFirstUnlock)
        while let samples = await microphone.next() { try await writer.write(samples) }
        try await writer.finish()
    }
}

// Sources/CofferFiles/Operations/ProtectedFiles+Writing.swift
struct Example195 {
    func run() async throws {
        do { try await files.write(from: download, to: "picture.png") } catch {
            if case .source(let reason) = error { print("the download failed: \(reason)") }
        }
    }
}

// Sources/CofferFiles/ProtectedFiles.swift
struct Example196 {
    func run() async throws {
        let files = ProtectedFiles(service: "com.example.notes", directory: .documents)
        try await files.write(value: Note(title: "Today"), to: "notes/today.json", access: .whenUnlocked.requiring(.userPresence))
        let note = try await files.read("notes/today.json", as: Note.self, reason: "Show your note")
        _ = files
        _ = note
    }
}

// Sources/CofferFiles/Streams/ProtectedFileChunks.swift
struct Example197 {
    func run() async throws {
        var digest = Digest()
        for try await part in files.chunks(of: "backup.tar", reason: "Check the backup") {
            digest.update(part)
        }
    }
}

// Sources/CofferFiles/Streams/ProtectedFileWriter.swift
struct Example198 {
    func run() async throws {
        var writer = try await files.writer(to: "backup.tar")
        for try await part in download { try await writer.write(part) }
        try await writer.finish()
    }
}

// Sources/CofferConfiguration/KeychainProvider+Watching.swift
struct Example199 {
    func run() async throws {
        try await secrets.run { _ = try? await secrets.preload() }
    }
}

// Sources/CofferConfiguration/KeychainProvider.swift
struct Example200 {
    func run() async throws {
        let secrets = KeychainProvider(Keychain(service: "com.example.server"))
        let config = ConfigReader(providers: [secrets, EnvironmentVariablesProvider()])
        let password = try await config.fetchRequiredString(forKey: "database.password")
        _ = secrets
        _ = config
        _ = password
    }
}

// Sources/CofferConfiguration/ValueConversion.swift
struct Example201 {
    func explain(_ error: any Error) {
        if let error = error as? ConversionError { print("check the secret \(error.account)") }
    }
}

// Sources/CofferTestKit/InMemory/InMemoryCircle.swift
struct Example202 {
    func run() async throws {
        let circle = InMemoryCircle()
        let desk = InMemoryKeychain(), laptop = InMemoryKeychain()
        circle.join(desk, as: "desk")
        circle.join(laptop, as: "laptop")
        try await Keychain(service: "com.example.app", backend: desk).set("token", for: "me")
        circle.exchange()
        let token = try await Keychain(service: "com.example.app", backend: laptop).string(for: "me")
        _ = circle
        _ = desk
        _ = token
    }
}

// Sources/CofferTestKit/InMemory/InMemoryKeychain.swift
struct Example203 {
    func run() async throws {
        let backend = InMemoryKeychain(password: "s3cret", person: .answers("s3cret"))
        let keychain = Keychain(service: "com.example.app", backend: backend)
        try await keychain.set("token", for: "me", access: .whenUnlocked.requiring(.userPresence))
        #expect(try await keychain.string(for: "me") == "token")
        #expect(backend.shownMessages.last?.isHidden == true)
        _ = backend
        _ = keychain
    }
}

// Sources/CofferTestKit/InMemory/Question.swift
struct Example204 {
    func run() async throws {
        let keychain = Keychain(service: "test", backend: InMemoryKeychain(person: .givesUp))
        _ = keychain
    }
}

// Sources/CofferTestKit/Sandbox/SandboxBroker.swift
struct Example205 {
    func run() async throws {
        let sandbox = try await SandboxBroker()
        let keychain = Keychain(
            service: "com.example.app", prompts: .handler { $0.wantsAnswer ? SandboxBroker.password : nil },
            backend: sandbox.backend)
        try await keychain.set("token", for: "me", access: .whenUnlocked.requiring(.userPresence))
        #expect(try await keychain.string(for: "me") == "token")
        await sandbox.stop()
        _ = sandbox
        _ = keychain
    }
}

// Sources/CofferTestKit/Sandbox/SandboxBroker.swift
struct Example206 {
    func run() async throws {
        let sandbox = try await SandboxBroker()
        let keychain = Keychain(service: "com.example.app", backend: sandbox.backend)
        try await sandbox.restartBroker()
        #expect(try await keychain.status().state == .sealed)
        _ = sandbox
        _ = keychain
    }
}

// Sources/CofferTestKit/Sandbox/SandboxBroker.swift
struct Example207 {
    func run() async throws {
        do { try await SandboxBroker().stop() } catch { print("is Coffer installed? \(error)") }
    }
}
