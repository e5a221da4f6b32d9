import BrokerProtocol
import Foundation
import Glibc
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// A question that nobody waits for ends, no matter how it was asked. A client that ends takes its question along.
@Suite struct HangUpTests {
    /// A sandbox with one gated item, in which a person has the shortest configurable time.
    private func prepared() throws -> (Sandbox, Program) {
        let sandbox = try Sandbox()
        let program = Program(
            environment: ["COFFER_SOCKET": sandbox.folder + "/coffer.sock"], scratch: sandbox.scratch)
        #expect(try program.run("set", "s", "gated", "--require", "presence", input: .bytes([1])).status == 0)
        let configuration = try FileHandle(forWritingTo: URL(filePath: sandbox.folder + "/cofferd.conf"))
        try configuration.seekToEnd()
        try configuration.write(contentsOf: Data("prompt-timeout = 15\n".utf8))
        return (sandbox, program)
    }

    private static let late = "coffer: nobody answered in time; run the command again\n"
    private static let stopped =
        "coffer: the broker has ended this request: it has stopped, or your vault was locked; try again\n"

    private func killBroker(_ sandbox: Sandbox) -> String {
        "read -r broker rest <\(sandbox.folder)/cofferd.pid; kill -KILL $broker"
    }

    @Test(arguments: SlowPrompter.Kind.allCases)
    func aProgramThatIsTooSlowIsEnded(kind: SlowPrompter.Kind) throws {
        var (sandbox, program) = try prepared()
        let prompter = try SlowPrompter(kind, in: sandbox.scratch)
        program.environment.merge(prompter.environment) { $1 }
        let result = try program.run("get", "s", "gated")
        #expect(result.errors == Self.late)
        #expect(result.status == 4)
        #expect(try prompter.leftovers().isEmpty)
    }

    @Test func atATerminalItIsTheSame() throws {
        let (sandbox, program) = try prepared()
        let result = try withExtendedLifetime(sandbox) { try program.run("get", "s", "gated", turns: []) }
        #expect(result.errors == Self.late)
        #expect(result.status == 4)
    }

    @Test(arguments: SlowPrompter.Kind.allCases)
    func aBrokerThatIsKilledEndsTheProgram(kind: SlowPrompter.Kind) throws {
        var (sandbox, program) = try prepared()
        let prompter = try SlowPrompter(kind, in: sandbox.scratch, act: killBroker(sandbox))
        program.environment.merge(prompter.environment) { $1 }
        let result = try program.run("get", "s", "gated")
        #expect(result.errors == Self.stopped)
        #expect(result.status == 9)
        #expect(try prompter.leftovers().isEmpty)
    }

    @Test func aBrokerThatIsKilledEndsTheQuestionAtATerminal() throws {
        let (sandbox, program) = try prepared()
        let turn = Program.Turn(wait: "assword: ", type: "") {
            try Subprocess("/bin/sh", ["-c", killBroker(sandbox)]).finish()
        }
        let result = try program.run("get", "s", "gated", turns: [turn])
        #expect(result.errors == Self.stopped)
        #expect(result.status == 9)
        #expect(result.echoes)
    }

    /// However `coffer` ends, the program that asks for it also ends, with everything that it has started, even if it
    /// resists.
    @Test(arguments: SlowPrompter.Kind.allCases, [SIGTERM, SIGHUP, SIGINT, SIGKILL])
    func aClientThatEndsTakesTheProgramAlong(kind: SlowPrompter.Kind, signal: Int32) throws {
        for isStubborn in [false, true] {
            let fixture = try FakeCoffer(
                broker: ["Get": [FakeCoffer.personNeeded()]], authenticator: FakeCoffer.asksPassword)
            let client = fixture.scratch.file("client")
            let prompter = try SlowPrompter(
                kind, in: fixture.scratch, isStubborn: isStubborn, act: "kill -\(signal) $(cat \(client))")
            var program = fixture.program
            program.environment.merge(prompter.environment) { $1 }
            program.executable = "/bin/sh"
            let result = try program.run("-c", "echo $$ >\(client); exec \"$0\" get github me", Program.path)
            #expect(result.status == 128 + signal, "\(result)")
            #expect(try prompter.leftovers().isEmpty, "stubborn: \(isStubborn)")
        }
    }

    /// Nobody waits for what a program leaves behind, and nothing of it stays.
    @Test func aProgramThatHasAnsweredTakesAlongWhatItLeaves() throws {
        let fixture = try FakeCoffer(
            broker: ["Get": [FakeCoffer.personNeeded(), FakeCoffer.value([7])]],
            authenticator: FakeCoffer.asksPassword)
        // What it has started has its output open, too.
        let prompter = try SlowPrompter(.askpass, in: fixture.scratch, act: "echo word; exit 0")
        var program = fixture.program
        program.environment.merge(prompter.environment) { $1 }
        let result = Result { try program.run("get", "github", "me") }
        #expect(try prompter.leftovers().isEmpty)
        let ended = try result.get()
        #expect(ended.status == 0 && ended.output == [7], "\(ended)")
    }

    /// If nobody waits for an answer, that is no reason to say that the authenticator is not running.
    @Test func whatTheAuthenticatorSaidBeforeItHungUpCounts() throws {
        let fixture = try FakeCoffer(
            authenticator: [
                "Begin": [
                    .replyThenLate(
                        FakeServer.encode(
                            VarlinkReply(
                                Authentication.Step(
                                    message: .init(style: .secret, text: "Password: "), done: false))),
                        late: FakeServer.encode(Fault(.authenticationTimedOut, "nobody answered in time")))
                ]
            ])
        let authenticator = Authenticator(
            paths: SocketPaths(environment: fixture.program.environment), caller: getuid())
        var prompter: any Prompter = LatePrompter()
        let error = #expect(throws: KeychainError.self) { try authenticator.pass("c1", by: &prompter) }
        #expect(error?.code == .timedOut)
        #expect(error?.description.contains("nobody answered in time") == true)
    }

    /// Answers when the authenticator has long gone, and never checks whether it has.
    private struct LatePrompter: Prompter {
        mutating func tell(_ message: Authentication.Message) throws(KeychainError) {}

        mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? {
            usleep(300_000)
            return "late"
        }
    }
}
