import Coffer
import Glibc

/// Walks through everything that an application stores, row by row, against a running broker, and checks each result.
///
/// It deletes what it finds under its services, so it refuses every broker but a sandbox:
/// ```
/// scripts/sandbox start ~/coffer-sandbox --software && . ~/coffer-sandbox/env
/// swift run --package-path Examples tour
/// ```
@main
struct Tour {
    static let rows: [any Row] = [
        Row01KeychainManager(), Row02KeychainErrors(), Row03AuthenticationManager(), Row04BiometricKeychain(),
        Row05AccessGroups(), Row06LifeCycle(), Row07TypedSettings(), Row08VersionedPreferences(), Row09FileStorage(),
        Row11Caches(), Row12StorageAdvice(), Row13Testability(), Row18HybridStore(),
    ]

    static func main() async {
        do {
            guard try await Keychain(service: TourRow.prefix).status().isSandbox else {
                return fail("this broker is no sandbox; run: scripts/sandbox start ~/coffer-sandbox --software")
            }
            for row in rows {
                say("\(row.number). \(row.title)")
                let stage = TourRow(row: row.number)
                try await stage.cleanUp()
                try await row.run(stage)
                try await stage.cleanUp()
            }
            say("Every verb of \(rows.count) rows did what it says.")
        } catch {
            fail("\(error)")
        }
    }

    private static func fail(_ message: String) {
        say("tour: FAILED: \(message)")
        exit(1)
    }
}

/// Prints a line, which is seen at once, also through a pipe.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// One system that the tour shows.
protocol Row: Sendable {
    var number: Int { get }
    var title: String { get }
    func run(_ stage: TourRow) async throws
}
