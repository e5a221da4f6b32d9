import BrokerProtocol
import Foundation
import Glibc
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer

/// An agent in a terminal asks for programs that have none.
@Suite struct AgentTests {
    private static let ctrlC = "\u{3}"

    /// The prompt names the caller, because the caller has connected to the authenticator. The agent only shows it.
    @Test func thePromptNamesTheCallerAndNotTheAgent() throws {
        let sandbox = try Sandbox()
        let program = Program(
            environment: ["COFFER_SOCKET": sandbox.folder + "/coffer.sock"], scratch: sandbox.scratch)
        #expect(try program.run("set", "s", "gated", "--require", "presence", input: .bytes([65])).status == 0)
        let caller = Box<Subprocess>()
        let end = Box<Int32>()
        let result = try program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "") {
                    caller.value = try Subprocess(Program.path, ["get", "s", "gated", "--reason", "monthly"]) {
                        $0.environment = program.environment
                        $0.leadsSession = true
                        $0.output = .pipe
                    }
                },
                .init(wait: "assword: ", type: "sandbox\r"),
                .init(wait: "\n", type: Self.ctrlC) { end.value = try caller.value?.wait(until: .now + patience) },
            ])
        #expect(end.value == 0, "\(result)")
        #expect(try caller.value?.readAll() == [65])
        let pid = try #require(caller.value?.pid)
        #expect(result.screen.replacing("\r\n   ", with: "").contains("(process \(pid), "), "\(result.screen)")
        #expect(result.screen.contains("Reason it gives: \"monthly\""))
        #expect(result.echoes && !result.screen.contains("sandbox"))
    }

    /// Both callers are there before the first is answered. The second prompt comes after the first one's end.
    @Test func callersAreAskedForOneAfterTheOther() throws {
        let fixture = try AgentFixture(callers: 2)
        let callers = Box<[Subprocess]>()
        let ends = Box<[Int32?]>()
        let result = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "") { callers.value = [try fixture.caller()] },
                .init(wait: "Password: ", type: "one\r") {
                    callers.value?.append(try fixture.caller())
                    // `try?`: an agent that fails has no such state.
                    #expect(eventually { (try? fixture.client.call(Agent.GetState()))?.callers == 2 })
                },
                .init(wait: "Password: ", type: "two\r"),
                .init(wait: "\n", type: Self.ctrlC) {
                    ends.value = try callers.value?.map { try $0.wait(until: .now + patience) }
                },
            ])
        #expect(ends.value == [0, 0], "\(result)")
        let answers = try fixture.coffer.authenticator.calls("Continue").map {
            try $0.parameters(Authentication.Continue.self)?.answer
        }
        #expect(answers == ["one", "two"])
    }

    /// A refusal reaches the caller with its own code and words.
    @Test func theCallerLearnsHowItEnded() throws {
        var fixture = try AgentFixture()
        let script: [String: [FakeServer.Step]] = [
            "Begin": FakeCoffer.asksPassword["Begin"]!,
            "Continue": [.fault(.authenticationFailed, .init(message: "PAM says no", reason: "password"))],
        ]
        fixture = AgentFixture(
            coffer: try FakeCoffer(
                broker: ["Get": [FakeCoffer.personNeeded()], "Withdraw": [.answer(Nothing())]], authenticator: script))
        let (caller, end) = (Box<Subprocess>(), Box<(status: Int32, text: String)>())
        _ = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "") { [fixture] in caller.value = try fixture.caller() },
                .init(wait: "Password: ", type: "x\r"),
                .init(wait: "wrong password", type: Self.ctrlC) {
                    end.value = try AgentFixture.outcome(try #require(caller.value))
                },
            ])
        #expect(end.value?.status == 4)
        #expect(end.value?.text == "coffer: wrong password; run the command again\n")
    }

    /// The prompt of a caller that is gone closes at once, and the next caller has its turn.
    @Test func aCallerThatEndsTakesItsPromptAlong() throws {
        let fixture = try AgentFixture(callers: 2)
        let caller = Box<Subprocess>()
        let end = Box<Int32>()
        let result = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "") { caller.value = try fixture.caller() },
                .init(wait: "Password: ", type: "") {
                    caller.value?.signal(SIGKILL)
                    caller.value = try fixture.caller()
                },
                .init(wait: "Password: ", type: "two\r"),
                .init(wait: "\n", type: Self.ctrlC) { end.value = try caller.value?.wait(until: .now + patience) },
            ])
        #expect(end.value == 0, "\(result)")
        #expect(fixture.coffer.authenticator.calls("Cancel").count == 1)
        #expect(fixture.coffer.authenticator.calls("Continue").count == 1)
    }

    /// A program of the same user cannot have its own words shown, because the agent talks to the authenticator only.
    @Test func wordsThatAreNotTheAuthenticatorsAreNotShown() throws {
        let fixture = try AgentFixture()
        let forger = try FakeServer(
            path: fixture.coffer.scratch.file("forged.sock"),
            ["Begin": [.answer(Authentication.Step(message: .init(style: .secret, text: "FORGED: "), done: false))]])
        let (errors, path) = (Box<[Fault.Name?]>(), fixture.coffer.scratch.file("forged.sock"))
        let result = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: Self.ctrlC) {
                    errors.value = try [path, nil].map { path in try Self.fault(fixture, handing: path) }
                }
            ])
        #expect(errors.value == [.agentConnectionRefused, .agentConnectionRefused])
        #expect(forger.calls("Begin").isEmpty)
        #expect(!result.screen.contains("FORGED"))
    }

    /// Attacker 4 has begun the conversation, has taken the notice away, and hands the connection over with the question in it.
    @Test func aQuestionWithoutItsNoticeIsNotShown() throws {
        let question = Authentication.Step(message: .init(style: .secret, text: "Password: "), done: false, step: 2)
        let fixture = AgentFixture(
            coffer: try FakeCoffer(
                broker: ["Get": [FakeCoffer.personNeeded()], "Withdraw": [.answer(Nothing())]],
                authenticator: ["Begin": [.answer(question)]]))
        let (caller, end) = (Box<Subprocess>(), Box<(status: Int32, text: String)>())
        let result = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: Self.ctrlC) {
                    caller.value = try fixture.caller()
                    end.value = try AgentFixture.outcome(try #require(caller.value))
                }
            ])
        #expect(end.value?.status != 0 && end.value?.text.contains("somebody else") == true, "\(end)")
        #expect(!result.screen.contains("Password"))
        #expect(fixture.coffer.authenticator.calls("Continue").isEmpty)
    }

    /// Takes the turn and hands a connection to another socket over.
    private static func fault(_ fixture: AgentFixture, handing path: String?) throws -> Fault.Name? {
        var agent = try fixture.connect()
        _ = try agent.call(Agent.WaitForTurn(), until: .now + patience)
        let converse = Agent.Converse(challenge: "c1", connection: 0)
        if let path {
            let other = try VarlinkConnection(path: path, until: .now + patience)
            try agent.send(converse, passing: other.number, until: .now + patience)
        } else {
            try agent.send(converse, until: .now + patience)
        }
        guard case .fault(let fault) = try agent.receive(Agent.Converse.Reply.self, until: .now + patience) else {
            return nil
        }
        return fault.name
    }

    /// Nobody is asked for a caller that has not waited for its turn.
    @Test func whoseTurnItIsNotIsNotAskedFor() throws {
        let fixture = try AgentFixture()
        let name = Box<Fault.Name>()
        _ = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: Self.ctrlC) {
                    var agent = try fixture.connect()
                    let authenticator = try VarlinkConnection(
                        path: fixture.coffer.scratch.file("auth.sock"), until: .now + patience)
                    try agent.send(
                        Agent.Converse(challenge: "c1", connection: 0), passing: authenticator.number,
                        until: .now + patience)
                    if case .fault(let fault) = try agent.receive(Agent.Converse.Reply.self, until: .now + patience) {
                        name.value = fault.name
                    }
                }
            ])
        #expect(name.value == .agentInvalidArgument)
        #expect(fixture.coffer.authenticator.calls("Begin").isEmpty)
    }

    @Test func aFloodIsRefusedAndLeavesTheAgentUsable() throws {
        let fixture = try AgentFixture()
        let (refused, caller, end) = (Box<Int>(), Box<Subprocess>(), Box<Int32>())
        let result = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "") {
                    var open: [Int32] = []
                    refused.value = 0
                    for _ in 0..<48 {
                        var connection = try fixture.connect()
                        if case .fault(let fault) = try connection.call(Agent.GetState(), until: .now + patience) {
                            #expect(fault.name == .agentLimitExceeded)
                            refused.value? += 1
                        }
                        open.append(fcntl(connection.number, F_DUPFD_CLOEXEC, 0))
                    }
                    for number in open { close(number) }
                    caller.value = try fixture.caller()
                },
                .init(wait: "Password: ", type: "x\r"),
                .init(wait: "\n", type: Self.ctrlC) { end.value = try caller.value?.wait(until: .now + patience) },
            ])
        #expect(refused.value == 16, "\(result)")
        #expect(end.value == 0, "\(result)")
    }

    @Test func textsThatAreTooLongAreRefused() throws {
        let fixture = try AgentFixture()
        let answers = Box<[Fault.Name?]>()
        _ = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: Self.ctrlC) {
                    answers.value = try [String(repeating: ":", count: 5000), "a\u{1B}b", ""].map { name in
                        var agent = try fixture.connect()
                        let wait = Agent.WaitForTurn(display: .init(x11: name))
                        guard case .fault(let fault) = try agent.call(wait, until: .now + patience) else { return nil }
                        return fault.name
                    }
                    var agent = try fixture.connect()
                    try agent.send(Agent.Update(display: .init(x11: String(repeating: ":", count: 50_000))), until: nil)
                    #expect(throws: TransportFailure.self) {
                        try agent.receive(Agent.Update.Reply.self, until: .now + patience)
                    }
                }
            ])
        #expect(answers.value == [.agentInvalidArgument, .agentInvalidArgument, .agentInvalidArgument])
    }

    /// The second agent takes over from the first, and the first ends.
    @Test func aSecondTerminalTakesOver() throws {
        let fixture = try AgentFixture()
        let second = Box<Program.Result>()
        let (caller, end) = (Box<Subprocess>(), Box<Int32>())
        let first = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "") {
                    second.value = try fixture.coffer.program.run(
                        "agent",
                        turns: [
                            .init(wait: AgentFixture.banner, type: "") { caller.value = try fixture.caller() },
                            .init(wait: "Password: ", type: "x\r"),
                            .init(wait: "\n", type: Self.ctrlC) {
                                end.value = try caller.value?.wait(until: .now + patience)
                            },
                        ])
                }
            ])
        #expect(first.status == 0 && !first.screen.contains("Password"))
        #expect(end.value == 0)
    }

    /// The socket is its user's alone.
    @Test func othersCannotReachTheSocket() throws {
        let fixture = try AgentFixture()
        let mode = Box<mode_t>()
        _ = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: Self.ctrlC) {
                    mode.value = try FileStatus.of(fixture.path)?.mode
                }
            ])
        #expect(mode.value.map { $0 & 0o7777 } == 0o600)
        #expect(!FileManager.default.fileExists(atPath: fixture.path) || !Reachability.answers(path: fixture.path))
    }

    /// Ctrl-Z in the agent's terminal. The caller says so, instead of "there is no terminal".
    @Test func aSuspendedAgentIsNamed() throws {
        let fixture = try AgentFixture()
        let end = Box<(status: Int32, text: String)>()
        _ = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: Self.ctrlC) {
                    let pid = pid_t(try fixture.client.call(Agent.GetState()).pid)
                    kill(pid, SIGSTOP)
                    defer { kill(pid, SIGCONT) }
                    end.value = try AgentFixture.outcome(try fixture.caller())
                }
            ])
        #expect(end.value?.status == 4, "\(end)")
        #expect(end.value?.text.contains("the agent does not answer (\(fixture.path)); if it is suspended") == true)
    }

    @Test func anAgentThatIsSuspendedWithAnOpenPromptIsNamed() throws {
        let fixture = try AgentFixture()
        let (caller, end) = (Box<Subprocess>(), Box<(status: Int32, text: String)>())
        let pid = Box<pid_t>()
        _ = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "") {
                    pid.value = pid_t(try fixture.client.call(Agent.GetState()).pid)
                    caller.value = try fixture.caller()
                },
                .init(wait: "Password: ") {
                    let pid = try #require(pid.value)
                    kill(pid, SIGSTOP)
                    defer {
                        kill(pid, SIGCONT)
                        kill(pid, SIGINT)
                    }
                    end.value = try AgentFixture.outcome(try #require(caller.value))
                },
            ])
        #expect(end.value?.text.contains("the agent does not answer (\(fixture.path))") == true, "\(end)")
        #expect(end.value?.status != 0)
    }

    /// Where others could exchange the socket, no agent listens.
    @Test func aFolderThatOthersCanChangeIsRefused() throws {
        let fixture = try AgentFixture()
        _ = unsafe chmod(fixture.coffer.scratch.path, 0o777)
        let result = try fixture.coffer.program.run("agent", turns: [])
        #expect(result.status == 1)
        #expect(result.errors.contains("others can change"), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: fixture.path))
    }

    @Test func withoutATerminalItSaysSo() throws {
        let fixture = try FakeCoffer()
        let result = try fixture.program.run("agent")
        #expect(result.status == 4)
        #expect(
            result.errors
                == "coffer: coffer agent asks in a terminal, and there is none here; run in a terminal: coffer agent\n")
        #expect(try fixture.program.run("agent", "status").status == 3)
    }
}

