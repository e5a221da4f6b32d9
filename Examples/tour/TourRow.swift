import Coffer
import CofferFiles
import CofferSessions
import CofferSettings
import Foundation

/// What the verbs of a row need: a service of their own, and a person who answers prompts.
struct TourRow: Sendable {
    static let prefix = "com.example.tour"

    let service: String
    let person = Person()

    init(row: Int) { service = "\(Self.prefix).row\(row)" }

    /// The row's keychain in the vault of the user who runs the tour.
    var keychain: Keychain { Keychain(service: service, prompts: person.prompts) }

    /// Does one verb, and says so if all of its expectations hold.
    func verb(_ words: String, _ body: () async throws -> Void) async throws {
        do { try await body() } catch { throw Failure(words, error) }
        say("   ok  \(words)")
    }

    /// Removes what a tour that failed has left.
    func cleanUp() async throws {
        try await ServiceLifeCycle(
            keychain: keychain,
            lasting: [
                Settings(suite: service), ProtectedFiles(keychain: keychain, directory: .documents),
                ProtectedFiles(keychain: keychain, directory: .support),
                ProtectedFiles(keychain: keychain, directory: .caches),
                ProtectedFiles(keychain: keychain, directory: .temporary),
            ]
        ).deleteEverything()
    }

    /// Runs with an empty folder of its own.
    func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "coffer-tour-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // `try?`: a folder that stays behind is in the temporary directory.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ verb: String, _ error: any Error) { description = "\(verb): \(error)" }
    }
}
