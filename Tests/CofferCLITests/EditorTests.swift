import BrokerProtocol
import Foundation
import Glibc
import Item
import TestSupport
import Testing

@testable import coffer_cli

/// A value in an editor: its file is in memory and in nobody else's reach, and is gone afterwards, however the editor or `coffer` ends.
@Suite struct EditorTests {
    /// - Parameter act: what the editor does, a shell script; the file is `$1`.
    private func fixture(_ act: String, value: String = "old", require: [AccessControl.Requirement] = []) throws
        -> FakeCoffer
    {
        var item = FakeCoffer.item(require: require)
        item.revision = "r7"
        var fixture = try FakeCoffer(broker: [
            "Show": [FakeCoffer.absent], "Get": [FakeCoffer.value(Array(value.utf8), item)],
            "Set": [FakeCoffer.stored()],
            "History": [.answer(Keychain.History.Reply(item: item, versions: []))],
        ])
        try fixture.scratch.program(
            "ed1", "#!/bin/sh\ndirname \"$1\" >\(fixture.scratch.file("folder"))\n\(act)\n")
        fixture.program.environment["EDITOR"] = fixture.scratch.file("ed1")
        return fixture
    }

    private func folder(_ fixture: FakeCoffer) throws -> String {
        String(decoding: try fixture.scratch.contents("folder"), as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    private func stored(_ fixture: FakeCoffer) throws -> String? {
        try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self).flatMap {
            Data(base64Encoded: $0.value).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private func isGone(_ folder: String) -> Bool {
        let limit = ContinuousClock.now + patience
        while FileManager.default.fileExists(atPath: folder) {
            if ContinuousClock.now > limit { return false }
            // There is no event for what another process removes.
            usleep(10_000)
        }
        return true
    }

    private static let writings: [(String, String, String)] = [
        // An editor that writes the file in place, and one that puts a new one in its place.
        ("printf 'new\\n' >\"$1\"", "old", "new"),
        ("printf 'new\\n' >\"$1.part\" && mv \"$1.part\" \"$1\"", "old", "new"),
        ("cp \"$1\" \"$1~\"; printf 'a\\nb\\n' >\"$1\"", "old", "a\nb"),
        ("printf 'a\\nb\\n' >\"$1\"", "x\ny\n", "a\nb\n"),
        ("printf 'z' >>\"$1\"", "x", "xz"),
    ]

    /// On a machine or in a container without one.
    @Test(.enabled(if: geteuid() == 0, "namespaces need root"))
    func withoutAFolderInMemoryNothingIsRead() throws {
        let fixture = try fixture("exit 0")
        var program = fixture.program
        program.executable = "/usr/bin/unshare"
        // Nobody can make files there.
        let result = try program.run(
            "--mount", "/bin/sh", "-c", "mount --bind /proc /dev/shm && exec \"$0\" edit github me --value",
            Program.path)
        #expect(result.status == 1 && result.errors.contains("there is no folder in memory"), "\(result)")
        #expect(fixture.broker.calls("Get").isEmpty)
    }

    @Test(arguments: writings)
    func whatIsSavedIsStored(act: String, before: String, after: String) throws {
        let fixture = try fixture(act, value: before)
        let result = try fixture.program.run("edit", "github", "me", "--value")
        #expect(result.status == 0, "\(result)")
        #expect(try stored(fixture) == after)
        let call = try #require(try fixture.broker.calls("Set").first?.parameters(Keychain.Set.self))
        #expect(call.ifRevision == "r7" && call.access == nil && call.label == nil)
        #expect(try !FileManager.default.fileExists(atPath: folder(fixture)))
    }

    @Test(arguments: [("one\n", "one"), ("a\nb\n", "a\nb\n"), ("one", "one")])
    func aNewValueIsWritten(text: String, after: String) throws {
        let fixture = try fixture("printf '\(text.replacing("\n", with: "\\n"))' >\"$1\"")
        let result = try fixture.program.run("set", "github", "me", "--editor")
        #expect(result.status == 0, "\(result)")
        #expect(try stored(fixture) == after)
    }

    /// The folder is this user's alone and in memory, and no other program's.
    @Test func nobodyElseCanReadTheFile() throws {
        let fixture = try fixture("stat -c '%a %U' \"$1\" \"${1%/*}\"; stat -f -c %T \"$1\"; ls -A \"${1%/*}\"; exit 1")
        let result = try fixture.program.run("edit", "github", "me", "--value")
        let lines = result.text.split(separator: "\n").map(String.init)
        try #require(lines.count == 4, "\(result)")
        let user = String(decoding: Data(NSUserName().utf8), as: UTF8.self)
        #expect(lines[0] == "600 \(user)" && lines[1] == "700 \(user)")
        #expect(["tmpfs", "ramfs"].contains(lines[2]) && lines[3] == "value")
        #expect(try !FileManager.default.fileExists(atPath: folder(fixture)))
    }

    private static let nothing: [(String, Int32, String)] = [
        ("exit 3", 1, "the editor ended with status 3"), ("rm \"$1\"", 1, "left no file"),
        (":", 0, "Nothing was changed"),
        (": >\"$1\"", 1, "the file is empty"), ("rm \"$1\"; ln -s /etc/hostname \"$1\"", 1, "left no file"),
        ("kill -9 $$", 1, "status 137"), ("head -c 1048577 /dev/zero >\"$1\"", 1, "larger than 1 MiB"),
    ]

    @Test(arguments: nothing)
    func nothingIsStored(act: String, status: Int32, words: String) throws {
        let fixture = try fixture(act)
        let result = try fixture.program.run("edit", "github", "me", "--value")
        #expect(result.status == status && result.errors.contains(words), "\(result)")
        #expect(fixture.broker.calls("Set").isEmpty)
        #expect(try !FileManager.default.fileExists(atPath: folder(fixture)))
    }

    /// Neither the end of the editor nor that of `coffer` leaves the file.
    @Test(arguments: ["KILL", "TERM", "HUP"])
    func theFileGoesWithCoffer(signal: String) throws {
        let fixture = try fixture(
            "sleep 6000 >/dev/null 2>&1 </dev/null & echo $! >sleeper; kill -\(signal) $PPID; exit 0")
        var shell = fixture.program
        shell.executable = "/bin/sh"
        let result = try shell.run(
            "-c",
            "cd \(fixture.scratch.path); \(Program.path) edit github me --value; status=$?; kill $(cat sleeper); exit $status"
        )
        #expect(result.status > 128, "\(result)")
        #expect(isGone(try folder(fixture)))
        #expect(fixture.broker.calls("Set").isEmpty)
    }

    /// What a person has written is nowhere else, so they may go on with it.
    @Test(arguments: [("y\r", "old one two", 0), ("n\r", nil, 1)] as [(String, String?, Int32)])
    func aTextThatCannotBeStoredIsEditedAgain(answer: String, after: String?, status: Int32) throws {
        var item = FakeCoffer.item()
        item.revision = "r7"
        var fixture = try FakeCoffer(broker: [
            "Show": [FakeCoffer.absent], "Get": [FakeCoffer.value(Array("old".utf8), item)],
            "Set": [.fault(.changed, .init(message: "it was changed meanwhile")), FakeCoffer.stored()],
            "History": [.answer(Keychain.History.Reply(item: item, versions: []))],
        ])
        try fixture.scratch.program(
            "ed1", "#!/bin/sh\nif grep -q one \"$1\"; then printf ' two' >>\"$1\"; else printf ' one' >>\"$1\"; fi\n")
        fixture.program.environment["EDITOR"] = fixture.scratch.file("ed1")
        let result = try fixture.program.run(
            "edit", "github", "me", "--value", input: .terminal, output: .terminal,
            turns: [.init(wait: "Edit the text again? [y/N] ", type: answer)])
        #expect(result.status == status, "\(result)")
        let calls = try fixture.broker.calls("Set").compactMap { try $0.parameters(Keychain.Set.self) }
        #expect(calls.first?.ifRevision == "r7")
        guard let after else { return #expect(calls.count == 1) }
        // The person was told, so what another program has stored meanwhile is replaced.
        #expect(calls.count == 2 && calls.last?.ifRevision == nil)
        let value = calls.last.flatMap { Data(base64Encoded: $0.value) }.map { String(decoding: $0, as: UTF8.self) }
        #expect(value == after)
    }

    @Test func anotherValueMeanwhileIsNamed() throws {
        var item = FakeCoffer.item()
        item.revision = "r7"
        var fixture = try FakeCoffer(broker: [
            "Get": [FakeCoffer.value(Array("old".utf8), item)],
            "Set": [.fault(.changed, .init(message: "it was changed"))],
            "History": [.answer(Keychain.History.Reply(item: item, versions: []))],
        ])
        try fixture.scratch.program("ed1", "#!/bin/sh\nprintf new >\"$1\"\n")
        fixture.program.environment["EDITOR"] = fixture.scratch.file("ed1")
        let result = try fixture.program.run("edit", "github", "me", "--value")
        #expect(result.status == 1, "\(result)")
        #expect(
            result.errors.contains("github/me was changed meanwhile, so nothing was stored; run the command again"),
            "\(result)")
    }

    @Test(arguments: [
        ("new\r\n", "old", "new"), ("new\r\n", "", "new"), ("new\r\n", "old\r", "new\r"),
        ("a\r\nb\r\n", "a\r\n", "a\r\nb\r\n"),
    ])
    func aLineEndOfTwoBytesIsDroppedWhole(edited: String, before: String, after: String) {
        let left = EditedValue.withoutAddedNewline(Array(edited.utf8), before: Array(before.utf8))
        #expect(String(decoding: left, as: UTF8.self) == after)
    }

    @Test func onlyAMemoryFolderIsUsed() throws {
        var fixture = try fixture(":")
        fixture.program.environment["XDG_RUNTIME_DIR"] = fixture.scratch.path
        _ = try fixture.program.run("edit", "github", "me", "--value")
        #expect(try folder(fixture).hasPrefix("/dev/shm/coffer-edit-"))
    }

    @Test(arguments: ["code --wait", "/usr/local/bin/codium", "vi; rm -rf x", "no-such-editor", "$(id)"])
    func someEditorsAreNotStarted(editor: String) throws {
        var fixture = try fixture(":")
        fixture.program.environment["PATH"] = "\(fixture.scratch.path):/usr/bin:/bin"
        for name in ["code", "codium"] { try fixture.scratch.program(name, "#!/bin/sh\nexit 0\n") }
        fixture.program.environment["EDITOR"] = editor
        let result = try fixture.program.run("edit", "github", "me", "--value")
        #expect(result.status == 1, "\(result)")
        // Nobody was asked for a value that no editor would show.
        #expect(fixture.broker.calls("Get").isEmpty)
    }

    @Test func anUnknownEditorIsWarnedOf() throws {
        let fixture = try fixture(":")
        #expect(try fixture.program.run("edit", "github", "me", "--value").errors.contains("ed1 may keep copies"))
    }

    @Test func whatIsNoTextIsNotEdited() throws {
        var fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value([0xFF, 0x41])]])
        fixture.program.environment["EDITOR"] = "/bin/true"
        let result = try fixture.program.run("edit", "github", "me", "--value")
        #expect(result.status == 1 && result.errors.contains("is not text"), "\(result)")
    }

