import BrokerProtocol
import Foundation
import Glibc
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer

/// Where programs run: each place has a way to ask the person, or an error that names one.
@Suite struct ProcessStateTests {
    private static var password: Program.Turn { Program.Turn(wait: "Password: ", type: "CANARY\r") }

    private func fixture() throws -> FakeCoffer { try AgentFixture().coffer }

    private func runsInShell(
        _ fixture: FakeCoffer, _ script: String, shell: String = "/bin/sh", options: [String] = [],
        input: Program.Input = .bytes([]), turns: [Program.Turn]? = nil
    ) throws -> Program.Result {
        var program = fixture.program
        program.executable = shell
        return try program.run(options + ["-c", script, Program.path], input: input, turns: turns)
    }

    /// The prompt takes nothing from standard input, which is for the program that reads it.
    @Test func dataAtStandardInputStaysForItsReader() throws {
        let fixture = try fixture()
        let result = try runsInShell(
            fixture, #""$0" get github me; cat"#, input: .bytes(Array("one\ntwo\n".utf8)), turns: [Self.password])
        #expect(result.status == 0, "\(result)")
        #expect(result.output == AgentFixture.secret + Array("one\ntwo\n".utf8))
        #expect(result.echoes && !result.screen.contains("CANARY"))
    }

    /// What was typed after the answer is for the next program.
    @Test func typingAfterTheAnswerStaysForTheNextProgram() throws {
        let fixture = try fixture()
        let result = try runsInShell(
            fixture, #""$0" get github me >/dev/null; read -r line; printf '%s' "$line""#, input: .terminal,
            turns: [.init(wait: "Password: ", type: "CANARY\rnext\r")])
        #expect(result.text == "next", "\(result)")
    }

    /// It neither stops nor takes what is typed for others.
    @Test func inTheBackgroundOfATerminalItSaysSoAtOnce() throws {
        let fixture = try fixture()
        let result = try runsInShell(
            fixture, #""$0" get github me & wait "$!"; printf '%s' "$?""#, options: ["-m"], turns: [])
        #expect(result.text == "4", "\(result)")
        #expect(
            result.errors.contains(
                "github/me needs authentication, but it runs in the background of its terminal; "
                    + "bring it to the foreground with fg, or run there: coffer get github me"), "\(result)")
        #expect(!result.screen.contains("Password"))
    }

    private static let background = [
        ("auth --for 1m", "coffer auth asks only at a terminal", Int32(4)),
        ("recovery new", "a recovery code is shown only where you can answer", 64),
        ("export --passphrase --armor", "a passphrase is needed", 4),
        ("edit github me --require app-password", "github/me takes an application password", 4),
        ("agent", "coffer agent asks in a terminal", 4),
    ]

    /// It has a terminal, so to say that there is none would send nobody the right way.
    @Test(arguments: background)
    func whatAsksAtATerminalOnlySaysThatItIsInTheBackground(command: String, need: String, status: Int32) throws {
        let item = FakeCoffer.item()
        let fixture = try FakeCoffer(broker: [
            "List": [.answer(BrokerProtocol.Keychain.ItemsReply(items: [item]))],
            "Show": [.answer(BrokerProtocol.Keychain.ItemReply(item: item))],
        ])
        var shell = fixture.program
        shell.executable = "/bin/sh"
        let result = try shell.run(
            ["-m", "-c", "\"$0\" \(command) & wait \"$!\"; exit \"$?\"", Program.path], output: .terminal, turns: [])
        #expect(result.status == status, "\(result)")
        let advice = "bring it to the foreground with fg, or run there: coffer \(command)"
        #expect(
            result.errors.contains("coffer: \(need), but it runs in the background of its terminal; \(advice)\n"),
            "\(result)")
    }

