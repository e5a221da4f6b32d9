import BrokerProtocol
import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import coffer_cli

/// A secret on the clipboard is cleared by itself, unless something else replaced it.
@Suite struct ClipboardTests {
    /// A clipboard that is a file.
    private func fixture() throws -> FakeCoffer {
        var fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Array("s3cret".utf8))]])
        let board = fixture.scratch.file("board")
        try fixture.scratch.program(
            "wl-copy",
            "#!/bin/sh\n[ \"$1\" != --version ] || exec echo wl-clipboard 2.3.0\necho \"$@ $TMPDIR\" >>\(board).args\ncat >\(board).new && mv \(board).new \(board)\n"
        )
        try fixture.scratch.program("wl-paste", "#!/bin/sh\ncat \(board)\n")
        fixture.program.environment["WAYLAND_DISPLAY"] = "wayland-77"
        fixture.program.environment["PATH"] = "\(fixture.scratch.path):/usr/bin:/bin"
        return fixture
    }

    private func wait(for contents: String, in fixture: FakeCoffer) throws -> Bool {
        let limit = ContinuousClock.now + patience
        while ContinuousClock.now < limit {
            if try fixture.scratch.contents("board") == Array(contents.utf8) { return true }
            // There is no event for another program's file.
            Thread.sleep(forTimeInterval: 0.05)
        }
        return false
    }

    @Test func itIsClearedAfterItsTime() throws {
        let fixture = try fixture()
        let result = try fixture.program.run("get", "github", "me", "--clip=20s")
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
        #expect(result.errors == "Copied github/me; the clipboard is cleared in 20 seconds\n")
        #expect(try fixture.scratch.contents("board") == Array("s3cret".utf8))
        #expect(try wait(for: "", in: fixture))
        let arguments = String(decoding: try fixture.scratch.contents("board.args"), as: UTF8.self)
        #expect(!arguments.contains("s3cret"))
        // It does not guess the kind of the text, keeps it in memory, and tells clipboard managers what it is.
        #expect(arguments.hasPrefix("--type text/plain --sensitive /"), "\(arguments)")
        let folder = arguments.prefix { $0 != "\n" }.split(separator: " ").last.map(String.init) ?? ""
        #expect(MemoryFolder.isInMemory(folder), "\(folder)")
    }

    /// wl-copy before 2.3: it writes what it copies into a folder below `/tmp`, and says what kind of disk that is.
    private func oldTool(_ folder: String) throws {
        let script = """
            #!/bin/sh
            [ "$1" != --version ] || exec echo wl-clipboard 2.1.0
            buffer=$(mktemp -d /tmp/wl-copy-buffer-XXXXXX)
            cat >"$buffer/stdin"
            stat -f -c %T "$buffer" >\(folder)/disk
            echo "$@" >\(folder)/arguments
            cat "$buffer/stdin" >\(folder)/board
            """
        for (name, text) in [("wl-copy", script), ("wl-paste", "#!/bin/sh\ncat \(folder)/board\n")] {
            try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/\(name)")
        }
    }

    /// The folder is not below `/tmp`, because the tool gets one of its own.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = "/var/tmp/coffer-clipboard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        // `try?`: a folder that is not removed does not make the test wrong.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try oldTool(folder)
        try body(folder)
    }

    private func oldClipboard(_ path: String) throws -> FakeCoffer {
        var fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Array("s3cret".utf8))]])
        fixture.program.environment["WAYLAND_DISPLAY"] = "wayland-77"
        fixture.program.environment["PATH"] = path
        return fixture
    }

    @Test func anOlderToolWritesTheSecretToNoDisk() throws {
        try withFolder { folder in
            let fixture = try oldClipboard("\(folder):/usr/bin:/bin")
            let result = try fixture.program.run("get", "github", "me", "--clip=1")
            #expect(result.status == 0, "\(result)")
            #expect(try String(contentsOfFile: "\(folder)/disk", encoding: .utf8) == "tmpfs\n")
            #expect(try String(contentsOfFile: "\(folder)/board", encoding: .utf8) == "s3cret")
            #expect(try String(contentsOfFile: "\(folder)/arguments", encoding: .utf8) == "--type text/plain\n")
            let holders = try Self.processes(of: fixture.scratch)
            for holder in holders { kill(holder, SIGKILL) }
        }
    }

    /// Left out where `/tmp` is in memory, because no tool needs more there.
    @Test(.enabled(if: !MemoryFolder.isInMemory("/tmp"))) func withoutAFolderInMemoryNothingIsRead() throws {
        try withFolder { folder in
            // No unshare there, so no namespace.
            let fixture = try oldClipboard(folder)
            let result = try fixture.program.run("get", "github", "me", "--clip=1")
            #expect(result.status == 1, "\(result)")
            #expect(result.errors.contains("would write the secret to the disk"), "\(result)")
            #expect(fixture.broker.calls("Get").isEmpty)
        }
    }

    @Test(
        arguments: [
            ("wl-clipboard 2.3.0\nCopyright", true), ("wl-clipboard 2.10.1", true), ("wl-clipboard 3.0", true),
            ("wl-clipboard 2.2.1", false), ("wl-clipboard 2.1.0", false), ("wl-clipboard 1.9", false), ("", false),
            ("xclip 2.3", false), ("wl-clipboard 99999999999999999999.3", false),
        ])
    func versionsOfTheTool(text: String, isNew: Bool) { #expect(WaylandBuffer.isNew(version: text) == isNew) }

    /// xclip stays until something replaces what was copied. Neither the caller that copies nor the reader of its
    /// output waits for that.
    @Test func aToolThatStaysIsNotWaitedFor() throws {
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Array("s3cret".utf8))]])
        let board = fixture.scratch.file("board")
        try fixture.scratch.program(
            "xclip",
            """
            #!/bin/sh
            case "$*" in
            *-out*) cat \(board) ;;
            *) cat >\(board); (while [ -e \(board) ] && [ ! -e \(board).over ]; do sleep 0.1; done) & ;;
            esac
            """)
        var shell = fixture.program
        shell.executable = "/bin/sh"
        shell.environment["DISPLAY"] = ":77"
        shell.environment["PATH"] = "\(fixture.scratch.path):/usr/bin:/bin"
        let result = try shell.run("-c", "said=$(\(Program.path) get github me --clip=60m 2>&1); echo \"$? $said\"")
        #expect(result.text == "0 Copied github/me; the clipboard is cleared in 3600 seconds\n")
        #expect(try fixture.scratch.contents("board") == Array("s3cret".utf8))
        try Data().write(to: URL(filePath: board + ".over"))
        // The holder is in no terminal's session, and the value is nowhere that others could read.
        let holders = try Self.processes(of: fixture.scratch)
        #expect(holders.count == 1)
        for holder in holders {
            #expect(getsid(holder) == holder)
            let words = try Data(contentsOf: URL(filePath: "/proc/\(holder)/cmdline"))
            let variables = try Data(contentsOf: URL(filePath: "/proc/\(holder)/environ"))
            #expect((words + variables).range(of: Data("s3cret".utf8)) == nil)
            kill(holder, SIGKILL)
        }
    }

    /// The programs named `coffer` that were started for a test.
    private static func processes(of scratch: Scratch) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { pid in
            // A process that ends meanwhile is not one of these. Another user's is not either.
            guard let words = try? Data(contentsOf: URL(filePath: "/proc/\(pid)/cmdline")),
                let variables = try? Data(contentsOf: URL(filePath: "/proc/\(pid)/environ"))
            else { return false }
            return words.range(of: Data("clipboard-clear".utf8)) != nil
                && variables.range(of: Data(scratch.path.utf8)) != nil
        }
    }

    /// Something that somebody copied meanwhile stays.
    @Test(arguments: [("s3cret", ""), ("s3cret2", "s3cret2"), ("other", "other"), ("s3cre", "s3cre"), ("", "")])
    func onlyWhatWasCopiedIsCleared(board: String, after: String) throws {
        let fixture = try fixture()
        try Data(board.utf8).write(to: URL(filePath: fixture.scratch.file("board")))
        let holder = try fixture.program.run("clipboard-clear", "wl-copy", "1", input: .bytes(Array("s3cret".utf8)))
        #expect(holder.status == 0, "\(holder)")
        #expect(String(decoding: try fixture.scratch.contents("board"), as: UTF8.self) == after)
        // Clearing means copying nothing. If the clipboard holds something else, Coffer does not clear it.
        let copied = FileManager.default.fileExists(atPath: fixture.scratch.file("board.args"))
        #expect(copied == (board == "s3cret"))
    }

    /// The newer of two copies decides when the clipboard is cleared, even if both are of the same secret.
    @Test(arguments: [("mine", true), ("newer", false)]) func aNewerCopyTakesTheClaim(token: String, clears: Bool)
        throws
    {
        var fixture = try fixture()
        fixture.program.environment["XDG_RUNTIME_DIR"] = fixture.scratch.path
        try Data("s3cret".utf8).write(to: URL(filePath: fixture.scratch.file("board")))
        try Data(token.utf8).write(to: URL(filePath: fixture.scratch.file(Self.claim + "7")))
        let holder = try fixture.program.run(
            "clipboard-clear", "wl-copy", "1", ".display.wl-copy.wayland-7", "mine",
            input: .bytes(Array("s3cret".utf8)))
        #expect(holder.status == 0, "\(holder)")
        #expect(try fixture.scratch.contents("board").isEmpty == clears)
    }

    /// The file with the claim to a display, without the display's number.
    private static let claim = "coffer-clipboard.display.wl-copy.wayland-"

    /// The earlier secret is still on the clipboard then, and the process that clears it looks at the claim.
    @Test func aCopyThatFailsLeavesTheClaimToTheOneBefore() throws {
        var fixture = try fixture()
        fixture.program.environment["XDG_RUNTIME_DIR"] = fixture.scratch.path
        let board = fixture.scratch.file("board")
        try fixture.scratch.program(
            "wl-copy",
            """
            #!/bin/sh
            [ "$1" != --version ] || exec echo wl-clipboard 2.3.0
            [ -z "$FAILS" ] || { cat >\(board).not; exit 1; }
            cat >\(board).new && mv \(board).new \(board)
            """)
        #expect(try fixture.program.run("get", "github", "me", "--clip=3").status == 0)
        fixture.program.environment["FAILS"] = "1"
        let failed = try fixture.program.run("get", "github", "me", "--clip=60m")
        #expect(failed.status == 1 && failed.errors.contains("wl-copy failed"), "\(failed)")
        #expect(try wait(for: "", in: fixture))
        for holder in try Self.processes(of: fixture.scratch) { kill(holder, SIGKILL) }
    }

    /// A copy on one display says nothing about what is on another.
    @Test func eachDisplayHasItsOwnClaim() throws {
        var fixture = try fixture()
        fixture.program.environment["XDG_RUNTIME_DIR"] = fixture.scratch.path
        let claims = ["7", "8"].map { URL(filePath: fixture.scratch.file(Self.claim + $0)) }
        for claim in claims { try Data("earlier".utf8).write(to: claim) }
        fixture.program.environment["WAYLAND_DISPLAY"] = "wayland-7"
        #expect(try fixture.program.run("get", "github", "me", "--clip=60m").status == 0)
        #expect(try Data(contentsOf: claims[0]) != Data("earlier".utf8))
        #expect(try Data(contentsOf: claims[1]) == Data("earlier".utf8))
        for holder in try Self.processes(of: fixture.scratch) { kill(holder, SIGKILL) }
    }

    @Test func itIsClearedAlsoWhenTheTerminalHasGone() throws {
        let fixture = try fixture()
        // More than a pipe holds. When all of it is written, the holder has begun to read, and has set up its signals.
        let value = fixture.scratch.file("value")
        try Data(repeating: 65, count: 300_000).write(to: URL(filePath: value))
        try FileManager.default.copyItem(atPath: value, toPath: fixture.scratch.file("board"))
        var program = fixture.program
        program.executable = "/bin/sh"
        let pipe = fixture.scratch.file("pipe")
        let result = try program.run(
            "-c",
            "mkfifo \(pipe); \"$0\" clipboard-clear wl-copy 1 <\(pipe) & exec 3>\(pipe); cat \(value) >&3; kill -HUP $!; exec 3>&-; wait $!",
            Program.path)
        #expect(result.status == 0, "\(result)")
        #expect(try fixture.scratch.contents("board").isEmpty)
    }

    /// Over SSH there is no display, but the terminal has a clipboard.
    @Test func aTerminalsClipboardIsSetAndCleared() throws {
        var fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Array("s3cret".utf8))]])
        fixture.program.environment["TERM"] = "xterm"
        // The end of the terminal is that of the process that clears.
        let result = try fixture.program.run("get", "github", "me", "--clip=1", input: .terminal, turns: [])
        #expect(result.status == 0 && result.output.isEmpty, "\(result)")
        #expect(result.errors == "Copied github/me; the terminal's clipboard is cleared in 1 second\n")
        #expect(result.screen == "\u{1B}]52;c;czNjcmV0\u{7}\u{1B}]52;c;\u{7}")
    }

    @Test func aNewerCopyRestartsATerminalsTime() throws {
        let fixture = try fixture()
        var program = fixture.program
        program.environment["XDG_RUNTIME_DIR"] = fixture.scratch.path
        for (token, output) in [("mine", "\u{1B}]52;c;\u{7}"), ("newer", "")] {
            try Data(token.utf8).write(to: URL(filePath: fixture.scratch.file("coffer-clipboard.dev.pts.1")))
            let holder = try program.run("clipboard-clear", "terminal", "1", ".dev.pts.1", "mine")
            #expect(holder.status == 0 && holder.text == output, "\(holder)")
        }
    }

    @Test(arguments: ["dumb", "linux", ""])
    func aTerminalWithoutAClipboardIsNotUsed(name: String) throws {
        var fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value([1])]])
        fixture.program.environment["TERM"] = name
        let result = try fixture.program.run("get", "github", "me", "--clip", input: .terminal, turns: [])
        #expect(result.status == 1 && result.screen.isEmpty && fixture.broker.calls("Get").isEmpty, "\(result)")
    }

    /// tmux passes the value to its terminal, and keeps none in its buffers.
    @Test func tmuxKeepsNothing() throws {
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Array("s3cret".utf8))]])
        var program = fixture.program
        program.executable = "/usr/bin/tmux"
        program.environment.merge([
            "TERM": "xterm-256color", "HOME": fixture.scratch.path, "TMUX_TMPDIR": fixture.scratch.path,
        ]) {
            $1
        }
        let buffers = fixture.scratch.file("buffers")
        let result = try program.run(
            "-f", "/dev/null", "new-session",
            "\(Program.path) get github me --clip=1 2>\(buffers).said; tmux list-buffers >\(buffers); read line",
            input: .terminal,
            output: .terminal, turns: [.init(wait: "]52;", type: ""), .init(wait: "]52;", type: "\r")])
        #expect(try fixture.scratch.contents("buffers").isEmpty)
        #expect(
            String(decoding: try fixture.scratch.contents("buffers.said"), as: UTF8.self).contains("Copied"),
            "\(result)")
        #expect(result.screen.contains(";czNjcmV0") && result.screen.contains(";IA=="), "\(result.screen)")
    }

    @Test func aGeneratedPasswordIsCopied() throws {
        let fixture = try fixture()
        let fake = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        var program = fixture.program
        program.environment["COFFER_SOCKET"] = fake.program.environment["COFFER_SOCKET"]
        let result = try program.run("set", "github", "me", "--generate", "--clip=30m")
        #expect(
            result.status == 0 && result.errors.hasSuffix("; it is on the clipboard for 1800 seconds\n"), "\(result)")
        let call = try #require(try fake.broker.calls("Set").first?.parameters(Keychain.Set.self))
        #expect(Data(try fixture.scratch.contents("board")).base64EncodedString() == call.value)
        for holder in try Self.processes(of: fixture.scratch) { kill(holder, SIGKILL) }
    }

    /// `--clip 5` takes 5 as the account. If there is no account of that name, Coffer says what was probably meant.
    @Test func aTimeThatWasTakenForAnAccountIsNoticed() throws {
        let absent = try FakeCoffer(broker: ["Get": [FakeCoffer.absent]])
        var program = try fixture().program
        program.environment["COFFER_SOCKET"] = absent.program.environment["COFFER_SOCKET"]
        let result = try program.run("get", "github", "--clip", "5")
        #expect(result.status == 3)
        #expect(result.errors.contains("write --clip=5"))
        #expect(try program.run("get", "github", "5", "--clip").errors.contains("write --clip=5") == false)
    }

    @Test func withoutAClipboardNothingIsRead() throws {
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value([1])]])
        let result = try fixture.program.run("get", "github", "me", "--clip")
        #expect(result.status == 1)
        #expect(result.errors.contains("no usable clipboard"))
        #expect(fixture.broker.calls("Get").isEmpty)
    }
}
