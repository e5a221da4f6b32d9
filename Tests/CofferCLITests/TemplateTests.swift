import BrokerProtocol
import Foundation
import TestSupport
import Testing

@testable import coffer_cli

/// `coffer inject` fills in all secrets, or writes nothing.
@Suite struct TemplateTests {
    private func parts(_ text: String) throws -> [Template.Part] { try Template(parsing: Array(text.utf8)).parts }

    private func text(_ text: String) -> Template.Part { .text(Array(text.utf8)) }

    private func secret(_ text: String) throws -> Template.Part { .secret(try SecretReference(parsing: text)) }

    @Test func references() throws {
        let one = try secret("coffer://a/b")
        #expect(try parts("x {{ coffer://a/b }} y") == [text("x "), one, text(" y")])
        #expect(try parts("{{coffer://a/b}}{{\tcoffer://a/b\t}}") == [one, one])
        #expect(try parts("{{{coffer://a/b}}}") == [text("{"), one, text("}")])
    }

    /// Other programs use double braces, too.
    @Test(arguments: ["", "{", "{{", "{{ x }}", "{{ .Values.a }}", "a\\b", "\\{{ x }}", "{{ \"coffer://a\" }}", "}}"])
    func otherTextStays(template: String) throws {
        #expect(try parts(template) == (template.isEmpty ? [] : [text(template)]))
    }

    @Test func backslashes() throws {
        let one = try secret("coffer://a")
        #expect(try parts("\\{{ coffer://a }}") == [text("{{ coffer://a }}")])
        #expect(try parts("\\\\{{coffer://a}}") == [text("\\"), one])
        #expect(try parts("\\\\\\{{coffer://a}}") == [text("\\{{coffer://a}}")])
    }

    @Test(
        arguments: [
            ("{{ coffer://a/b", 1, 1), ("\n é{{ coffer://a/b\n}}", 2, 3), ("\n é{{ coffer://a/b/c/d }}", 2, 6),
            ("{{ COFFER://a }}", 1, 4), ("{{coffer:/a}}", 1, 3), ("{{ coffer://a }", 1, 1),
            ("{{ coffer://a b }}", 1, 4),
        ])
    func mistakesHaveAPlace(template: String, line: Int, column: Int) throws {
        let mistake = try #require(throws: Template.Mistake.self) { try parts(template) }
        #expect((mistake.line, mistake.column) == (line, column))
    }

    private func fixture(_ values: [String: String]) throws -> FakeCoffer {
        try FakeCoffer(broker: [
            "Get": values.map {
                .answer(
                    Keychain.Get.Reply(value: Data($1.utf8).base64EncodedString(), item: FakeCoffer.item($0, "a")))
            }
        ])
    }

    /// A value cannot have another secret filled in.
    @Test func aValueIsNotReadAsATemplate() throws {
        let fixture = try fixture(["s": "{{ coffer://other/secret }}\n"])
        let result = try fixture.program.run("inject", input: .bytes(Array("a={{ coffer://s/a }};".utf8)))
        #expect(result.text == "a={{ coffer://other/secret }};", "\(result.errors)")
        #expect(fixture.broker.calls("Get").count == 1)
    }

