import BrokerProtocol
import Foundation
import TestSupport
import Testing

/// Keys that are meant for the editor, and the program that removes its folder.
@Suite struct EditorKeysTests {
    /// The terminal sends a key's signal to the editor and to `coffer`. What the person has written would be lost with `coffer`.
    @Test(arguments: ["INT", "QUIT"]) func aKeyInTheEditorDoesNotEndCoffer(signal: String) throws {
        var item = FakeCoffer.item()
        item.revision = "r7"
        var fixture = try FakeCoffer(broker: [
            "Get": [FakeCoffer.value(Array("old".utf8), item)], "Set": [FakeCoffer.stored()],
            "History": [.answer(Keychain.History.Reply(item: item, versions: []))],
        ])
        fixture.program.environment["EDITOR"] = try fixture.scratch.program(
            "ed1", "#!/bin/sh\nkill -\(signal) $PPID\nprintf new >\"$1\"\n")
        let result = try fixture.program.run("edit", "github", "me", "--value")
        #expect(result.status == 0, "\(result)")
        let stored = try fixture.broker.calls("Set").map { try $0.parameters(Keychain.Set.self)?.value }
        #expect(stored == [Data("new".utf8).base64EncodedString()])
    }

    /// The command removes a folder with all that is in it, and everybody can call it.
    @Test func onlyAnEditorsFolderIsRemoved() throws {
        let fixture = try FakeCoffer()
        let (keep, folder) = (fixture.scratch.file("keep"), fixture.scratch.file("coffer-edit-1"))
        for path in [keep, folder] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try Data("x".utf8).write(to: URL(filePath: path + "/value"))
        }
        for path in [keep, folder + "/../keep"] {
            let refused = try fixture.program.run("edit-clean", path)
            #expect(refused.status == 64, "\(path): \(refused)")
        }
        #expect(FileManager.default.fileExists(atPath: keep + "/value"))
        let done = try fixture.program.run("edit-clean", folder)
        #expect(done.status == 0, "\(done)")
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(FileManager.default.fileExists(atPath: keep + "/value"))
    }
}
