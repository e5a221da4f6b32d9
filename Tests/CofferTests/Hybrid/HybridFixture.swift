import Coffer
import CofferSettings
import Foundation
import Platform
import Synchronization

@testable import CofferFiles

/// A person of an application. The parts tell by which save they were written.
struct Person: HybridRecord, Equatable {
    var token: String?
    var password: String?
    var theme = "light"
    var nickname: String?
    var picture: [UInt8]?
    var notes: [String] = []

    static let fields: [HybridField<Person>] = [
        .secret("token", \.token),
        .secret("password", \.password, access: .whenUnlocked.requiring(.userPresence)),
        .setting("theme", \.theme),
        .setting("nickname", \.nickname),
        .file("picture", \.picture),
        .file("notes", \.notes, access: .afterFirstUnlock),
    ]

    init() {}

    /// All parts name the same number.
    init(_ number: Int) {
        token = "token \(number)"
        password = "password \(number)"
        theme = "theme \(number)"
        nickname = number % 2 == 0 ? nil : "nickname \(number)"
        picture = Array(repeating: UInt8(truncatingIfNeeded: number), count: 70_000)
        notes = ["note \(number)"]
    }
}

/// The program ends here.
struct Crash: Error {}

/// The three stores of a record.
final class HybridFixture: Sendable {
    let backend = ScriptedBackend()
    let settings = InMemorySettings()
    let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/coffer-hybrid-\(UUID().uuidString.prefix(13))"
        try Folder.make(folder, mode: 0o700)
    }

    deinit {
        // If the folder cannot be removed, a test that has ended can do nothing about it.
        try? FileManager.default.removeItem(atPath: folder)
    }

    var keychain: Keychain { Keychain(service: "app", backend: backend) }
    var files: ProtectedFiles { ProtectedFiles(keychain: keychain, directory: .custom(folder)) }

    /// A store as another process would have it.
    func store<Record: HybridRecord>(
        _ type: Record.Type = Person.self, name: String = "user", crash: HybridStep? = nil
    ) -> HybridStore<Record> {
        HybridStore(
            type, name: name, keychain: keychain, settings: Settings(backend: settings, batch: .seconds(3600)),
            files: files
        ) { step in
            if step == crash { throw Crash() }
        }
    }

    /// What the stores hold: items without those of files, settings, files.
    func traces() async throws -> [String] {
        let items = try await keychain.accounts().map { "item \($0)" }
        let names = try Settings(backend: settings).names().map { "setting \($0)" }
        let paths = try await files.list(recursively: true).filter { !$0.isFolder }
            .map { "file \($0.path.prefix { $0 != "-" })" }
        return items + names + paths
    }
}