    @Test func nothingIsWrittenUnlessAllIsRead() throws {
        let fixture = try FakeCoffer(broker: ["GetAll": [FakeCoffer.absent], "Get": [FakeCoffer.absent]])
        let file = fixture.scratch.file("out")
        let template = Array("a {{ coffer://s/a }} b {{ coffer://t/a }}".utf8)
        let result = try fixture.program.run("inject", input: .bytes(template))
        #expect(result.status == 3)
        #expect(result.output.isEmpty)
        #expect(try fixture.program.run("inject", "--out", file, input: .bytes(template)).status == 3)
        #expect(
            try !FileManager.default.contentsOfDirectory(atPath: fixture.scratch.path).contains {
                $0.hasPrefix("out") || $0.hasSuffix(".writing")
            })
    }

    /// Nobody is asked for a text that has no place, and the error names what the person named.
    @Test func aPlaceThatCannotBeWrittenIsNoticedFirst() throws {
        let fixture = try fixture(["s": "hunter2"])
        let template = Program.Input.bytes(Array("{{ coffer://s/a }}".utf8))
        for (place, reason) in [
            (fixture.scratch.file("nowhere/x"), "No such file or directory"),
            (fixture.scratch.file(String(repeating: "n", count: 256)), "File name too long"),
        ] {
            let result = try fixture.program.run("inject", "--out", place, input: template)
            #expect(result.status == 1)
            #expect(
                result.errors == "coffer: \(place) cannot be written: \(reason); name another file after --out\n",
                "\(result)")
        }
        #expect(fixture.broker.calls("Get").isEmpty && fixture.broker.calls("GetAll").isEmpty)
    }

    /// Another user than root, who may write everywhere.
    @Test(.enabled(if: geteuid() == 0, "only root can become other users"))
    func aFolderOfOthersIsNoticedFirst() throws {
        let scratch = try Scratch()
        var program = Program(environment: ["COFFER_SOCKET": scratch.file("nobody.sock")], scratch: scratch)
        // The build folder may be closed to others.
        let coffer = scratch.file("coffer")
        try Script.copy(Program.path, to: coffer)
        program.executable = "/usr/bin/setpriv"
        let become = ["--reuid=65533", "--regid=65533", "--clear-groups"]
        let template = Program.Input.bytes(Array("{{ coffer://s/a }}".utf8))
        // One that takes files, and shows none, cannot be synced.
        let dropBox = scratch.file("drop")
        try FileManager.default.createDirectory(atPath: dropBox, withIntermediateDirectories: false)
        unsafe chmod(dropBox, 0o1733)
        for place in [scratch.file("x"), dropBox + "/x"] {
            let result = try program.run(become + [coffer, "inject", "--out", place], input: template)
            #expect(result.status == 1)
            #expect(
                result.errors
                    == "coffer: \(place) cannot be written: Permission denied; name another file after --out\n",
                "\(result)")
        }
    }

    /// A name of 255 bytes leaves no room for anything behind it.
    @Test func theLongestNameIsWritten() throws {
        let fixture = try fixture(["s": "hunter2"])
        let name = String(repeating: "n", count: 255)
        let result = try fixture.program.run(
            "inject", "--out", fixture.scratch.file(name), input: .bytes(Array("{{ coffer://s/a }}".utf8)))
        #expect(result.status == 0, "\(result.errors)")
        #expect(try fixture.scratch.contents(name) == Array("hunter2".utf8))
    }

    /// For Unicode, the slash before such a name and the mark are one character. The text is written beside its place
    /// all the same, and not in the folder above, which is on another file system.
    @Test func aNameMayBeginWithAMark() throws {
        let fixture = try fixture(["s": "hunter2"])
        let path = "/dev/shm/\u{301}coffer-test-\(UUID().uuidString)"
        // `try?`: it may not have been made.
        defer { try? FileManager.default.removeItem(atPath: path) }
        let result = try fixture.program.run(
            "inject", "--out", path, input: .bytes(Array("{{ coffer://s/a }}".utf8)))
        #expect(result.status == 0, "\(result)")
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("hunter2".utf8))
    }

    @Test func aFileIsReplacedWholeAndIsItsOwners() throws {
        let fixture = try fixture(["s": "hunter2"])
        let file = fixture.scratch.file("target")
        try Data("before, and longer than after".utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let result = try fixture.program.run(
            "inject", "--out", file, input: .bytes(Array("pw={{ coffer://s/a }}\n".utf8)))
        #expect(result.status == 0, "\(result.errors)")
        #expect(try fixture.scratch.contents("target") == Array("pw=hunter2\n".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func onlyAFileIsReplaced() throws {
        let fixture = try fixture(["s": "hunter2"])
        let (link, template) = (fixture.scratch.file("link"), fixture.scratch.file("template"))
        // No device of this machine's: a product that replaced it would take it from all programs.
        let pipe = fixture.scratch.file("pipe")
        let made = unsafe mkfifo(pipe, 0o600)
        #expect(made == 0)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: pipe)
        try Data("{{ coffer://s/a }}".utf8).write(to: URL(filePath: template))
        for target in [link, pipe, fixture.scratch.path, template] {
            let result = try fixture.program.run("inject", "--in", template, "--out", target)
            #expect(result.status == 64, "\(target)")
        }
        #expect(fixture.broker.calls("Get").isEmpty)
    }

    /// A template that is gone cannot be filled in again.
    @Test func aTemplateIsNotReplacedByWhatBecomesOfIt() throws {
        let fixture = try fixture(["s": "hunter2"])
        let (link, template) = (fixture.scratch.file("link"), fixture.scratch.file("template"))
        let text = Data("{{ coffer://s/a }}".utf8)
        try text.write(to: URL(filePath: template))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: template)
        var shell = fixture.program
        shell.executable = "/bin/sh"
        for (words, input) in [
            ("--in \(link)", "/dev/null"), ("", template), ("", link), ("--in /dev/stdin", template),
        ] {
            let result = try shell.run(
                "-c", "\(Program.path) inject \(words) --out \(template) <\(input)")
            #expect(result.status == 64, "\(words) <\(input): \(result)")
            #expect(result.errors.contains("are the same file"), "\(result)")
        }
        #expect(try Data(contentsOf: URL(filePath: template)) == text)
        #expect(fixture.broker.calls("Get").isEmpty)
        // Another file, by a pipe as well.
        let piped = try shell.run("-c", "cat \(template) | \(Program.path) inject --out \(template).filled")
        #expect(piped.status == 0, "\(piped)")
    }

    /// Attacker 7: few bytes that would become many.
    @Test func aTextThatGrowsTooLongIsRefused() throws {
        let fixture = try fixture(["s": String(repeating: "x", count: 1 << 20)])
        let template = String(repeating: "{{coffer://s/a}}", count: 65)
        let result = try fixture.program.run("inject", input: .bytes(Array(template.utf8)))
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("longer than 64 MiB"))
    }

    @Test func moreSecretsThanACommandReadsAreRefused() throws {
        let fixture = try fixture([:])
        let template = (0...1024).map { "{{coffer://s/a\($0)}}" }.joined()
        let result = try fixture.program.run("inject", input: .bytes(Array(template.utf8)))
        #expect(result.status == 1)
        #expect(result.errors.contains("more than 1024 secrets"))
        #expect(fixture.broker.calls("GetAll").isEmpty)
    }
}
