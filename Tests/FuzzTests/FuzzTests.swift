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
            credentials, age
        case references, secrets, bus, agent, circle, member, store
        // What other programs have, by the names that `coffer import` gives them.
        case firefox, chromium, keepassxc, bitwarden
        case onePasswordTable = "1password-csv"
        case onePasswordFile = "1password-1pux"
        case netrc, pass, kwallet, coffer
        case keyring = "gnome-keyring"
        case wallets = "kwallet-service"

        var target: (make: () async throws -> any FuzzTarget, cases: Int) {
            switch self {
            case .notes: (NoteTarget.init, 500)
            case .registry: (RegistryTarget.init, 500)
            case .vault: (VaultTarget.init, 100)
            case .decoders: (DecoderTarget.init, 2000)
            case .wire: (WireTarget.init, 1000)
            case .broker: (BrokerTarget.init, 500)
            case .authenticator: (AuthenticatorTarget.init, 150)
            case .settings: (SettingsTarget.init, 1000)
            case .suites: (SuiteTarget.init, 1000)
            case .tpm: (TPMTarget.init, 100)
            case .arguments: (ArgumentTarget.init, 1000)
            case .files: (ProtectedFileTarget.init, 500)
            case .credentials: (CredentialTarget.init, 1000)
            case .age: (AgeTarget.init, 1000)
            case .references: (ReferenceTarget.init, 2000)
            case .secrets: (SecretTarget.init, 1000)
            case .bus: (BusTarget.init, 100)
            case .agent: (AgentTarget.init, 150)
            case .circle: (CircleTarget.init, 1000)
            case .member: (MemberTarget.init, 40)
            case .store: (StoreTarget.init, 1000)
            case .firefox: ({ try ImportTarget(.firefox) }, 300)
            case .chromium: ({ try ImportTarget(.chromium) }, 300)
            case .keepassxc: ({ try ImportTarget(.keePassXC) }, 300)
            case .bitwarden: ({ try ImportTarget(.bitwarden) }, 300)
            case .onePasswordTable: ({ try ImportTarget(.onePasswordTable) }, 300)
            case .onePasswordFile: ({ try ImportTarget(.onePasswordFile) }, 300)
            case .netrc: ({ try ImportTarget(.netrc) }, 300)
            case .pass: ({ try ImportTarget(.pass) }, 300)
            case .kwallet: ({ try ImportTarget(.kwallet) }, 300)
            case .coffer: ({ try ImportTarget(.coffer) }, 300)
            case .keyring: ({ try await KeyringTarget(.keyring) }, 100)
            case .wallets: ({ try await KeyringTarget(.wallets) }, 100)
            }
        }
    }

    /// The one reader that `make fuzz` names; empty for all.
    private static let chosen = ProcessInfo.processInfo.environment["COFFER_FUZZ_READER"] ?? ""

    private static let readers = Reader.allCases.filter { chosen.isEmpty || $0.rawValue == chosen }

    /// Without it, a name with a slip would try nothing and succeed.
    @Test func theChosenReaderExists() {
        let names = Reader.allCases.map { $0.rawValue }.joined(separator: " ")
        #expect(!Self.readers.isEmpty, "READER=\(Self.chosen) is none of: \(names)")
    }

    @Test(arguments: readers)
    func nothingFromOutsideEndsAProcessOrIsBelieved(_ reader: Reader) async throws {
        let folder = try TemporaryFolder()
        let place = folder.path + "/case"
        let run = FuzzRun.current()
        let result = await #expect(processExitsWith: .success) {
            [reader = reader as Reader, run = run as FuzzRun, place = place as String] in
            let (make, cases) = reader.target
            try await run.run(make, cases: cases, place: place)
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
