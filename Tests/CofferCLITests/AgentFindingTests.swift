import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

@testable import Coffer

/// Which agent a program takes if one has no place of its own, or says nothing.
@Suite struct AgentFindingTests {
    private static func agent(_ path: String, place: String? = nil, isSilent: Bool = false) throws -> FakeServer {
        let state = Agent.GetState.Reply(pid: 1, place: place, callers: 0)
        return try FakeServer(
            path: path,
            [
                "GetState": [isSilent ? .silence : .answer(state)],
                "WaitForTurn": [.answer(Agent.WaitForTurn.Reply(place: "display"))],
                "Converse": [.answer(Agent.Converse.Reply())],
            ])
    }

    /// What came of a program that needs a person.
    private struct Outcome {
        let result: Program.Result
        let display: String?
        let agent: FakeServer
        let authenticator: FakeServer
    }

    /// - Parameters:
    ///   - socket: the name of the agent's socket.
    ///   - hasDisplay: whether the program could show a dialog itself.
    private func outcome(
        _ socket: String, isSilent: Bool = false, hasDisplay: Bool = true, hasSession: Bool = false
    ) throws -> Outcome {
        var coffer = try AgentFixture().coffer
        let display = try FakeDisplay(in: coffer.scratch)
        if hasDisplay {
            try ProcessStateTests.pinentry("pinentry", in: coffer.scratch)
            coffer.program.environment["PATH"] = "\(coffer.scratch.path):/usr/bin:/bin"
            coffer.program.environment["WAYLAND_DISPLAY"] = display.name
        }
        if hasSession { coffer.program.environment["XDG_RUNTIME_DIR"] = coffer.scratch.path }
        let agent = try Self.agent(coffer.scratch.file(socket), isSilent: isSilent)
        let result = try withExtendedLifetime(display) { try coffer.program.run("get", "github", "me") }
        return Outcome(result: result, display: display.name, agent: agent, authenticator: coffer.authenticator)
    }

    /// The session's agent takes turns, and can show its dialogs at the caller's display.
    @Test func theSessionsAgentAsksAtTheCallersDisplay() throws {
        let outcome = try outcome("agent.sock")
        #expect(outcome.result.status == 0 && outcome.result.output == AgentFixture.secret, "\(outcome.result)")
        let calls = outcome.agent.calls("WaitForTurn")
        #expect(try calls.map { try $0.parameters(Agent.WaitForTurn.self)?.display?.wayland } == [outcome.display])
        #expect(outcome.authenticator.calls("Begin").isEmpty)
    }

    @Test func whatAnAgentCallsItsPlaceIsShownAsText() throws {
        let coffer = try AgentFixture().coffer
        let agent = try Self.agent(coffer.scratch.file("agent.sock"), place: "display \u{1B}[2J\nAgent: process 7")
        let result = try withExtendedLifetime(agent) { try coffer.program.run("agent", "status") }
        #expect(result.text == "Agent: process 1, asks at: display \\u{1b}[2J\\nAgent: process 7\n", "\(result)")
    }

    @Test func anAgentOfATerminalThatIsGoneIsPassedOver() throws {
        let outcome = try outcome("agent-terminal.sock")
        #expect(outcome.result.status == 0, "\(outcome.result)")
        #expect(outcome.agent.calls("WaitForTurn").isEmpty && outcome.authenticator.calls("Begin").count == 1)
    }

    @Test(arguments: ["agent.sock", "agent-terminal.sock"])
    func anAgentThatReachesNobodyIsPassedOver(socket: String) throws {
        let outcome = try outcome(socket, hasDisplay: false)
        #expect(outcome.result.status == 4, "\(outcome.result)")
        #expect(outcome.agent.calls("WaitForTurn").isEmpty && outcome.authenticator.calls("Begin").isEmpty)
    }

    /// Another agent could not have its socket, so none is started.
    @Test func besideASilentAgentOfTheSessionTheProgramAsksItself() throws {
        let outcome = try outcome("agent.sock", isSilent: true, hasSession: true)
        #expect(outcome.result.status == 0, "\(outcome.result)")
        #expect(outcome.agent.calls("WaitForTurn").isEmpty && outcome.authenticator.calls("Begin").count == 1)
    }
}
