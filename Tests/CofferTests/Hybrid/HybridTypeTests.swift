import Coffer
import CofferSettings
import Testing

@testable import CofferFiles

/// Versions of a program that give a field another type.
struct HybridTypeTests {
    let fixture: HybridFixture

    init() throws { fixture = try HybridFixture() }

    struct SecretText: HybridRecord {
        var value: String?
        static let fields: [HybridField<SecretText>] = [.secret("value", \.value)]
    }

    struct SecretNumber: HybridRecord {
        var value = 7
        static let fields: [HybridField<SecretNumber>] = [.secret("value", \.value)]
    }

    struct FileText: HybridRecord {
        var value: String?
        static let fields: [HybridField<FileText>] = [.file("value", \.value)]
    }

    struct FileNumber: HybridRecord {
        var value = 7
        static let fields: [HybridField<FileNumber>] = [.file("value", \.value)]
    }

    struct SettingText: HybridRecord {
        var value: String?
        static let fields: [HybridField<SettingText>] = [.setting("value", \.value)]
    }

    struct SettingNumber: HybridRecord {
        var value = 7
        static let fields: [HybridField<SettingNumber>] = [.setting("value", \.value)]
    }

    @Test(
        "A part of another type, or an empty one, is an error, and no default takes its place", arguments: ["x", nil])
    func otherType(text: String?) async throws {
        try await fixture.store(SecretText.self).save(SecretText(value: text))
        #expect(await keychainCode { _ = try await fixture.store(SecretNumber.self).load() } == .notDecodable)
        try await fixture.store(FileText.self).save(FileText(value: text))
        #expect(await keychainCode { _ = try await fixture.store(FileNumber.self).load() } == .notDecodable)
        // The settings are those of the manifest, because the save has not written them.
        await #expect(throws: Crash.self) {
            try await fixture.store(SettingText.self, crash: .committed).save(SettingText(value: text))
        }
        #expect(await keychainCode { _ = try await fixture.store(SettingNumber.self).load() } == .notDecodable)
        #expect(try await fixture.store(SettingText.self).load()?.value == text)
    }

    @Test("A setting of another type is an error")
    func settingOfAnotherType() async throws {
        try await fixture.store(SettingText.self).save(SettingText(value: "x"))
        do {
            _ = try await fixture.store(SettingNumber.self).load()
            Issue.record("a text was loaded as a number")
        } catch { #expect((error as? SettingsError)?.code == .wrongType) }
    }

    @Test("A value that no setting takes is refused before anything is stored")
    func tooLong() async throws {
        let long = String(repeating: "a", count: SettingsLimits.value)
        do {
            try await fixture.store(SettingText.self).save(SettingText(value: long))
            Issue.record("the value was lost")
        } catch { #expect((error as? SettingsError)?.code == .limitExceeded) }
        #expect(try await fixture.traces().isEmpty)
    }

    @Test("A setting that was empty is empty, not its default, until the settings can be written")
    func emptySetting() async throws {
        struct Colored: HybridRecord, Equatable {
            var theme = "light"
            var color: String? = "blue"
            static let fields: [HybridField<Colored>] = [.setting("theme", \.theme), .setting("color", \.color)]
        }
        let saved = Colored(theme: "dark", color: nil)
        await #expect(throws: Crash.self) { try await fixture.store(Colored.self, crash: .committed).save(saved) }
        let settings = Settings(backend: fixture.settings)
        try await settings.update { (draft) throws(SettingsError) in
            for number in 0..<(SettingsLimits.count - 1) {
                try draft.set(number, for: SettingKey("other \(number)", default: 0))
            }
        }
        #expect(try await fixture.store(Colored.self).load() == saved)
    }

    @Test("A setting that was saved as nil is nil, also if the record begins with a value")
    func noSetting() async throws {
        struct Colored: HybridRecord, Equatable {
            var theme = "light"
            var color: String? = "blue"
            static let fields: [HybridField<Colored>] = [.setting("theme", \.theme), .setting("color", \.color)]
        }
        for color in [nil, "red", nil, "blue"] {
            let saved = Colored(theme: "dark", color: color)
            try await fixture.store(Colored.self).save(saved)
            #expect(try await fixture.store(Colored.self).load() == saved)
        }
    }

    @Test("The members of a value have one order, so that equal values are equal bytes")
    func order() throws {
        let value = Dictionary(uniqueKeysWithValues: "hgfedcba".map { (String($0), 1) })
        let text = String(decoding: try HybridJSON.encode(value), as: UTF8.self)
        #expect(text == #"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}"#)
    }
}
