import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// Attacker 4 says something on its connection to the authenticator before it hands it over to an agent. The person has
/// seen no prompt then, and the authenticator is in order.
@Suite struct SpoiltConnectionTests {
    private static let ctrlC = "\u{3}"

    @Test(arguments: ["x", "{\"a\":1}\u{0}", "{\"method\":\"org.coffer.Authentication.Cancel\"}\u{0}"])
    func thePersonSeesNothingOfIt(said: String) throws {
        let fixture = AgentFixture(coffer: try FakeCoffer(authenticator: ["Cancel": [.close]]))
        let failure = Box<Agent.Failure>()
        let result = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: Self.ctrlC) {
                    failure.value = try Self.failure(fixture, saying: said)
                }
            ])
        #expect(failure.value?.code == KeychainError.Code.authenticatorUnreachable.rawValue)
        #expect(failure.value?.message == "the connection to the authenticator ended before anything was asked")
        #expect(!(result.screen + result.errors).contains("authenticator"), "\(result)")
    }

    /// The caller has begun a conversation of its own.
    @Test func aConversationThatHasBegunAlreadyIsNotShownEither() throws {
        let text = "the conversation has begun already"
        let fixture = AgentFixture(
            coffer: try FakeCoffer(authenticator: ["Begin": [.fault(.authenticationInvalidArgument, text)]]))
        let failure = Box<Agent.Failure>()
        let result = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: Self.ctrlC) {
                    failure.value = try Self.failure(fixture, saying: "")
                }
            ])
        #expect(failure.value?.message == text)
        #expect(!(result.screen + result.errors).contains(text), "\(result)")
    }

    /// An authenticator that ends while a prompt is open is named.
    @Test func anEndAfterTheBeginningIsShown() throws {
        var script = FakeCoffer.asksPassword
        script["Continue"] = [.close]
        let fixture = AgentFixture(coffer: try FakeCoffer(authenticator: script))
        let caller = Box<Handed>()
        let failure = Box<Agent.Failure>()
        let result = try fixture.coffer.program.run(
            "agent",
            turns: [
                .init(wait: AgentFixture.banner, type: "") { caller.value = try Handed(fixture, saying: "") },
                .init(wait: "Password: ", type: "x\r"),
                .init(wait: "the connection to the authenticator broke", type: Self.ctrlC) {
                    failure.value = try caller.value?.failure()
                },
            ])
        #expect(failure.value?.code == KeychainError.Code.authenticatorUnreachable.rawValue, "\(result)")
    }

    private static func failure(_ fixture: AgentFixture, saying text: String) throws -> Agent.Failure? {
        try Handed(fixture, saying: text).failure()
    }

    /// A connection that was handed to an agent.
    private final class Handed {
        private var agent: VarlinkConnection

        /// - Parameter text: what is sent to the authenticator before.
        init(_ fixture: AgentFixture, saying text: String) throws {
            let path = fixture.coffer.scratch.file("auth.sock")
            let connection = try UnixSocket(connectingTo: path, until: .now + patience)
            if !text.isEmpty { try connection.send(Array(text.utf8), until: .now + patience) }
            var agent = try fixture.connect()
            _ = try agent.call(Agent.WaitForTurn(), until: .now + patience)
            try agent.send(
                Agent.Converse(challenge: "c1", connection: 0), passing: connection.number, until: .now + patience)
            self.agent = agent
        }

        func failure() throws -> Agent.Failure? {
            let answer = try agent.receive(Agent.Converse.Reply.self, until: .now + patience)
            guard case .reply(let reply, _) = answer else { return nil }
            return reply.failure
        }
    }
}
