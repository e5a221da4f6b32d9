import Foundation
import TestSupport
import Testing

/// Every reader of input from outside gets content that looks right and is not: the product's own output with fields
/// changed, doubled, cut, or taken from others (attackers 5 and 7). No case may end the process, and no case may be
/// believed. `make fuzz SECONDS=60` continues from other seeds.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct FuzzTests {
    /// The readers, and how many cases of each `make test` tries.
    enum Reader: String, CaseIterable, Codable, Sendable {
        case notes, registry, vault, decoders, wire, broker, authenticator, settings, suites, tpm, arguments, files,
            credentials, imports, age
        case references, secrets, bus, agent

        var target: (kind: any FuzzTarget.Type, cases: Int) {
            switch self {
            case .notes: (NoteTarget.self, 1000)
            case .registry: (RegistryTarget.self, 1000)
            case .vault: (VaultTarget.self, 200)
            case .decoders: (DecoderTarget.self, 4000)
            case .wire: (WireTarget.self, 2000)
            case .broker: (BrokerTarget.self, 1000)
            case .authenticator: (AuthenticatorTarget.self, 300)
            case .settings: (SettingsTarget.self, 2000)
            case .suites: (SuiteTarget.self, 2000)
            case .tpm: (TPMTarget.self, 100)
            case .arguments: (ArgumentTarget.self, 2000)
            case .files: (ProtectedFileTarget.self, 1000)
            case .credentials: (CredentialTarget.self, 2000)
            case .imports: (ImportTarget.self, 4000)
            case .age: (AgeTarget.self, 2000)
            case .references: (ReferenceTarget.self, 4000)
            case .secrets: (SecretTarget.self, 2000)
            case .bus: (BusTarget.self, 200)
            case .agent: (AgentTarget.self, 150)
            }
        }
    }

    /// All of them, or the one that `make fuzz` names.
    private static var readers: [Reader] {
        guard let name = ProcessInfo.processInfo.environment["COFFER_FUZZ_READER"], !name.isEmpty else {
            return Reader.allCases
        }
        return Reader.allCases.filter { $0.rawValue == name }
    }

    @Test(arguments: readers)
    func nothingFromOutsideEndsAProcessOrIsBelieved(_ reader: Reader) async throws {
        let folder = try TemporaryFolder()
        let place = folder.path + "/case"
        let run = FuzzRun.current()
        let result = await #expect(processExitsWith: .success) {
            [reader = reader as Reader, run = run as FuzzRun, place = place as String] in
            let (kind, cases) = reader.target
            try await run.run(kind, cases: cases, place: place)
        }
        guard result == nil || result?.exitStatus != .exitCode(0) else { return }
        // Without a case it has not begun.
        let number = (try? String(contentsOfFile: place, encoding: .utf8)) ?? "none"
        Issue.record(
            "make fuzz READER=\(reader.rawValue) SEED=\(run.seed) CASE=\(number): \(Self.lastWords(place))")
    }

    /// The last output of the process.
    private static func lastWords(_ place: String) -> String {
        // Without them it has not begun.
        String(decoding: (try? Data(contentsOf: FuzzRun.words(place)))?.suffix(4000) ?? Data(), as: UTF8.self)
    }
}
