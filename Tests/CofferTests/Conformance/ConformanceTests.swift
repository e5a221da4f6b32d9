import Coffer
import CofferTestKit
import TestSupport
import Testing

/// The double in memory, a broker with a software sealer, and one with a TPM answer alike, with the same errors.
@Suite(.timeLimit(.minutes(30)))
struct ConformanceTests {
    /// Groups of checks that need the same kind of vault.
    enum Chapter: String, CaseIterable, CustomTestStringConvertible {
        case writing, fields, reading, asking, refusals, locking, finding, limits, history, events, groups

        var testDescription: String { rawValue }

        var checks: [Check] {
            switch self {
            case .writing: writingChecks
            case .fields: fieldChecks
            case .reading: readingChecks
            case .asking: askingChecks
            case .refusals: refusalChecks
            case .locking: lockingChecks
            case .finding: findingChecks
            case .limits: limitChecks
            case .history: historyChecks
            case .events: eventChecks
            case .groups: groupChecks
            }
        }
    }

    @Test("every keychain answers alike", arguments: Place.allCases, Chapter.allCases)
    func conforms(_ place: Place, _ chapter: Chapter) async throws {
        let fixture = try await Fixture(place)
        for check in chapter.checks where check.needs.isDisjoint(with: place.lacks) {
            do { try await check.body(fixture) } catch {
                Issue.record("\(place.rawValue): \(check.title): \(error)")
            }
        }
        await fixture.end()
    }

    @Test("titles of checks are their services, so each is there once")
    func titles() {
        let titles = Chapter.allCases.flatMap(\.checks).map(\.title)
        #expect(Set(titles).count == titles.count)
    }
}
