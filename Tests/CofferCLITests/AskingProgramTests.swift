import BrokerProtocol
import Foundation
import Testing
import Varlink

/// Without a terminal a program asks: the configured one, or else pinentry on a display.
@Suite struct AskingProgramTests {
    private func fixture() throws -> FakeCoffer {
        try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded(), FakeCoffer.value([7])]],
            authenticator: [
                "Begin": [
                    .answer(Authentication.Step(message: .init(style: .info, text: "Read github/me"), done: false))
                ],
                "Continue": [
                    .answer(Authentication.Step(message: .init(style: .secret, text: "Password: "), done: false)),
                    .answer(Authentication.Step(message: nil, done: true)),
                ],
                "Cancel": [.answer(Nothing())],
            ])
    }

    private func answers(_ fixture: FakeCoffer) throws -> [String?] {
        try fixture.authenticator.calls("Continue").map { try $0.parameters(Authentication.Continue.self)?.answer }
    }

    /// Attacker 3 reads the arguments of all processes (`ps`). They do not contain what is asked.
    @Test func theNamedProgramIsGivenThePromptWhereNoOtherUserReadsIt() throws {
        var fixture = try fixture()
        let (prompt, arguments) = (fixture.scratch.file("prompt"), fixture.scratch.file("arguments"))
        fixture.program.environment["COFFER_ASKPASS"] = try fixture.scratch.program(
            "ask",
            """
            #!/bin/sh
            printf '%s' "$COFFER_ASKPASS_PROMPT" >\(prompt)
            # Its own, and those of whoever started it.
            tr '\\0' '\\n' </proc/$$/cmdline >\(arguments)
            tr '\\0' '\\n' </proc/$PPID/cmdline >>\(arguments)
            echo 'pa ss'

            """)
        fixture.program.environment["COFFER_ASKPASS_PROMPT"] = "of an earlier question"
        let result = try fixture.program.run("get", "github", "me")
        #expect(result.status == 0)
        #expect(result.output == [7])
        #expect(try answers(fixture) == [nil, "pa ss"])
        #expect(String(decoding: try fixture.scratch.contents("prompt"), as: UTF8.self) == "Read github/me\nPassword: ")
        let lines = String(decoding: try fixture.scratch.contents("arguments"), as: UTF8.self)
        #expect(lines.contains("\nPassword for Coffer: \n"), "\(lines)")
        #expect(!lines.contains("github"), "\(lines)")
    }

    /// Daemons ignore their children's ends, and the programs that they start inherit that.
    @Test func whoStartsItMayIgnoreTheEndsOfChildren() throws {
        var fixture = try fixture()
        fixture.program.environment["COFFER_ASKPASS"] = try fixture.scratch.program("ask", "#!/bin/sh\necho word\n")
        fixture.program.executable = "/usr/bin/env"
        let result = try fixture.program.run("--ignore-signal=CHLD", Program.path, "get", "github", "me")
        #expect(result.status == 0, "\(result)")
        #expect(try answers(fixture) == [nil, "word"])
    }

    @Test func anotherStatusThanZeroIsGivingUp() throws {
        var fixture = try fixture()
        fixture.program.environment["COFFER_ASKPASS"] = try fixture.scratch.program(
            "ask", "#!/bin/sh\necho half\nexit 1\n")
        let result = try fixture.program.run("get", "github", "me")
        #expect(result.status == 4)
        #expect(result.errors == "coffer: cancelled; nothing was done\n")
        #expect(fixture.authenticator.calls("Cancel").count == 1)
    }

    @Test func aFileThatIsNoProgramIsFour() throws {
        var fixture = try fixture()
        fixture.program.environment["COFFER_ASKPASS"] = "/etc/passwd"
        let result = try fixture.program.run("get", "github", "me")
        #expect(result.status == 4)
        #expect(result.errors.contains("/etc/passwd cannot be run: it is not executable;"))
    }

    @Test func aProgramThatIsNotThereIsFour() throws {
        var fixture = try fixture()
        fixture.program.environment["COFFER_ASKPASS"] = fixture.scratch.file("nowhere")
        let result = try fixture.program.run("get", "github", "me")
        #expect(result.status == 4)
        #expect(result.errors.contains("nowhere cannot be run: there is no such file; check that"))
    }

    @Test func pinentryIsSpokenToOnADisplay() throws {
        var fixture = try fixture()
        let log = fixture.scratch.file("pinentry.log")
        try fixture.scratch.program(
            "pinentry",
            """
            #!/bin/sh
            echo OK ready
            while read -r line; do
              echo "$line" >>\(log)
              case $line in
                GETPIN) echo 'D 50%25 off'; echo OK ;;
                BYE) echo OK; exit 0 ;;
                *) echo OK ;;
              esac
            done
            """)
        let display = try FakeDisplay(in: fixture.scratch)
        fixture.program.environment["WAYLAND_DISPLAY"] = display.name
        fixture.program.environment["PATH"] = "\(fixture.scratch.path):/usr/bin:/bin"
        let result = try withExtendedLifetime(display) { try fixture.program.run("get", "github", "me") }
        #expect(result.status == 0)
        #expect(try answers(fixture) == [nil, "50% off"])
        let said = String(decoding: try fixture.scratch.contents("pinentry.log"), as: UTF8.self)
        #expect(
            said.contains("SETDESC Read github/me\nSETPROMPT Password: \nGETPIN\n")
                || said.contains("SETDESC Read github/me\nSETPROMPT Password:\nGETPIN\n"))
    }

    /// pinentry takes lines of 1000 bytes. If a person cannot see what is asked, Coffer does not ask.
    @Test func whatPinentryDoesNotShowIsNotAsked() throws {
        var fixture = try fixture()
        let log = fixture.scratch.file("pinentry.log")
        try fixture.scratch.program(
            "pinentry",
            """
            #!/bin/sh
            echo OK
            while read -r l; do
              echo "$l" >>\(log)
              case $l in
                SETDESC*) echo 'ERR 67109139 Line too long' ;;
                GETPIN) echo 'D word'; echo OK ;;
                *) echo OK ;;
              esac
            done
            """)
        let display = try FakeDisplay(in: fixture.scratch)
        fixture.program.environment["WAYLAND_DISPLAY"] = display.name
        fixture.program.environment["PATH"] = "\(fixture.scratch.path):/usr/bin:/bin"
        let result = try withExtendedLifetime(display) { try fixture.program.run("get", "github", "me") }
        #expect(result.status == 4)
        #expect(result.errors.contains("too long for pinentry"), "\(result)")
        #expect(!String(decoding: try fixture.scratch.contents("pinentry.log"), as: UTF8.self).contains("GETPIN"))
        #expect(try answers(fixture) == [nil])
    }

    /// pinentry-gnome3 shows nothing without a part of GNOME. Nobody was asked then.
    @Test func aPinentryThatShowsNothingIsFollowedByTheNext() throws {
        var fixture = try fixture()
        let said = { (name: String, answer: String) in
            "#!/bin/sh\necho OK\nwhile read -r l; do echo \"\(name) $l\" >>\(fixture.scratch.file("log")); case $l in GETPIN) \(answer);; *) echo OK;; esac; done\n"
        }
        try fixture.scratch.program(
            "pinentry-gnome3", said("gnome3", "echo 'ERR 83918950 Inappropriate ioctl for device'"))
        try FileManager.default.createSymbolicLink(
            atPath: fixture.scratch.file("pinentry"), withDestinationPath: fixture.scratch.file("pinentry-gnome3"))
        try fixture.scratch.program("pinentry-qt", said("qt", "echo 'D word'; echo OK"))
        let display = try FakeDisplay(in: fixture.scratch)
        fixture.program.environment["WAYLAND_DISPLAY"] = display.name
        fixture.program.environment["PATH"] = fixture.scratch.path
        let result = try withExtendedLifetime(display) { try fixture.program.run("get", "github", "me") }
        #expect(result.status == 0, "\(result)")
        #expect(try answers(fixture) == [nil, "word"])
        let log = String(decoding: try fixture.scratch.contents("log"), as: UTF8.self)
        // The link is the same program, so it is tried once.
        #expect(
            log.components(separatedBy: "gnome3 GETPIN").count == 2 && log.contains("qt SETDESC Read github/me"),
            "\(log)")
    }

    /// Its library or its kind of display is missing.
    @Test func aPinentryThatEndsBeforeItAsksIsFollowedByTheNext() throws {
        var fixture = try fixture()
        try fixture.scratch.program("pinentry", "#!/bin/sh\nexit 127\n")
        try fixture.scratch.program(
            "pinentry-qt",
            "#!/bin/sh\necho OK\nwhile read -r l; do case $l in GETPIN) echo 'D word'; echo OK;; *) echo OK;; esac; done\n"
        )
        let display = try FakeDisplay(in: fixture.scratch)
        fixture.program.environment["WAYLAND_DISPLAY"] = display.name
        fixture.program.environment["PATH"] = fixture.scratch.path
        let result = try withExtendedLifetime(display) { try fixture.program.run("get", "github", "me") }
        #expect(result.status == 0, "\(result)")
        #expect(try answers(fixture) == [nil, "word"])
    }

    @Test func aPinentryThatEndsBeforeItAsksIsNoPersonWhoGivesUp() throws {
        var fixture = try fixture()
        try fixture.scratch.program("pinentry", "#!/bin/sh\nexit 127\n")
        let display = try FakeDisplay(in: fixture.scratch)
        fixture.program.environment["WAYLAND_DISPLAY"] = display.name
        fixture.program.environment["PATH"] = fixture.scratch.path
        let result = try withExtendedLifetime(display) { try fixture.program.run("get", "github", "me") }
        #expect(result.status == 4 && result.errors.contains("it ended before it could ask"), "\(result)")
    }

    @Test func aClosedDialogIsGivingUp() throws {
        var fixture = try fixture()
        try fixture.scratch.program(
            "pinentry",
            "#!/bin/sh\necho OK\nwhile read -r l; do case $l in GETPIN) echo 'ERR 83886179 Operation cancelled';; *) echo OK;; esac; done\n"
        )
        let display = try FakeDisplay(in: fixture.scratch)
        fixture.program.environment["WAYLAND_DISPLAY"] = display.name
        fixture.program.environment["PATH"] = "\(fixture.scratch.path):/usr/bin:/bin"
        let result = try withExtendedLifetime(display) { try fixture.program.run("get", "github", "me") }
        #expect(result.status == 4)
        #expect(result.errors.contains("cancelled"))
    }
}
