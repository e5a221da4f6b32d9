import Testing

@testable import Coffer
@testable import CofferSettings

private struct First: Codable, Sendable, Equatable { var size: Int }

private struct Second: Codable, Sendable, Equatable {
    var fontSize: Int
    var name: String?
}

private struct Third: Codable, Sendable, Equatable {
    var fontSize = 12.0
    var name = "none"
}

@Suite struct VersionedSettingsTests {
    private struct Failure: Error {}

    private let fixture: SettingsFixture
    private static let renamed = SettingsMigration(from: 1) { json in
        json["fontSize"] = json["size"]
        json["size"] = nil
    }
    private static let widened = SettingsMigration(from: 2, Second.self) { old in
        Third(fontSize: Double(old.fontSize), name: old.name ?? "new")
    }

    init() throws { fixture = try SettingsFixture() }

    private func preferences(_ migrations: [SettingsMigration] = [widened, renamed]) -> VersionedSettings<Third> {
        VersionedSettings(backend: fixture.backend(), version: 3, default: Third(), migrations: migrations)
    }

    @Test func loadSaveAndChangeAPart() async throws {
        #expect(try await preferences().load() == Third())
        #expect(try await preferences().update { $0.fontSize = 14 } == Third(fontSize: 14))
        try await preferences().update { $0.name = "a" }
        #expect(try await preferences().load() == Third(fontSize: 14, name: "a"))
        try await preferences().save(Third(name: "b"))
        #expect(try await preferences().load() == Third(name: "b"))
        try await preferences().reset()
        #expect(try await preferences().load() == Third())
    }

    @Test func oldVersionsAreBroughtForwardOnce() async throws {
        let first = VersionedSettings(backend: fixture.backend(), version: 1, default: First(size: 9))
        try await first.save(First(size: 20))
        #expect(try await preferences().load() == Third(fontSize: 20, name: "new"))
        // Now it is stored, so that no step is needed.
        #expect(try await preferences([]).load() == Third(fontSize: 20, name: "new"))
        #expect(await asyncCode { _ = try await first.load() } == .newerVersion)
        #expect(await asyncCode { _ = try await first.save(First(size: 1)) } == .newerVersion)
        #expect(await asyncCode { _ = try await first.update { $0.size = 1 } } == .newerVersion)
        #expect(await asyncCode { try await first.reset() } == .newerVersion)
        #expect(try await preferences([]).load() == Third(fontSize: 20, name: "new"))
    }

    @Test func aChangeBringsForwardToo() async throws {
        let second = VersionedSettings(backend: fixture.backend(), version: 2, default: Second(fontSize: 1))
        try await second.save(Second(fontSize: 7))
        #expect(try await preferences().update { $0.name = "x" } == Third(fontSize: 7, name: "x"))
    }

    /// Otherwise what is stored could never be loaded.
    @Test(arguments: [0, -1]) func aVersionBelowTheFirstIsNotStored(_ version: Int) async throws {
        let none = VersionedSettings(backend: fixture.backend(), version: version, default: First(size: 9))
        #expect(await asyncCode { try await none.save(First(size: 1)) } == .notStorable)
        #expect(await asyncCode { try await none.update { $0.size = 1 } } == .notStorable)
        #expect(try fixture.backend().read().values.isEmpty)
        #expect(try await none.load() == First(size: 9))
    }

    @Test func aStepThatFailsOrIsMissingLeavesTheFile() async throws {
        let first = VersionedSettings(backend: fixture.backend(), version: 1, default: First(size: 9))
        try await first.save(First(size: 20))
        let text = try fixture.text()
        let failing = SettingsMigration(from: 2) { _ in throw Failure() }
        let wrong = SettingsMigration(from: 2) { $0 = ["fontSize": "large"] }
        for steps in [[], [Self.renamed], [Self.widened], [Self.renamed, failing], [Self.renamed, wrong]] {
            #expect(await asyncCode { _ = try await preferences(steps).load() } == .migrationFailed)
            #expect(await asyncCode { _ = try await preferences(steps).update { $0.name = "x" } } == .migrationFailed)
            #expect(try fixture.text() == text)
        }
        #expect(try await first.load() == First(size: 20))
    }

    @Test func aChangeThatThrowsStoresNothing() async throws {
        let refused = await asyncCode {
            try await preferences().update { (model) throws(SettingsError) in
                model.name = "x"
                throw SettingsError(.notStorable, "no")
            }
        }
        #expect(refused == .notStorable)
        #expect(await asyncCode { try await preferences().update { $0.fontSize = .nan } } == .notStorable)
        #expect(try await preferences().load() == Third())
    }

    private static let wrong: [[String: SettingsJSON]] = [
        ["version": "3"], ["version": 0], ["a": 1], ["version": 3], ["version": 3, "preferences": []],
    ]

    @Test(arguments: wrong)
    func whatIsNoPreferencesIsAnErrorAndNotADefault(_ values: [String: SettingsJSON]) async throws {
        let preferences = VersionedSettings(backend: InMemorySettings(values), version: 3, default: Third())
        #expect(await asyncCode { _ = try await preferences.load() } == .wrongType)
        #expect(await asyncCode { _ = try await preferences.update { $0.name = "x" } } == .wrongType)
    }
}
