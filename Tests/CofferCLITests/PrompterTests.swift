import BrokerProtocol
import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

/// A person is asked if there is one, and only by a program that may see the password.
@Suite struct PrompterTests {
    private static let secret = Array("s3cret".utf8)

    private static func gated() -> [String: [FakeServer.Step]] {
        ["Get": [FakeCoffer.personNeeded(), FakeCoffer.value(secret)]]
    }

    private static let asks = FakeServer.Step.answer(
        Authentication.Step(message: .init(style: .secret, text: "Password: "), done: false))

    @Test func theTerminalAsksAndTheCallIsRepeated() throws {
        let fixture = try FakeCoffer(broker: Self.gated(), authenticator: FakeCoffer.asksPassword)
        let result = try fixture.program.run(
            "get", "github", "me", turns: [.init(wait: "Password: ", type: "CANARY\r")])
        #expect(result.status == 0)
        #expect(result.output == Self.secret)
        #expect(result.errors.isEmpty)
        #expect(!result.screen.contains("CANARY"))
        #expect(result.echoes)
        #expect(
            try fixture.authenticator.calls("Begin").first?.parameters(Authentication.Begin.self)?.challenge == "c1")
        #expect(
            try fixture.authenticator.calls("Continue").first?.parameters(Authentication.Continue.self)?.answer
                == "CANARY")
        #expect(try fixture.broker.calls("Get").map { try $0.parameters(Keychain.Get.self)?.challenge } == [nil, "c1"])
    }

    @Test(arguments: [
        ("expired", "has expired"), ("denied", "may not do this"),
        ("tries", "too many wrong answers"),
    ])
    func refusalsAreFourWithTheirOwnWords(reason: String, words: String) throws {
        var script = FakeCoffer.asksPassword
        // Whether the account or the password has expired, the authenticator says.
        let message = reason == "expired" ? "your account has expired" : "PAM says no"
        script["Continue"] = [
            .fault(.authenticationFailed, .init(message: message, advice: "ask somebody", reason: reason))
        ]
        let fixture = try FakeCoffer(broker: Self.gated(), authenticator: script)
        let result = try fixture.program.run(
            "get", "github", "me", turns: [.init(wait: "Password: ", type: "CANARY\r")])
        #expect(result.status == 4)
        #expect(result.errors.contains(words) && !result.errors.contains("passwd"))
        #expect(result.errors.contains("ask somebody") == (reason == "expired"))
        #expect(!(result.errors + result.screen).contains("CANARY"))
        #expect(result.output.isEmpty)
        #expect(fixture.broker.calls("Get").count == 1)
    }

    /// As with sudo, each try is a conversation of its own, for a call of its own.
    @Test func aWrongPasswordIsAskedForThreeTimes() throws {
        var script = FakeCoffer.asksPassword
        script["Continue"] = [.fault(.authenticationFailed, .init(message: "PAM says no", reason: "password"))]
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.personNeeded()]], authenticator: script)
        let turn = Program.Turn(wait: "Password: ", type: "CANARY\r")
        let result = try fixture.program.run("get", "github", "me", turns: [turn, turn, turn])
        #expect(result.status == 4)
        #expect(result.errors == "coffer: wrong password; run the command again\n")
        #expect(result.screen.components(separatedBy: "Wrong password, try again.").count == 3)
        #expect(!(result.errors + result.screen).contains("CANARY"))
        #expect(result.output.isEmpty)
        #expect(fixture.authenticator.calls("Begin").count == 3)
        #expect(
            try fixture.broker.calls("Get").map { try $0.parameters(Keychain.Get.self)?.challenge } == [nil, nil, nil])
    }

    @Test func theSecondTryCanBeRight() throws {
        var script = FakeCoffer.asksPassword
        script["Continue"]?.insert(.fault(.authenticationFailed, .init(message: "no", reason: "password")), at: 0)
        let fixture = try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded(), FakeCoffer.personNeeded(), FakeCoffer.value(Self.secret)]],
            authenticator: script)
        let turn = Program.Turn(wait: "Password: ", type: "x\r")
        let result = try fixture.program.run("get", "github", "me", turns: [turn, turn])
        #expect(result.status == 0 && result.output == Self.secret && result.errors.isEmpty)
    }

    /// The same request needs no second explanation.
    @Test func aWrongPasswordRepeatsTheFirstLineOnly() throws {
        let notice = "Read \"github\" / \"me\"\nfor /usr/bin/coffer (process 1, terminal pts/1)\nReason it gives: \"x\""
        let password = FakeServer.Step.answer(
            Authentication.Step(message: .init(style: .secret, text: "Password: "), done: false))
        let refusal = FakeServer.Step.fault(.authenticationFailed, .init(message: "no", reason: "password"))
        let fixture = try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded(), FakeCoffer.personNeeded(), FakeCoffer.value(Self.secret)]],
            authenticator: [
                "Begin": [.answer(Authentication.Step(message: .init(style: .info, text: notice), done: false))],
                "Continue": [password, refusal, password, .answer(Authentication.Step(message: nil, done: true))],
            ])
        let turn = Program.Turn(wait: "Password: ", type: "x\r")
        let result = try fixture.program.run("get", "github", "me", turns: [turn, turn])
        #expect(result.status == 0 && result.output == Self.secret, "\(result)")
        let lines = result.screen.split(whereSeparator: \.isNewline)
        #expect(lines.count { $0 == "Read \"github\" / \"me\"" } == 2, "\(result.screen)")
        #expect(lines.count { $0.hasPrefix("for ") } == 1 && lines.count { $0.hasPrefix("Reason") } == 1)
    }

    /// Its first lines have left the screen, and with them the number of items.
    @Test(arguments: [(20, true), (26, true), (27, false), (40, false)])
    func aListThatDoesNotFitEndsWithItsNumber(rows: Int, isSaid: Bool) throws {
        let items = (1...24).map { "  \"a\" / \"\($0)\"\n" }.joined()
        let notice = "Read these 24 items:\n\(items)for /usr/bin/coffer (process 1, terminal pts/1)"
        let fixture = try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded(), FakeCoffer.value(Self.secret)]],
            authenticator: [
                "Begin": [.answer(Authentication.Step(message: .init(style: .info, text: notice), done: false))],
                "Continue": [Self.asks, .answer(Authentication.Step(message: nil, done: true))],
            ])
        var program = fixture.program
        program.executable = "/bin/sh"
        let script = "stty rows \(rows) cols 80 </dev/tty; exec \"$0\" get github me"
        let result = try program.run("-c", script, Program.path, turns: [.init(wait: "Password: ", type: "x\r")])
        #expect(result.status == 0, "\(result)")
        #expect(result.screen.contains("pts/1)\r\n24 items in all\r\n") == isSaid, "\(result.screen)")
    }

    /// A program that answers for somebody would only repeat the same answer.
    @Test func aProgramThatAsksGetsOneTry() throws {
        var script = FakeCoffer.asksPassword
        script["Continue"] = [.fault(.authenticationFailed, .init(message: "no", reason: "password"))]
        let fixture = try FakeCoffer(broker: Self.gated(), authenticator: script)
        var program = fixture.program
        program.environment["COFFER_ASKPASS"] = try fixture.scratch.program("ask", "#!/bin/sh\necho x\n")
        #expect(try program.run("get", "github", "me").status == 4)
        #expect(fixture.authenticator.calls("Begin").count == 1)
    }

    /// Any program that asks can open the vault on the way.
    @Test func aLockedVaultIsOpenedByAProgramThatAsks() throws {
        let fixture = try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded([.unlock]), FakeCoffer.value(Self.secret)]],
            authenticator: FakeCoffer.asksPassword)
        var program = fixture.program
        program.environment["COFFER_ASKPASS"] = try fixture.scratch.program("ask", "#!/bin/sh\necho x\n")
        let result = try program.run("get", "github", "me")
        #expect(result.status == 0 && result.output == Self.secret)
        #expect(try fixture.broker.calls("Get").map { try $0.parameters(Keychain.Get.self)?.unlock } == [true, true])
        let alone = try FakeCoffer(broker: ["Get": [.fault(.locked, "Your vault is locked.")]])
        #expect(try alone.program.run("get", "github", "me").status == 5)
        #expect(try alone.broker.calls("Get").map { try $0.parameters(Keychain.Get.self)?.unlock } == [nil])
    }

    private static func agent(of fixture: FakeCoffer) throws -> FakeServer {
        let state = Agent.GetState.Reply(pid: 1, place: "pts/1", callers: 0)
        return try FakeServer(path: fixture.scratch.file("agent.sock"), ["GetState": [.answer(state)]])
    }

    /// A search looks at every agent and at who started the program, and costs more than the read.
    @Test(arguments: [["get", "github", "me"], ["get", "github", "me", "--json"], ["read", "coffer://github/me"]])
    func nobodyIsLookedForBeforeAPersonIsNeeded(command: [String]) throws {
        let open = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Self.secret)]])
        let unused = try Self.agent(of: open)
        #expect(try open.program.run(command).status == 0)
        #expect(unused.connections == 0)
        #expect(try open.broker.calls("Get").map { try $0.parameters(Keychain.Get.self)?.unlock } == [nil])

        let gated = try FakeCoffer(broker: Self.gated())
        let asked = try Self.agent(of: gated)
        // This agent tells its state, and can do no more.
        #expect(try gated.program.run(command).status != 0)
        #expect(asked.connections > 0)
    }

    @Test func aLockedVaultIsOpenedByAnAgent() throws {
        let locked = FakeServer.Step.fault(.locked, "your vault is locked")
        let fixture = try FakeCoffer(broker: ["Get": [locked, FakeCoffer.value(Self.secret)]])
        let agent = try Self.agent(of: fixture)
        let result = try fixture.program.run("get", "github", "me")
        #expect(result.status == 0 && result.output == Self.secret, "\(result)")
        #expect(agent.connections > 0)
        #expect(try fixture.broker.calls("Get").map { try $0.parameters(Keychain.Get.self)?.unlock } == [nil, true])

        let quiet = try FakeCoffer(broker: ["Get": [locked, FakeCoffer.value(Self.secret)]])
        let unused = try Self.agent(of: quiet)
        #expect(try quiet.program.run("get", "github", "me", "--no-prompt").status == 5)
        #expect(unused.connections == 0 && quiet.broker.calls("Get").count == 1)
    }

    /// The vault was locked while the person answered. Another question would train people to agree.
    @Test func whoHasAnsweredIsNotAskedForAVaultThatWasLockedMeanwhile() throws {
        let locked = FakeServer.Step.fault(.locked, "your vault is locked")
        var fixture = try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded(), locked, FakeCoffer.value(Self.secret)]],
            authenticator: FakeCoffer.asksPassword)
        let display = try FakeDisplay(in: fixture.scratch)
        try ProcessStateTests.pinentry("pinentry", in: fixture.scratch)
        fixture.program.environment["WAYLAND_DISPLAY"] = display.name
        fixture.program.environment["PATH"] = "\(fixture.scratch.path):/usr/bin:/bin"
        let result = try withExtendedLifetime(display) { try fixture.program.run("get", "github", "me") }
        #expect(result.status == 5 && result.output.isEmpty, "\(result)")
        #expect(fixture.broker.calls("Get").count == 2)
        #expect(fixture.authenticator.calls("Begin").count == 1)
    }

    /// The log shows the attempt at once, because the broker is told that nobody will be asked.
    @Test(arguments: [["--no-prompt"], []])
    func whoAsksNobodyWithdrawsTheQuestion(options: [String]) throws {
        var script = Self.gated()
        script["Withdraw"] = [.answer(Nothing())]
        let fixture = try FakeCoffer(broker: script)
        let result = try fixture.program.run(["get", "github", "me"] + options)
        #expect(result.status == 4)
        let withdrawn = try fixture.broker.calls("Withdraw").map {
            try $0.parameters(Keychain.Withdraw.self)?.challenge
        }
        #expect(withdrawn == ["c1"])
    }

    /// Nobody can pass the challenge any more, so it is given back.
    @Test func whoIsNotRecognisedWithdrawsTheQuestion() throws {
        var script = Self.gated()
        script["Withdraw"] = [.answer(Nothing())]
        var authenticator = FakeCoffer.asksPassword
        authenticator["Continue"] = [.fault(.authenticationFailed, .init(message: "no", reason: "tries"))]
        let fixture = try FakeCoffer(broker: script, authenticator: authenticator)
        let result = try fixture.program.run("get", "github", "me", turns: [.init(wait: "Password: ", type: "x\r")])
        #expect(result.status == 4)
        #expect(
            try fixture.broker.calls("Withdraw").map { try $0.parameters(Keychain.Withdraw.self)?.challenge } == ["c1"])
    }

    /// Another prompt opens the vault while this one is open, which ends this one. The command goes on.
    @Test func aPromptThatAnotherOneOvertookIsForgotten() throws {
        let fixture = try FakeCoffer(
            broker: [
                "Get": [FakeCoffer.personNeeded([.unlock]), FakeCoffer.value(Self.secret)],
                "Withdraw": [.answer(Nothing())],
            ],
            authenticator: ["Begin": [.fault(.authenticationChallengeRefused, "another prompt has opened the vault")]])
        let result = try fixture.program.run("get", "github", "me", turns: [])
        #expect(result.status == 0 && result.output == Self.secret)
        #expect(
            try fixture.broker.calls("Get").map { try $0.parameters(Keychain.Get.self)?.challenge } == [nil, nil])
    }

    /// Attacker 9: a broker that says so again and again wears nobody out.
    @Test func aCommandIsOvertakenOnce() throws {
        let fixture = try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded([.unlock])], "Withdraw": [.answer(Nothing())]],
            authenticator: ["Begin": [.fault(.authenticationChallengeRefused, "another prompt has opened the vault")]])
        let result = try fixture.program.run("get", "github", "me", turns: [])
        #expect(result.status == 4 && result.output.isEmpty)
        #expect(fixture.authenticator.calls("Begin").count == 2 && fixture.broker.calls("Withdraw").count == 2)
    }

    /// A broker that is silent by then is not waited for as other calls are: the withdrawal has a connection, and a
    /// patience, of its own.
    @Test func whoGivesUpDoesNotWaitForASilentBroker() throws {
        var script = Self.gated()
        script["Withdraw"] = [.silence]
        var authenticator = FakeCoffer.asksPassword
        authenticator["Continue"] = [.fault(.authenticationFailed, .init(message: "no", reason: "tries"))]
        let fixture = try FakeCoffer(broker: script, authenticator: authenticator)
        let result = try fixture.program.run("get", "github", "me", turns: [.init(wait: "Password: ", type: "x\r")])
        #expect(result.status == 4)
        #expect(fixture.broker.calls("Withdraw").count == 1 && fixture.broker.connections == 2)
    }

    @Test func whoMakesAVaultIsToldOfTheRecoveryCode() throws {
        let fixture = try FakeCoffer(
            broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.personNeeded([.create]), FakeCoffer.stored()]],
            authenticator: FakeCoffer.asksPassword)
        let result = try fixture.program.run(
            "set", "github", "me", input: .bytes([1]), turns: [.init(wait: "Password: ", type: "x\r")])
        #expect(result.status == 0)
        #expect(
            result.errors.contains("You have no recovery code yet.") && result.errors.contains("coffer recovery new"))
        // The value was piped in, so this may be a script.
        #expect(!result.screen.contains("[y/N]"))
    }

    @Test(arguments: [nil, Int64(1_700_000_000_000)])
    func whoBindsAVaultIsRemindedFirst(made: Int64?) throws {
        let status = Keychain.Status.Reply(
            vault: .init(state: .unlocked), sealer: .init(kind: "tpm"), version: "0.1.0", sandbox: false, warnings: [],
            recovery: .init(made: made))
        // It ends before anybody is asked. The message comes before that.
        let fixture = try FakeCoffer(broker: ["Status": [.answer(status)], "Unlock": [.fault(.failed, "no")]])
        let result = try fixture.program.run("unlock", "--bind")
        #expect(result.status == 1)
        #expect(result.errors.contains("make a code first with: coffer recovery new") == (made == nil))
    }

    /// Ctrl-C at any time, Ctrl-D on an empty line. Ctrl-C ends the program by its signal, so that it ends a shell's loop.
    @Test(arguments: [("half\u{3}", 128 + SIGINT), ("\u{4}", 4)])
    func givingUpTellsTheAuthenticator(keys: String, status: Int32) throws {
        let fixture = try FakeCoffer(broker: Self.gated(), authenticator: FakeCoffer.asksPassword)
        let result = try fixture.program.run("get", "github", "me", turns: [.init(wait: "Password: ", type: keys)])
        #expect(result.status == status)
        #expect(result.errors == "coffer: cancelled; nothing was done\n")
        #expect(fixture.authenticator.calls("Cancel").count == 1)
        #expect(fixture.authenticator.calls("Continue").isEmpty)
        #expect(result.echoes)
    }

    @Test func ctrlCEndsTheLoopOfAShell() throws {
        let fixture = try FakeCoffer(broker: Self.gated(), authenticator: FakeCoffer.asksPassword)
        var program = fixture.program
        program.executable = "/bin/bash"
        let script = #"for i in 1 2 3; do "$0" get github me; done; echo went on"#
        let result = try program.run("-c", script, Program.path, turns: [.init(wait: "Password: ", type: "\u{3}")])
        #expect(!result.text.contains("went on") && fixture.broker.calls("Get").count == 1, "\(result)")
    }

    /// Asking again would not help.
    @Test func whatIsNotUTF8IsNoWrongPassword() throws {
        let fixture = try FakeCoffer(broker: Self.gated(), authenticator: FakeCoffer.asksPassword)
        let turn = Program.Turn(wait: "Password: ", bytes: [0x70, 0xE4, 0x73, 0x0D])
        let result = try fixture.program.run("get", "github", "me", turns: [turn])
        #expect(result.status == 64, "\(result)")
        #expect(result.errors.contains("the input is not UTF-8; set the terminal to UTF-8"), "\(result)")
        #expect(!result.screen.contains("Wrong password"))
    }

    /// Ctrl-Z cannot suspend while the terminal is without echo, and is never part of a password.
    @Test func ctrlZIsNoPartOfAPassword() throws {
        let fixture = try FakeCoffer(broker: Self.gated(), authenticator: FakeCoffer.asksPassword)
        let result = try fixture.program.run(
            "get", "github", "me",
            turns: [.init(wait: "Password: ", type: "\u{1A}one\r"), .init(wait: "Password: ", type: "two\r")])
        #expect(result.status == 0)
        #expect(result.screen.contains("Ctrl-Z does not suspend"))
        #expect(result.echoes)
        let answers = try fixture.authenticator.calls("Continue").map {
            try $0.parameters(Authentication.Continue.self)?.answer
        }
        #expect(answers == ["two"])
    }

    /// A signal ends the program, and the terminal is as it was.
    @Test func aSignalLeavesTheTerminalAsItWas() throws {
        let fixture = try FakeCoffer(broker: Self.gated(), authenticator: FakeCoffer.asksPassword)
        var program = fixture.program
        program.executable = "/bin/sh"
        let pid = fixture.scratch.file("pid")
        // Once it asks, and not sooner.
        let turn = Program.Turn(wait: "Password: ", type: "") {
            let number = try String(contentsOfFile: pid, encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
            kill(try #require(Int32(number)), SIGTERM)
        }
        let result = try program.run(
            "-c", "echo $$ >\(pid); exec \"$0\" get github me", Program.path, turns: [turn])
        #expect(result.status == 128 + SIGTERM)
        #expect(result.screen.contains("Password: "))
        #expect(result.echoes)
        #expect(result.output.isEmpty)
    }

    @Test func messagesAreShownAndCannotDriveTheTerminal() throws {
        let fixture = try FakeCoffer(
            broker: Self.gated(),
            authenticator: [
                "Begin": [
                    .answer(
                        Authentication.Step(
                            message: .init(style: .info, text: "For \u{1B}[2Jevil\nline two"), done: false))
                ],
                "Continue": [Self.asks, .answer(Authentication.Step(message: nil, done: true))],
            ])
        let result = try fixture.program.run("get", "github", "me", turns: [.init(wait: "Password: ", type: "x\r")])
        #expect(result.status == 0)
        #expect(result.screen.contains("For \\u{1b}[2Jevil\r\nline two\r\n"))
        #expect(!result.screen.contains("\u{1B}"))
        #expect(
            try fixture.authenticator.calls("Continue").first?.parameters(Authentication.Continue.self)?.answer == nil)
    }

    /// The result if an authenticator asks, gets no answer, and then sends this or ends.
    private static func afterAsking(_ late: [UInt8]?) throws -> Program.Result {
        let question = Authentication.Step(message: .init(style: .secret, text: "Password: "), done: false)
        let fixture = try FakeCoffer(
            broker: gated(),
            authenticator: ["Begin": [.replyThenLate(FakeServer.encode(VarlinkReply(question)), late: late)]])
        return try fixture.program.run("get", "github", "me", turns: [])
    }

    @Test func theAuthenticatorsLimitEndsTheWait() throws {
        let result = try Self.afterAsking(FakeServer.encode(Fault(.authenticationTimedOut, "nobody answered in time")))
        #expect(result.status == 4)
        #expect(result.errors.contains("nobody answered in time"))
        #expect(result.echoes)
    }

    @Test func anAuthenticatorThatDiesIsNine() throws {
        let result = try Self.afterAsking(nil)
        #expect(result.status == 9)
        #expect(result.errors.contains("the connection to the authenticator broke: it was closed without an answer"))
    }

    @Test func aMissingAuthenticatorIsNine() throws {
        let fixture = try FakeCoffer(broker: Self.gated())
        var program = fixture.program
        program.environment["COFFER_AUTH_SOCKET"] = fixture.scratch.file("none.sock")
        let result = try program.run("get", "github", "me", turns: [])
        #expect(result.status == 9)
        #expect(result.errors.contains("the authenticator is not running"))
    }

    private static let failures: [(Fault, Int32)] = [
        (Fault(.notCompleted, .init(message: "the TPM is in lockout", kind: "lockout", code: 2337)), 8),
        (Fault(.notCompleted, .init(message: "row 7 is damaged", kind: "damaged")), 7),
        (Fault(.notCompleted, .init(message: "the disk is full", kind: "failed")), 1),
        (Fault(.brokerUnavailable, "the broker is gone"), 9),
        (Fault(.authenticationMisconfigured, "no file coffer in /etc/pam.d"), 4),
        (Fault(.authenticationChallengeRefused, "not yours"), 4),
    ]

    @Test(arguments: failures)
    func otherFailuresOfTheAuthenticator(fault: Fault, status: Int32) throws {
        var script = FakeCoffer.asksPassword
        script["Continue"] = [.reply(FakeServer.encode(fault))]
        let fixture = try FakeCoffer(broker: Self.gated(), authenticator: script)
        let result = try fixture.program.run("get", "github", "me", turns: [.init(wait: "Password: ", type: "x\r")])
        #expect(result.status == status)
        #expect(result.errors.contains(fault.details.message ?? "nothing"))
    }

    @Test func noPromptFailsAtOnce() throws {
        let fixture = try FakeCoffer(broker: Self.gated(), authenticator: FakeCoffer.asksPassword)
        let result = try fixture.program.run("get", "github", "me", "--no-prompt", turns: [])
        #expect(result.status == 4)
        #expect(result.errors.contains("coffer get github me"))
        #expect(fixture.authenticator.calls("Begin").isEmpty)
        #expect(try fixture.broker.calls("Get").first?.parameters(Keychain.Get.self)?.unlock == nil)
    }

    @Test func withNobodyToAskTheCommandIsNamed() throws {
        let fixture = try FakeCoffer(broker: Self.gated(), authenticator: FakeCoffer.asksPassword)
        let result = try fixture.program.run("get", "git hub", "me")
        #expect(result.status == 4)
        #expect(result.errors.contains("run in a terminal: coffer get 'git hub' me"))
        #expect(fixture.authenticator.calls("Begin").isEmpty)
    }

    @Test func onlyATerminalOpensALockedVault() throws {
        let fixture = try FakeCoffer(broker: ["Get": [.fault(.locked, "the vault is locked")]])
        let result = try fixture.program.run("get", "github", "me")
        #expect(result.status == 5)
        #expect(result.errors.contains("coffer unlock"))
        #expect(try fixture.broker.calls("Get").first?.parameters(Keychain.Get.self)?.unlock == nil)

        let opened = try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded([.unlock, .read]), FakeCoffer.value(Self.secret)]],
            authenticator: FakeCoffer.asksPassword)
        let read = try opened.program.run("get", "github", "me", turns: [.init(wait: "Password: ", type: "x\r")])
        #expect(read.output == Self.secret)
        #expect(try opened.broker.calls("Get").first?.parameters(Keychain.Get.self)?.unlock == true)
    }

    @Test func theFirstSetMakesAVault() throws {
        let fixture = try FakeCoffer(
            broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.personNeeded([.create]), FakeCoffer.stored()]],
            authenticator: FakeCoffer.asksPassword)
        let result = try fixture.program.run(
            "set", "github", "me", input: .bytes([1]), turns: [.init(wait: "Password: ", type: "x\r")])
        #expect(result.status == 0)
        #expect(result.screen.contains("No vault yet: making one for "))

        let alone = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.personNeeded([.create])]])
        let failed = try alone.program.run("set", "github", "me", input: .bytes([1]))
        #expect(failed.status == 4)
        #expect(failed.errors.contains("run in a terminal: coffer unlock"))
    }

    @Test func aSecondDemandForAPersonIsNotFollowed() throws {
        let fixture = try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded()]], authenticator: FakeCoffer.asksPassword)
        let result = try fixture.program.run("get", "github", "me", turns: [.init(wait: "Password: ", type: "x\r")])
        #expect(result.status == 4)
        #expect(fixture.authenticator.calls("Begin").count == 1)
    }
}