    /// The real editor, with a configuration that keeps everything it can.
    @Test func vimLeavesNothingBehind() throws {
        var fixture = try fixture(":")
        let home = fixture.scratch.file("home")
        try FileManager.default.createDirectory(atPath: home + "/keep", withIntermediateDirectories: true)
        try Data(
            """
            set nocompatible backup writebackup updatecount=1
            silent! set undofile undodir=\(home)/keep viminfo='100,<50
            set backupdir=\(home)/keep directory=\(home)/keep
            """.utf8
        ).write(to: URL(filePath: home + "/.vimrc"))
        for (name, value) in [("HOME", home), ("TERM", "xterm"), ("EDITOR", "vi")] {
            fixture.program.environment[name] = value
        }
        let result = try fixture.program.run(
            "edit", "github", "me", "--value", input: .terminal, output: .terminal,
            turns: [.init(wait: "old", type: "ddiCANARY\u{1B}:wq\r")])
        #expect(result.status == 0 && result.errors.hasPrefix("Changed the value of github/me"), "\(result)")
        #expect(try stored(fixture) == "CANARY")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).sorted() == [".vimrc", "keep"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/keep").isEmpty)
    }

    private static let typed: [(String, String, String)] = [
        ("--multiline", "-----BEGIN\rCANARY\r-----END\r\u{4}", "-----BEGIN\nCANARY\n-----END\n"),
        ("--multiline", "CANARY\r\u{4}", "CANARY"), ("--multiline", "a\rCANARY\u{4}", "a\nCANARY"),
        ("--multiline=.", "a\r\rCANARY\r.\r", "a\n\nCANARY\n"), ("--multiline", ".\rCANARY\r\u{4}", ".\nCANARY\n"),
    ]

    @Test(arguments: typed)
    func severalLinesAreTypedHidden(option: String, keys: String, value: String) throws {
        let fixture = try fixture(":")
        let result = try fixture.program.run(
            "set", "github", "me", option, input: .terminal, turns: [.init(wait: ":\r\n", type: keys)])
        #expect(result.status == 0, "\(result)")
        #expect(!result.screen.contains("CANARY") && result.screen.contains(" byte") && result.echoes)
        #expect(try stored(fixture) == value)
    }

    @Test(arguments: ["\u{3}", "\u{4}", "a\r\u{3}"])
    func linesCanBeGivenUp(keys: String) throws {
        let fixture = try fixture(":")
        let result = try fixture.program.run(
            "set", "github", "me", "--multiline", input: .terminal, turns: [.init(wait: ":\r\n", type: keys)])
        #expect(result.status != 0 && fixture.broker.calls("Set").isEmpty && result.echoes)
    }
}
