import BrokerProtocol
import Glibc
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// What a caller makes of its agent. Attacker 9: a person who may have been asked already is not asked again elsewhere.
@Suite("An agent that asks, refuses, ends or says nothing")
struct AgentPrompterTests {
    private static let turn = FakeServer.Step.answer(Agent.WaitForTurn.Reply(place: "terminal"))
    private static let question = Authentication.Step(
        message: .init(style: .secret, text: "Password:"), done: false, step: 1)

    /// A prompter of this process.
    private struct Fallback: Prompter {
        let heard: Heard

        mutating func tell(_ message: Authentication.Message) throws(KeychainError) {}

        mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? {
            heard.add(message.text)
            return "x"
        }
    }

    /// - Returns: the error, and what this process has asked in the agent's place.
    private static func pass(
        _ script: [String: [FakeServer.Step]], hasFallback: Bool = true
    ) throws -> (error: KeychainError?, asked: [String]) {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        let agent = try FakeServer(path: folder.path + "/agent", script)
        let authenticator = try FakeServer(
            path: paths.authenticator,
            [
                "Begin": [.answer(question)],
                "Continue": [.answer(Authentication.Step(message: nil, done: true))],
            ])
        let heard = Heard()
        let prompter = AgentPrompter(
            client: AgentClient(path: folder.path + "/agent", user: geteuid()), display: nil,
            fallback: hasFallback ? Fallback(heard: heard) : nil)
        var failure: KeychainError?
        do throws(KeychainError) {
            try prompter.pass("c1", Authenticator(paths: paths, caller: geteuid()), AgentStop())
        } catch { failure = error }
        #expect(authenticator.calls("Begin").count == heard.texts.count)
        withExtendedLifetime((folder, agent)) {}
        return (failure, heard.texts)
    }

    @Test("an agent holds the whole conversation, and says how it ended")
    func holds() throws {
        let passed = try Self.pass(["WaitForTurn": [Self.turn], "Converse": [.answer(Agent.Converse.Reply())]])
        #expect(passed.error == nil && passed.asked.isEmpty)
        let failure = Agent.Failure(KeychainError(.wrongPassword, "wrong", advice: "again", cause: "errno 1"))
        let refused = try Self.pass([
            "WaitForTurn": [Self.turn], "Converse": [.answer(Agent.Converse.Reply(failure: failure))],
        ])
        #expect(refused.error?.code == .wrongPassword && refused.error?.message == "wrong" && refused.asked.isEmpty)
        #expect(refused.error?.advice == "again" && refused.error?.cause == "errno 1")
    }

    @Test("before anybody was asked, a person is asked here instead")
    func elsewhere() throws {
        for step in [FakeServer.Step.fault(.agentNobodyHere, "nobody"), .close] {
            let here = try Self.pass(["WaitForTurn": [step]])
            #expect(here.error == nil && here.asked == ["Password:"])
            let nobody = try Self.pass(["WaitForTurn": [step]], hasFallback: false)
            #expect(nobody.error?.code == .authenticationNeeded && nobody.asked.isEmpty)
        }
    }

    @Test("an agent that refuses the call is not gone round")
    func refuses() throws {
        for (name, code) in [
            (Fault.Name.agentInvalidArgument, KeychainError.Code.invalidArgument),
            (.agentLimitExceeded, .limitExceeded), (.agentConnectionRefused, .authenticatorUntrusted),
            (.notFound, .protocolViolation),
        ] {
            let outcome = try Self.pass(["WaitForTurn": [.fault(name, "m")]])
            #expect(outcome.error?.code == code && outcome.asked.isEmpty)
        }
    }

    @Test("if the agent may have asked the person, nobody is asked here", arguments: [true, false])
    func ends(isClosed: Bool) throws {
        let step = isClosed ? FakeServer.Step.close : .fault(.agentNobodyHere, "gone")
        let outcome = try Self.pass(["WaitForTurn": [Self.turn], "Converse": [step]])
        #expect(outcome.error?.code == .cancelled && outcome.asked.isEmpty)
    }

    /// It was suspended, before its turn or while it asked.
    @Test(
        "an agent that says nothing is given up, and a person is asked here only before its turn",
        arguments: [true, false])
    func silent(hasTurn: Bool) throws {
        let outcome = try Self.pass([
            "WaitForTurn": [hasTurn ? Self.turn : .silence], "Converse": [.silence], "GetState": [.silence],
        ])
        #expect(outcome.error?.code == (hasTurn ? .timedOut : nil))
        #expect(outcome.asked == (hasTurn ? [] : ["Password:"]))
    }

    @Test("no agent takes the code of another machine")
    func code() throws {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        let agent = try FakeServer(path: folder.path + "/agent", ["WaitForTurn": [Self.turn]])
        var prompter: any Prompter = AgentPrompter(
            client: AgentClient(path: folder.path + "/agent", user: geteuid()), display: nil, fallback: nil)
        var code: KeychainError.Code?
        do throws(KeychainError) {
            try Authenticator(paths: paths, caller: geteuid()).pass("c1", code: TypedCode("123"), by: &prompter)
        } catch { code = error.code }
        #expect(code == .authenticationNeeded && agent.calls("WaitForTurn").isEmpty)
    }
}