/// Other users and an agent. Needs root, to be somebody else.
@Suite(.enabled(if: geteuid() == 0, "only root can become other users")) struct AgentUserTests {
    private static let become = ["--reuid", "65533", "--regid", "65533", "--clear-groups"]
    /// Prints the agent's answer.
    private static let call = #"""
        $SIG{PIPE} = 'IGNORE'; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die;
        print $s "{\"method\":\"org.coffer.Agent.GetState\"}\0"; $s->flush; local $/ = "\0"; print scalar <$s>
        """#

    /// The kernel's word keeps others out even if somebody has opened the socket to all.
    @Test func anotherUserGetsNothing() throws {
        let fixture = try AgentFixture()
        let (answer, state) = (Box<String>(), Box<Int64>())
        _ = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "\u{3}") {
                    _ = unsafe chmod(fixture.path, 0o666)
                    let stranger = try Subprocess(
                        "/usr/bin/setpriv", Self.become + ["perl", "-MIO::Socket::UNIX", "-e", Self.call, fixture.path]
                    ) { $0.output = .pipe }
                    answer.value = String(decoding: try stranger.readAll(), as: UTF8.self)
                    state.value = try fixture.client.call(Agent.GetState()).callers
                }
            ])
        #expect(answer.value?.contains("org.varlink.service.PermissionDenied") == true, "\(answer.value ?? "")")
        #expect(state.value == 0)
    }

    /// A socket that another user serves is not believed, whatever it says.
    @Test func anotherUsersAgentIsNotBelieved() throws {
        let fixture = try AgentFixture()
        _ = unsafe chmod(fixture.coffer.scratch.path, 0o777)
        let forged = try Subprocess(
            "/usr/bin/setpriv",
            Self.become + [
                "perl", "-MIO::Socket::UNIX", "-e",
                #"""
                $| = 1; my $l = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 9) or die; chmod 0666, $ARGV[0]; print "ready\n";
                while (my $s = $l->accept) { local $/ = "\0"; while (<$s>) { print $s "{\"parameters\":{\"pid\":1,\"place\":\"x\",\"callers\":0}}\0"; $s->flush } }
                """#, fixture.path,
            ]
        ) { $0.output = .pipe }
        defer { forged.signal(SIGKILL) }
        #expect(String(decoding: try forged.read(limit: 6), as: UTF8.self) == "ready\n")
        let result = try fixture.coffer.program.run("get", "github", "me")
        #expect(result.status == 4, "\(result)")
        #expect(result.output.isEmpty)
    }
}
