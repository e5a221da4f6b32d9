import Coffer
import CofferSync
import CofferTestKit
import Testing

/// Two machines change the same record at the same time, of two services and of two classes.
struct ForeignConflictTests {
    private let circle = InMemoryCircle()
    private let backends = [InMemoryKeychain(), InMemoryKeychain()]

    init() {
        circle.join(backends[0], as: "desk")
        circle.join(backends[1], as: "laptop")
    }

    private func keychain(_ place: Int, _ service: String, _ itemClass: ItemClass) -> Keychain {
        Keychain(service: service, itemClass: itemClass, backend: backends[place])
    }

    private func save(_ text: String, _ place: Int) async throws {
        for service in ["notes", "other"] {
            for itemClass in [ItemClass.genericPassword, .key] {
                try await SyncedRecords<String>(keychain: keychain(place, service, itemClass)).save(text, as: "n")
            }
        }
    }

    /// Each application decides about its own records. Another one has another strategy, or leaves it to a person.
    @Test func conflictsOfOtherServicesAndClassesAreLeft() async throws {
        try await save("before", 0)
        circle.exchange()
        try await save("desk", 0)
        try await save("laptop", 1)
        circle.exchange()
        let own = keychain(0, "notes", .genericPassword)
        try #require(try await backends[0].conflicts(in: .own).count == 4)
        #expect(try await own.conflicts().map(\.name) == [own.name("n")])
        #expect(try await SyncedRecords<String>(keychain: own).decide() == ["n"])
        #expect(try await own.conflicts().isEmpty)
        #expect(try await backends[0].conflicts(in: .own).count == 3)
    }
}
