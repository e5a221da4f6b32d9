import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

@testable import Coffer

/// How much a program that asks may say, and what it is told.
@Suite struct AskingLimitTests {
    private static func question(_ text: String) -> FakeServer.Step {
        .answer(Authentication.Step(message: .init(style: .secret, text: text), done: false))
    }

    /// - Parameter questions: how many follow the notice.
    private func fixture(questions: Int = 1) throws -> FakeCoffer {
        let asks = (1...questions).map { Self.question("Question \($0):") }
        return try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded(), FakeCoffer.value([7])]],
            authenticator: [
                "Begin": [
                    .answer(Authentication.Step(message: .init(style: .info, text: "Read github/me"), done: false))
                ],
                "Continue": asks + [.answer(Authentication.Step(message: nil, done: true))],
                "Cancel": [.answer(Nothing())],
            ])
    }

    private func answer(_ fixture: FakeCoffer) throws -> String? {
        try fixture.authenticator.calls("Continue").last?.parameters(Authentication.Continue.self)?.answer
    }

    /// Runs `get` with a program that prints what this script does.
    private func asking(_ script: String, _ fixture: FakeCoffer) throws -> Program.Result {
        var program = fixture.program
        program.environment["COFFER_ASKPASS"] = try fixture.scratch.program("ask", "#!/bin/sh\n\(script)\n")
        return try program.run("get", "github", "me")
    }

    private static func letters(_ count: Int) -> String { "head -c \(count) /dev/zero | tr '\\0' a" }

    @Test func anAnswerHas512BytesAndALineBreak() throws {
        let longest = try fixture()
        #expect(try asking("\(Self.letters(512)); printf '\\r\\n'", longest).status == 0)
        #expect(try answer(longest) == String(repeating: "a", count: 512))
        let tooLong = try fixture()
        let result = try asking(Self.letters(515), tooLong)
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.contains("the answer of ask is longer than 514 bytes"), "\(result)")
    }

    @Test func anAnswerThatIsNotUTF8IsRefused() throws {
        let fixture = try fixture()
        let result = try asking("printf 'p\\344ss\\n'", fixture)
        #expect(result.status == 64 && result.errors.contains("is not UTF-8"), "\(result)")
        #expect(try answer(fixture) == nil)
    }

    /// A notice is shown with the question that follows it, and not once more.
    @Test func aNoticeIsShownOnce() throws {
        let fixture = try fixture(questions: 2)
        let log = fixture.scratch.file("log")
        let result = try asking("printf '%s|' \"$COFFER_ASKPASS_PROMPT\" >>\(log); echo x", fixture)
        #expect(result.status == 0, "\(result)")
        let said = String(decoding: try fixture.scratch.contents("log"), as: UTF8.self)
        #expect(said == "Read github/me\nQuestion 1:|Question 2:|")
    }

    /// Runs `get` at a display, with a pinentry that does this instead of a dialog.
    private func dialog(_ answer: String, _ fixture: FakeCoffer) throws -> Program.Result {
        var program = fixture.program
        let display = try FakeDisplay(in: fixture.scratch)
        try fixture.scratch.program(
            "pinentry",
            """
            #!/bin/sh
            PATH=/usr/bin:/bin
            echo OK
            while read -r line; do
              echo "$line" >>\(fixture.scratch.file("log"))
              case $line in
                GETPIN) \(answer) ;;
                *) echo OK ;;
              esac
            done
            """)
        program.environment["WAYLAND_DISPLAY"] = display.name
        // Without the machine's own pinentry, which is tried next.
        program.environment["PATH"] = fixture.scratch.path
        return try withExtendedLifetime(display) { try program.run("get", "github", "me") }
    }

    @Test func pinentryIsToldANoticeOnce() throws {
        let fixture = try fixture(questions: 2)
        #expect(try dialog("echo 'D x'; echo OK", fixture).status == 0)
        let said = String(decoding: try fixture.scratch.contents("log"), as: UTF8.self)
        let shown = said.split(separator: "\n").filter { $0.hasPrefix("SETDESC") || $0.hasPrefix("SETPROMPT") }
        #expect(
            shown == [
                "SETDESC Read github/me", "SETPROMPT Question 1:", "SETDESC Coffer asks for you.",
                "SETPROMPT Question 2:",
            ])
        #expect(said.hasPrefix("SETTITLE Coffer\n") && said.hasSuffix("GETPIN\nBYE\n"))
    }

    /// Four lines of 998 letters, and one of the rest.
    @Test(arguments: [(104, true), (105, false)]) func anAnswerOfPinentryHas4096Bytes(rest: Int, isTaken: Bool) throws {
        let fixture = try fixture()
        let lines = [998, 998, 998, 998, rest].map { "printf 'D '; \(Self.letters($0)); echo" }
        let result = try dialog((lines + ["echo OK"]).joined(separator: "; "), fixture)
        #expect(result.status == (isTaken ? 0 : 4), "\(result)")
        #expect(try answer(fixture) == (isTaken ? String(repeating: "a", count: 4096) : nil))
    }

    @Test(arguments: [(998, true), (999, false)]) func aLineOfPinentryHas1000Bytes(count: Int, isTaken: Bool) throws {
        let fixture = try fixture()
        let result = try dialog("printf 'D '; \(Self.letters(count)); echo; echo OK", fixture)
        #expect(result.status == (isTaken ? 0 : 64), "\(result)")
        #expect(result.errors.contains("longer than 1000 bytes") == !isTaken)
    }

    /// libgpg-error's codes with the number of pinentry's source, as pinentry gives them.
    @Test(arguments: [(62, true), (99, true), (114, true), (198, true), (63, false), (98, false), (115, false)])
    func whoGivesUpIsKnownByTheCode(code: Int, isGivingUp: Bool) throws {
        let fixture = try fixture()
        let result = try dialog("echo 'ERR \(83_886_080 + code) Words of its own'", fixture)
        #expect(result.status == 4, "\(result)")
        #expect(result.errors.contains("pinentry cannot ask: Words of its own") == !isGivingUp, "\(result)")
        #expect(result.errors.contains("coffer: cancelled") == isGivingUp, "\(result)")
    }

    @Test(arguments: [
        ("ERR", "it gave no reason"), ("ERR 83886143", "error 83886143"), ("ERR x y", "it gave no reason"),
    ])
    func anErrorWithoutWordsIsTold(line: String, words: String) throws {
        let result = try dialog("echo '\(line)'", try fixture())
        #expect(result.status == 4 && result.errors.contains("pinentry cannot ask: \(words)"), "\(result)")
    }

    /// A service that has itself started by cron is looked for among 32 processes.
    @Test(arguments: [(29, true), (30, false)])
    func aSchedulerIsFoundSoManyProcessesAbove(count: Int, isFound: Bool) throws {
        let fixture = try fixture()
        try Script.copy("/bin/sh", to: fixture.scratch.file("cron"))
        let deep = try fixture.scratch.program(
            "deep",
            """
            #!/bin/sh
            if [ "$1" -gt 0 ]; then "$0" $(($1 - 1)); else '\(Program.path)' get github me; fi
            exit "$?"
            """)
        var program = fixture.program
        program.executable = fixture.scratch.file("cron")
        let result = try program.run("-c", "\"$0\" \(count); exit \"$?\"", deep)
        #expect(result.status == 4)
        #expect(result.errors.contains("a scheduled job has no terminal") == isFound, "\(result)")
        #expect(result.errors.contains("there is no terminal to ask at") == !isFound, "\(result)")
    }

    /// A long notice that lists no items says no number.
    @Test func aLongNoticeWithoutItemsHasNoNumber() throws {
        let notice = (1...30).map { "line \($0)" }.joined(separator: "\n")
        let fixture = try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded(), FakeCoffer.value([7])]],
            authenticator: [
                "Begin": [.answer(Authentication.Step(message: .init(style: .info, text: notice), done: false))],
                "Continue": [Self.question("Password: "), .answer(Authentication.Step(message: nil, done: true))],
            ])
        var program = fixture.program
        program.executable = "/bin/sh"
        let script = "stty rows 20 cols 80 </dev/tty; exec \"$0\" get github me"
        let result = try program.run("-c", script, Program.path, turns: [.init(wait: "Password: ", type: "x\r")])
        #expect(result.status == 0 && !result.screen.contains("items in all"), "\(result)")
    }
}
