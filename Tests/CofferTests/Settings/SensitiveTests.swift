import Foundation
import Platform
import TestSupport
import Testing

@testable import Coffer
@testable import CofferSettings

private struct Session: Codable, SettingValue {
    var user = "anna"
    @Sensitive var token = "secret-7"
}

private struct Token: Codable, SensitiveValue { var text = "secret-7" }

private struct Devices: Codable, SettingValue { var tokens: [String: [Token?]] = ["a": [Token()]] }

/// Its own type is not sensitive, but some values are.
private struct Marked<RawValue: SettingValue>: RawRepresentable, SettingValue { let rawValue: RawValue }

extension Marked: SensitiveValue where RawValue == String {}

/// An application that would store a secret as a setting, by mistake.
@Suite struct SensitiveTests {
    @Test func aPartThatIsMarkedKeepsTheWholeOut() async throws {
        let fixture = try SettingsFixture()
        let settings = fixture.settings()
        #expect(code { try settings.set(Session(), for: SettingKey("a", default: Session())) } == .sensitive)
        #expect(code { try settings.set([Session()], for: SettingKey("a", default: [])) } == .sensitive)
        #expect(code { try settings.set(Devices(), for: SettingKey("a", default: Devices())) } == .sensitive)
        let marked = Marked(rawValue: "secret-7")
        #expect(code { try settings.set(marked, for: SettingKey("a", default: marked)) } == .sensitive)
        #expect(code { try settings.set([marked], for: SettingKey("a", default: [])) } == .sensitive)
        #expect(code { try settings.set(["b": marked], for: SettingKey("a", default: [:])) } == .sensitive)
        #expect(code { try settings.set(marked, for: SettingKey<Marked<String>?>("a")) } == .sensitive)
        let outer = Marked(rawValue: marked)
        #expect(code { try settings.set(outer, for: SettingKey("a", default: outer)) } == .sensitive)
        #expect(code { try settings.register(default: [marked], for: SettingKey("a", default: [])) } == .sensitive)
        #expect(
            await asyncCode {
                try await settings.update { (draft) throws(SettingsError) in
                    try draft.set([[marked]], for: SettingKey("a", default: []))
                }
            } == .sensitive)
        let preferences = VersionedSettings(backend: fixture.backend(), version: 1, default: Session())
        #expect(await asyncCode { try await preferences.save(Session()) } == .sensitive)
        let whole = VersionedSettings(backend: fixture.backend(), version: 1, default: Sensitive("secret-7"))
        #expect(await asyncCode { try await whole.save(Sensitive("secret-7")) } == .sensitive)
        try settings.set(1, for: SettingKey("b", default: 0))
        try await settings.flush()
        #expect(try settings.names() == ["b"])
        #expect(try !fixture.text().contains("secret-7"))
    }

    /// Its own `encode(to:)` is called without the encoder's containers.
    @Test func noWayAroundTheContainers() {
        struct Wrapper: Encodable {
            @Sensitive var token = "secret-7"
            func encode(to encoder: any Encoder) throws { try _token.encode(to: encoder) }
        }
        #expect(code { _ = try SettingsEncoder.encode(Wrapper()) } == .sensitive)
    }

    @Test func otherStoresTakeItAndNothingShowsIt() throws {
        let data = try JSONEncoder().encode(Session())
        #expect(String(decoding: data, as: UTF8.self).contains("secret-7"))
        #expect(try JSONDecoder().decode(Session.self, from: data).token == "secret-7")
        let token = Sensitive("secret-7")
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped, "\(Session())"] {
            #expect(!text.contains("secret-7"))
        }
    }

    /// Compiles small programs against the library that this test was built with.
    @Test func aMarkedValueDoesNotCompileAsASetting() throws {
        let fixture = try SettingsFixture()
        let preamble = """
            import Coffer
            import CofferSettings
            struct Token: Codable, SensitiveValue { var text = "" }
            let settings = Settings(backend: InMemorySettings())

            """
        let plain = "try settings.set(1, for: SettingKey(\"a\", default: 0))"
        #expect(try compiles(in: fixture, preamble + plain) == nil)
        let marked = "try settings.set(Sensitive(1), for: SettingKey(\"a\", default: Sensitive(0)))"
        #expect(try compiles(in: fixture, preamble + marked)?.contains("store a sensitive value in a keychain") == true)
        let wrapped = "struct P { @Setting(\"a\", default: Sensitive(\"\"), in: settings) var a: Sensitive<String> }"
        #expect(
            try compiles(in: fixture, preamble + wrapped)?.contains("store a sensitive value in a keychain") == true)
        #expect(try compiles(in: fixture, preamble + "let key = SettingKey(\"a\", default: Token())") != nil)
        for others in ["", "Codable, "] {
            let raw = "struct Raw: \(others)RawRepresentable, SettingValue, SensitiveValue { let rawValue: String }"
            #expect(
                try compiles(in: fixture, preamble + raw)?.contains("store a sensitive value in a keychain") == true)
        }
    }

    /// - Returns: the compiler's errors; nil if there are none.
    private func compiles(in fixture: SettingsFixture, _ source: String) throws -> String? {
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let products = URL(fileURLWithPath: bundle).deletingLastPathComponent().path
        try source.write(toFile: fixture.folder + "/main.swift", atomically: false, encoding: .utf8)
        let compiler = try Subprocess(
            "/usr/bin/env",
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-I", products + "/Modules", "-I",
                SourceTree.path("Sources/CLinux"), "-module-cache-path", fixture.folder + "/cache",
                fixture.folder + "/main.swift",
            ]
        ) {
            $0.output = .file(fixture.folder + "/out")
            $0.errors = .output
        }
        let status = try compiler.wait(until: .now + .seconds(600))
        let text = try String(contentsOfFile: fixture.folder + "/out", encoding: .utf8)
        return status == 0 ? nil : text
    }
}