    /// Nothing the process does can restore the terminal then.
    @Test(arguments: [
        ("get github me", "Password: "), ("auth --for 1m", "Password: "), ("set github me", "Secret for "),
        ("set github me --multiline", "Secret for "), ("rm github me", "[y/N] "),
    ])
    func aKilledPromptLeavesTheTerminalAsItWas(command: String, question: String) throws {
        let item = FakeServer.Step.answer(BrokerProtocol.Keychain.ItemReply(item: FakeCoffer.item()))
        var authenticator = FakeCoffer.asksPassword
        authenticator["Authorize"] = authenticator["Begin"]
        let fixture = try FakeCoffer(
            broker: [
                "Get": [FakeCoffer.personNeeded()], "Withdraw": [.answer(Nothing())],
                "Show": [command.hasPrefix("rm") ? item : FakeCoffer.absent], "History": [FakeCoffer.absent],
            ], authenticator: authenticator)
        let pid = fixture.scratch.file("pid")
        let turn = Program.Turn(wait: question, type: "") {
            let number = try String(contentsOfFile: pid, encoding: .utf8)
            kill(try #require(Int32(number.trimmingCharacters(in: .whitespacesAndNewlines))), SIGKILL)
        }
        let result = try runsInShell(
            fixture, "echo $$ >\(pid); exec \"$0\" \(command)", input: .terminal, turns: [turn])
        #expect(result.status == 128 + SIGKILL, "\(result)")
        #expect(result.echoes, "\(command)")
    }

    /// Somebody stops the process from outside and continues it: the terminal is asked again, without echo.
    @Test func aPromptThatWasStoppedAsksAgain() throws {
        let fixture = try fixture()
        let pid = fixture.scratch.file("pid")
        let turn = Program.Turn(wait: "Password: ", type: "wrong") {
            let number = try #require(
                Int32(try String(contentsOfFile: pid, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)))
            kill(number, SIGSTOP)
            kill(number, SIGCONT)
        }
        let result = try runsInShell(
            fixture, "echo $$ >\(pid); exec \"$0\" get github me",
            turns: [turn, .init(wait: "Password: ", type: "x\r")])
        #expect(result.status == 0, "\(result)")
        #expect(!result.screen.contains("wrong"))
    }

    @Test func aScheduledJobLearnsThatNobodyCanBeAsked() throws {
        let fixture = try fixture()
        try Script.copy("/bin/sh", to: fixture.scratch.file("cron"))
        let result = try runsInShell(fixture, #""$0" get github me; exit "$?""#, shell: fixture.scratch.file("cron"))
        #expect(result.status == 4)
        #expect(
            result.errors == "coffer: github/me needs authentication, but a scheduled job has no terminal to ask at; "
                + "store what it reads without --require in a service account's vault (coffer vault create)\n")
    }

