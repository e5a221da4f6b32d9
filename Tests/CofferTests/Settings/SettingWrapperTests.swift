import Testing

@testable import Coffer
@testable import CofferSettings

@Suite struct SettingWrapperTests {
    private struct Preferences {
        @Setting var size: Int
        @Setting var name: String?
        @Setting var theme: Theme
        @Setting var frame: WindowFrame

        init(_ settings: Settings) {
            _size = Setting(wrappedValue: 12, "size", in: settings)
            _name = Setting("name", in: settings)
            _theme = Setting("theme", default: .light, in: settings)
            _frame = Setting(SettingKey("frame", default: WindowFrame()), in: settings)
        }
    }

    private static let settings = Settings(backend: InMemorySettings())

    /// As a program declares them.
    private struct Declared {
        @Setting("size", in: settings) var size = 12
        @Setting("name", in: settings) var name: String?
        @Setting("theme", default: .light, in: settings) var theme: Theme
    }

    @Test func everyKindOfProperty() async throws {
        let backend = InMemorySettings()
        let preferences = Preferences(Settings(backend: backend, batch: .seconds(3600)))
        #expect(preferences.size == 12)
        #expect(preferences.name == nil)
        #expect(preferences.theme == .light)
        #expect(preferences.frame == WindowFrame())
        preferences.size = 14
        preferences.name = "anna"
        preferences.theme = .dark
        preferences.frame.width = 5
        #expect(preferences.frame.width == 5)
        try await preferences.$size.settings.flush()
        let others = Preferences(Settings(backend: backend))
        #expect(others.size == 14)
        #expect(others.name == "anna")
        #expect(others.theme == .dark)
        #expect(others.frame == WindowFrame(width: 5))
        try others.$size.reset()
        others.name = nil
        try await others.$size.settings.flush()
        #expect(preferences.size == 12)
        #expect(preferences.name == nil)
        let declared = Declared()
        declared.size += 1
        #expect(declared.size == 13)
        #expect(declared.name == nil && declared.theme == .light)
    }

    @Test func anUnreadableValueIsTheDefaultAndTheErrorCanBeHad() throws {
        let backend = InMemorySettings(["size": "large"])
        let preferences = Preferences(Settings(backend: backend))
        #expect(preferences.size == 12)
        #expect(code { _ = try preferences.$size.value() } == .wrongType)
        backend.fail(with: SettingsError(.damaged, "it is damaged"))
        #expect(preferences.theme == .light)
        #expect(code { _ = try preferences.$theme.value() } == .damaged)
    }

    @Test func aValueThatCannotBeSetIsToldAtTheNextFlush() async throws {
        let settings = Settings(backend: InMemorySettings(), batch: .seconds(3600))
        var failures = settings.failures().makeAsyncIterator()
        let preferences = Preferences(settings)
        preferences.name = String(repeating: "a", count: SettingsLimits.value)
        #expect(await failures.next()?.code == .limitExceeded)
        #expect(preferences.name == nil)
        #expect(await asyncCode { try await settings.flush() } == .limitExceeded)
        #expect(await asyncCode { try await settings.flush() } == nil)
    }

    @Test func itsChanges() async throws {
        let backend = InMemorySettings()
        let preferences = Preferences(Settings(backend: backend, batch: .seconds(3600)))
        var sizes = preferences.$size.changes().makeAsyncIterator()
        preferences.name = "x"
        preferences.size = 1
        #expect(await sizes.next() == 1)
        // Only the last of these is of use.
        preferences.size = 2
        preferences.size = 3
        #expect(await sizes.next() == 3)
        try preferences.$size.reset()
        #expect(await sizes.next() == 12)
    }
}
