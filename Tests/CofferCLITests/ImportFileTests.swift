import BrokerProtocol
import Foundation
import TestSupport
import Testing

/// What `coffer import` says of a file, and of what it did or would do.
@Suite struct ImportFileTests {
    private static let fields = #""login":{"uris":[{"uri":"https://shop.example"}],"username":"me","password":"pw"}"#
    private static let login = #"{"type":1,"name":"Shop",\#(fields)}"#
    private static let loginWithNote = #"{"type":1,"name":"Shop","notes":"n",\#(fields)}"#
    private static let card = #"{"type":3,"name":"Visa","card":{"number":"4111"}}"#

    private func run(
        _ entries: [String], present: [Keychain.Item] = [], _ options: String...
    ) throws -> Program.Result {
        let fixture = try FakeCoffer(broker: ["List": [.answer(Keychain.ItemsReply(items: present))]])
        let path = fixture.scratch.file("export.json")
        let text = #"{"encrypted":false,"items":[\#(entries.joined(separator: ","))]}"#
        try Data(text.utf8).write(to: URL(filePath: path))
        return try fixture.program.run(["import", "bitwarden", path] + options)
    }

    private static let keep = "not all of it is in your vault, so keep the file until you have the rest"
    private static let remove = "remove it with: rm "

    /// To remove the only copy of what was left out would lose it.
    @Test func aFileIsKeptUntilAllOfItIsInTheVault() throws {
        let complete = try run([])
        #expect(complete.status == 0 && complete.errors.contains(Self.remove), "\(complete)")
        let leftOut = try run([Self.card])
        #expect(leftOut.errors.contains(Self.keep) && !leftOut.errors.contains(Self.remove), "\(leftOut)")
        let guarded = FakeCoffer.item("shop.example", "me", require: [.userPresence])
        let other = try run([Self.login], present: [guarded], "--skip")
        #expect(other.status == 1 && other.errors.contains(Self.keep), "\(other)")
        #expect(!other.errors.contains(Self.remove))
    }

    /// An export counts secrets, and each can have several fields.
    @Test func aSecretWithFieldsCountsOnce() throws {
        let result = try run([Self.loginWithNote], "--dry-run")
        #expect(result.errors.hasSuffix("Would import 1 secret with 2 fields\n"), "\(result)")
    }

    /// A program takes what was imported for done.
    @Test func aTrialSaysWhatItWouldDo() throws {
        struct Line: Decodable { var outcome: String }
        let result = try run([Self.loginWithNote, Self.card], "--dry-run", "--json")
        let lines = try JSONDecoder().decode([Line].self, from: Data(result.output))
        #expect(lines.map(\.outcome) == ["would import", "would import", "left out"], "\(result)")
    }

    @Test func aNameOfAFileIsNotEmpty() throws {
        let program = try FakeCoffer().program
        for words in [["bitwarden", ""], ["coffer", "x", "--identity", ""]] {
            let result = try program.run(["import"] + words)
            #expect(result.status == 64 && result.errors.contains("the file's name must not be empty"), "\(result)")
        }
    }
}