    /// A tmux that was left keeps the names of displays that are gone.
    @Test func aDisplayThatIsGoneIsNoticed() throws {
        var fixture = try fixture()
        try fixture.scratch.program("pinentry", "#!/bin/sh\necho >\(fixture.scratch.file("asked"))\n")
        fixture.program.environment["PATH"] = "\(fixture.scratch.path):/usr/bin:/bin"
        fixture.program.environment["WAYLAND_DISPLAY"] = fixture.scratch.file("wayland-7")
        fixture.program.environment["DISPLAY"] = "localhost:59533.0"
        let result = try fixture.program.run("get", "github", "me")
        #expect(result.status == 4)
        #expect(
            result.errors.contains(
                "does not answer, and there is no terminal to ask at; run in a terminal: coffer get github me, "
                    + "or keep this open in one: coffer agent"), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: fixture.scratch.file("asked")))
    }

    /// On many machines `pinentry` is the one for terminals, which cannot ask at a display.
    @Test func aPinentryForTerminalsIsPassedOver() throws {
        var fixture = try AgentFixture(callers: 3).coffer
        let display = try FakeDisplay(in: fixture.scratch)
        try fixture.scratch.program("pinentry-curses", "#!/bin/sh\nexit 1\n")
        try FileManager.default.createSymbolicLink(
            atPath: fixture.scratch.file("pinentry"), withDestinationPath: fixture.scratch.file("pinentry-curses"))
        fixture.program.environment["PATH"] = fixture.scratch.path
        fixture.program.environment["WAYLAND_DISPLAY"] = display.name
        let without = try fixture.program.run("get", "github", "me")
        #expect(without.errors.contains("no pinentry shows windows here"), "\(without)")
        // It needs X11, and there is only Wayland.
        try Self.pinentry("pinentry-gtk-2", in: fixture.scratch)
        #expect(try fixture.program.run("get", "github", "me").status == 4)
        try Self.pinentry("pinentry-qt", in: fixture.scratch)
        let result = try withExtendedLifetime(display) { try fixture.program.run("get", "github", "me") }
        #expect(result.status == 0, "\(result)")
    }

    /// An Assuan server that answers with a fixed word, in one run at a time.
    static func pinentry(_ name: String, in scratch: Scratch) throws {
        try scratch.program(
            name,
            """
            #!/bin/sh
            echo OK ready
            while read -r line; do
              case $line in
                GETPIN) /bin/mkdir '\(scratch.file("open"))' || echo >>'\(scratch.file("overlap"))'
                  /bin/sleep 0.2; /bin/rmdir '\(scratch.file("open"))'; echo "D word"; echo OK ;;
                BYE) echo OK; exit 0 ;;
                *) echo OK ;;
              esac
            done
            """)
    }

    /// pinentry says why it cannot ask, and that is not taken for a person who gives up.
    @Test func aPinentryThatCannotAskIsNoRefusal() throws {
        var fixture = try fixture()
        let display = try FakeDisplay(in: fixture.scratch)
        try fixture.scratch.program(
            "pinentry",
            "#!/bin/sh\necho OK\nwhile read -r l; do case $l in GETPIN) echo 'ERR 83918950 Inappropriate ioctl';; *) echo OK;; esac; done\n"
        )
        fixture.program.environment["WAYLAND_DISPLAY"] = display.name
        fixture.program.environment["PATH"] = "\(fixture.scratch.path):/usr/bin:/bin"
        let result = try withExtendedLifetime(display) { try fixture.program.run("get", "github", "me") }
        #expect(result.status == 4)
        #expect(result.errors.contains("pinentry cannot ask: Inappropriate ioctl"), "\(result)")
    }

    /// On a desktop the first caller starts an agent, which asks for one caller after the other and then stays for a while.
    @Test func onADesktopAnAgentStartsByItself() throws {
        var fixture = try AgentFixture(callers: 3)
        let display = try FakeDisplay(in: fixture.coffer.scratch)
        try Self.pinentry("pinentry", in: fixture.coffer.scratch)
        var coffer = fixture.coffer
        coffer.program.environment["PATH"] = "\(coffer.scratch.path):/usr/bin:/bin"
        coffer.program.environment["WAYLAND_DISPLAY"] = display.name
        coffer.program.environment["XDG_RUNTIME_DIR"] = coffer.scratch.path
        fixture = AgentFixture(coffer: coffer)
        let callers = try (0..<3).map { _ in try fixture.caller() }
        let ends = try callers.map { try AgentFixture.outcome($0) }
        #expect(ends.map(\.status) == [0, 0, 0], "\(ends)")
        #expect(!FileManager.default.fileExists(atPath: coffer.scratch.file("overlap")))
        let status = try coffer.program.run("agent", "status")
        #expect(status.text.contains(display.name), "\(status)")
        let stopped = try coffer.program.run("agent", "stop")
        #expect(stopped.errors == "Stopped\n")
        #expect(!FileManager.default.fileExists(atPath: coffer.scratch.file("agent.sock")))
        withExtendedLifetime(display) {}
    }

    /// A tmux that was left: the agent in it waits, and asks when somebody takes the session up again.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux"), "needs tmux"))
    func aTmuxThatIsTakenUpAgainShowsThePrompt() throws {
        let fixture = try AgentFixture()
        var tmux = fixture.coffer.program
        tmux.executable = "/usr/bin/tmux"
        tmux.environment["TERM"] = "xterm"
        let socket = ["-S", fixture.coffer.scratch.file("tmux"), "-f", "/dev/null"]
        let made = try tmux.run(socket + ["new-session", "-d", "-s", "left", Program.path, "agent"])
        #expect(made.status == 0, "\(made)")
        #expect(eventually { Reachability.answers(path: fixture.path) })
        // The session's own display is gone by now.
        let caller = try fixture.caller(environment: ["DISPLAY": "localhost:59533.0"])
        #expect(eventually { fixture.coffer.authenticator.calls("Begin").count == 1 })
        let end = Box<(status: Int32, text: String)>()
        let result = try tmux.run(
            socket + ["attach", "-t", "left"], input: .terminal, output: .terminal,
            turns: [
                .init(wait: "Password:", type: "CANARY\r") {},
                .init(wait: "\n", type: "") {
                    end.value = try AgentFixture.outcome(caller)
                    _ = try tmux.run(socket + ["kill-server"])
                },
            ])
        #expect(end.value?.status == 0 && end.value?.text == "s3cret", "\(result)")
        #expect(!result.screen.contains("CANARY"))
    }

    /// A container without systemd: Coffer, its processes and its mounts are its own, and nobody has logged in.
    @Test(.enabled(if: geteuid() == 0, "namespaces need root"))
    func inAContainerTheTerminalAsks() throws {
        let scratch = try Scratch()
        var program = Program(scratch: scratch)
        program.executable = "/usr/bin/unshare"
        let programs = URL(filePath: Program.path).deletingLastPathComponent().path()
        let script = """
            '\(SourceTree.root)/scripts/sandbox' start "$0" --software --programs '\(programs)' >/dev/null || exit 99
            . "$0/env" && printf x | coffer set -q s g --require presence || exit 98
            setsid -w coffer get s g
            printf '%s ' "$?"
            coffer get s g
            status=$?
            '\(SourceTree.root)/scripts/sandbox' stop "$0"
            exit "$status"
            """
        let result = try program.run(
            [
                "--pid", "--mount", "--ipc", "--uts", "--fork", "--mount-proc", "/bin/bash", "-c", script,
                scratch.file("box"),
            ], turns: [.init(wait: "assword: ", type: "sandbox\r")])
        #expect(result.status == 0 && result.text == "4 x", "\(result)")
        #expect(
            result.errors.contains("there is no terminal to ask at; run in a terminal: coffer get s g"), "\(result)")
    }

    /// `sudo -u`: another user in a terminal that is not theirs.
    @Test(.enabled(if: geteuid() == 0, "only root can become other users"))
    func anotherUserIsAskedAtTheTerminalOfTheFirst() throws {
        let fixture = try fixture()
        // The build folder may be closed to others.
        let coffer = fixture.scratch.file("coffer")
        try Script.copy(Program.path, to: coffer)
        var program = fixture.program
        program.executable = "/usr/bin/setpriv"
        let become = ["--reuid=65533", "--regid=65533", "--clear-groups"]
        let asked = try program.run(become + [coffer, "get", "github", "me"], turns: [Self.password])
        #expect(asked.status == 0 && asked.output == AgentFixture.secret, "\(asked)")
        #expect(!asked.screen.contains("CANARY"))
        // Without a terminal, the first user's agent is not used.
        let other = try AgentFixture()
        try Script.copy(Program.path, to: other.coffer.scratch.file("coffer"))
        let caller = Box<Program.Result>()
        let agent = try other.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "\u{3}") {
                    _ = unsafe chmod(other.path, 0o666)
                    var program = other.coffer.program
                    program.executable = "/usr/bin/setpriv"
                    caller.value = try program.run(
                        become + [other.coffer.scratch.file("coffer"), "get", "github", "me"])
                }
            ])
        #expect(caller.value?.status == 4, "\(caller)")
        #expect(!agent.screen.contains("Password"))
    }

    @Test func theUsersUnitsAreValid() throws {
        let folder = SourceTree.path("packaging/systemd-user")
        let scratch = try Scratch()
        let units = ["coffer-agent.service", "coffer-agent.socket", "coffer-sync.service", "coffer-sync-git.service"]
        for name in units {
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
                .replacing("@bindir@", with: URL(filePath: Program.path).deletingLastPathComponent().path())
            try text.write(toFile: scratch.file(name), atomically: true, encoding: .utf8)
        }
        let verify = try Subprocess(
            "/usr/bin/env",
            ["XDG_RUNTIME_DIR=\(scratch.path)", "systemd-analyze", "verify", "--user", "--man=no"]
                + units.map(scratch.file)
        ) {
            $0.output = .pipe
            $0.errors = .output
        }
        let said = String(decoding: try verify.readAll(), as: UTF8.self)
        #expect(try verify.wait(until: .now + patience) == 0 && !units.contains { said.contains($0) }, "\(said)")
    }
}
