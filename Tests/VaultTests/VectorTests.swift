import Foundation
import Item
import TestSupport
import Testing

@testable import Vault

/// The vault of Tests/Vectors, which another implementation can be tried on. `verify.py` is one: it was written from
/// docs/vault-format.md alone.
struct VectorTests {
    private static let folder = SourceTree.path("Tests/Vectors")

    /// What both say of a file of vectors; nil if the other implementation finds nothing wrong.
    private func complaint(about path: String) throws -> String? {
        let result = try Tool.run("/usr/bin/python3", [Self.folder + "/verify.py", path])
        return result.status == 0 ? nil : result.output + result.errors
    }

    @Test func anotherImplementationReadsTheVault() throws {
        #expect(try complaint(about: Self.folder + "/format-3.json") == nil)
    }

    /// It would notice another value, so that it proves something.
    @Test func anotherImplementationNoticesAnotherValue() throws {
        let text = try String(contentsOfFile: Self.folder + "/format-3.json", encoding: .utf8)
        let folder = try TemporaryFolder()
        let changed = folder.path + "/changed.json"
        let wrong = text.replacing("\"value\": \"two\"", with: "\"value\": \"three\"")
        #expect(wrong != text)
        try wrong.write(toFile: changed, atomically: true, encoding: .utf8)
        #expect(try complaint(about: changed)?.contains("\"value\": \"two\"") == true)
    }

    @Test func thisImplementationReadsIt() throws {
        let earlier = try EarlierVault(reading: "Tests/Vectors/format-3.json")
        let vault = try earlier.open()
        let report = try vault.verify()
        #expect(report.items == 14 && report.formerValues == 3)
        for (name, value) in [
            "mail": "two", "bank": "b2", "either": "either", "both": "both", "code": "pass", "card": "card",
        ] { #expect(try earlier.value(vault, name, "me") == value, "\(name)") }
        #expect(try earlier.value(vault, "mail", "me", version: 1) == "one")
        #expect(try earlier.value(vault, "bank", "me", version: 1) == "b1")
        for (field, value) in [("pin", "5678"), ("notes", "Ask for Mona"), ("secret", "password")] {
            let field = try #require(FieldName(field))
            #expect(try earlier.value(vault, "github", "octo", field) == value, "\(field)")
        }
        #expect(try earlier.value(vault, "vault", "octo", "pin") == "9999")
        #expect(try earlier.value(vault, "paper", "me", .notes) == "only")
        #expect(try vault.deletedItems().map(\.metadata.service) == ["gone"])
        // It was not touched by that.
        try vault.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: earlier.path)) == earlier.file)
    }
}
