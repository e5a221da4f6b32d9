import CofferSettings
import CofferTestKit
import Foundation
import Testing

@testable import Coffer
@testable import CofferFiles

/// Records whose settings are large, in a keychain that refuses what a broker refuses.
struct HybridSizeTests {
    let fixture: HybridFixture
    let keychain = Keychain(service: "app", backend: InMemoryKeychain())

    init() throws { fixture = try HybridFixture() }

    struct Texts: HybridRecord, Equatable {
        var one = ""
        var two = ""
        var three = ""
        var note: String?
        static let fields: [HybridField<Texts>] = [
            .setting("one", \.one), .setting("two", \.two), .setting("three", \.three), .file("note", \.note),
        ]
    }

    private func store(crash: HybridStep? = nil) -> HybridStore<Texts> {
        HybridStore(
            Texts.self, name: "texts", keychain: keychain,
            settings: Settings(backend: fixture.settings, batch: .seconds(3600)),
            files: ProtectedFiles(keychain: keychain, directory: .custom(fixture.folder))
        ) { step in
            if step == crash { throw Crash() }
        }
    }

    private func text(_ count: Int) -> String { String(repeating: "?", count: count) }

    @Test("Settings that the settings take are saved, and those of an interrupted save come from the manifest")
    func large() async throws {
        var record = Texts(one: text(140_000), two: text(140_000))
        try await store().save(record)
        #expect(try await store().load() == record)
        record.three = text(250_000)
        let larger = record
        await #expect(throws: Crash.self) { try await store(crash: .committed).save(larger) }
        #expect(try await store().load() == larger)
    }

    @Test("Settings that the manifest has no room for are refused before a file is written")
    func tooLarge() async throws {
        let former = Texts(one: "1", note: "1")
        try await store().save(former)
        let files = ProtectedFiles(keychain: keychain, directory: .custom(fixture.folder))
        let before = try await files.list(recursively: true).map(\.path)
        let large = Texts(one: text(250_000), two: text(250_000), three: text(250_000), note: "2")
        do {
            try await store().save(large)
            Issue.record("it was saved")
        } catch let error as KeychainError {
            #expect(error.code == .limitExceeded)
            #expect(error.message.hasPrefix("the settings one, three, two have 750006 bytes"))
        }
        #expect(try await files.list(recursively: true).map(\.path) == before)
        #expect(try await store().load() == former)
    }

    @Test("A manifest has settings as Base64, and one of numbers is still read")
    func forms() throws {
        let text = #"{"empty":[],"files":{},"revision":"r","secrets":[],"settings":{"theme":[34,100,34]}}"#
        let former = try HybridJSON.decode(HybridManifest.self, Array(text.utf8), "manifest")
        #expect(former.settings["theme"]?.bytes == [34, 100, 34])
        let encoded = String(decoding: try HybridJSON.encode(former), as: UTF8.self)
        #expect(encoded == text.replacing("[34,100,34]", with: #""ImQi""#))
        let again = try HybridJSON.decode(HybridManifest.self, Array(encoded.utf8), "manifest")
        #expect(again.settings["theme"]?.bytes == [34, 100, 34])
        let wrong = Array(encoded.replacing("ImQi", with: "?").utf8)
        #expect(throws: KeychainError.self) { try HybridJSON.decode(HybridManifest.self, wrong, "manifest") }
    }
}
