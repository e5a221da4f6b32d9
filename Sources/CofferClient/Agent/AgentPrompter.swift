import BrokerProtocol
import JSON
import Platform
import Varlink

/// Has an agent ask. The agent holds the whole conversation, so this prompter shows and asks nothing itself: the words of a caller reach nobody.
package struct AgentPrompter: Prompter {
    private let client: AgentClient
    private let display: Display?
    /// Asks if the agent cannot be had.
    private let fallback: (any Prompter)?

    init(client: AgentClient, display: Display?, fallback: (any Prompter)?) {
        self.client = client
        self.display = display
        self.fallback = fallback
    }

    package mutating func tell(_ message: Authentication.Message) throws(KeychainError) {}

    package mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? {
        throw KeychainError(.authenticationNeeded, "an agent asks only what the authenticator asks")
    }

    package var delegate: AgentPrompter? { self }

    /// Has a person asked to pass the challenge. Blocks until the conversation has ended.
    func pass(_ challenge: String, _ authenticator: Authenticator, _ stop: AgentStop) throws(KeychainError) {
        let failure: Agent.Failure?
        // Whether a person may have been asked.
        var isAsked = false
        do throws(KeychainError) {
            var agent = try client.open()
            try stop.watch(agent)
            try waitForTurn(&agent)
            isAsked = true
            failure = try converse(challenge, authenticator, by: &agent)
        } catch {
            let canTurnElsewhere = error.code == .authenticationNeeded || (error.code == .timedOut && !isAsked)
            guard canTurnElsewhere, var prompter = fallback else { throw error }
            return try authenticator.pass(challenge, by: &prompter, until: stop)
        }
        if let failure { throw KeychainError(failure) }
    }

    /// - Throws: ``KeychainError`` if the agent could not hold the conversation.
    /// - Returns: how the conversation failed; nil if the person was recognised.
    private func converse(
        _ challenge: String, _ authenticator: Authenticator, by agent: inout VarlinkConnection
    ) throws(KeychainError) -> Agent.Failure? {
        do throws(KeychainError) {
            try handOver(challenge, try authenticator.open(), to: agent)
            let reply: Agent.Converse.Reply = try answer(of: &agent)
            return reply.failure
        } catch {
            // A person may have been asked already, and is not asked again.
            guard error.code == .authenticationNeeded else { throw error }
            throw KeychainError(.cancelled, "the agent has ended", advice: "run the command again")
        }
    }

    private func waitForTurn(_ agent: inout VarlinkConnection) throws(KeychainError) {
        do throws(TransportFailure) {
            try agent.send(Agent.WaitForTurn(display: display?.wire), until: .now + CallLimits.agent)
        } catch { throw AgentClient.gone(error) }
        let _: Agent.WaitForTurn.Reply = try answer(of: &agent)
    }

    /// - Parameter authenticator: its connection ends here with this call. Only the agent's copy is left, so that the authenticator notices when the
    ///   agent closes it.
    private func handOver(
        _ challenge: String, _ authenticator: consuming VarlinkConnection, to agent: borrowing VarlinkConnection
    ) throws(KeychainError) {
        do throws(TransportFailure) {
            try agent.send(
                Agent.Converse(challenge: challenge, connection: 0), passing: authenticator.number,
                until: .now + CallLimits.agent)
        } catch { throw AgentClient.gone(error) }
    }

    private func answer<Reply: JSONValue>(of agent: inout VarlinkConnection) throws(KeychainError) -> Reply {
        try waitForAnswer(of: agent)
        let answer: VarlinkAnswer<Reply>
        do throws(TransportFailure) {
            answer = try agent.receive(Reply.self, until: .now + CallLimits.agent)
        } catch { throw AgentClient.gone(error) }
        switch answer {
        case .reply(let reply, _): return reply
        case .fault(let fault): throw KeychainError(agentFault: fault)
        }
    }

    /// Waits while other callers or this one's person are asked, as long as the agent still tells its state.
    private func waitForAnswer(of agent: borrowing VarlinkConnection) throws(KeychainError) {
        let end = ContinuousClock.now + CallLimits.authenticator
        while true {
            let ready: [Bool]
            do throws(SystemError) {
                ready = try Readiness.wait(
                    for: [(agent.number, .input)], until: min(end, .now + CallLimits.agentWatch))
            } catch { throw KeychainError(.failed, error.description) }
            if ready[0] { return }
            if ContinuousClock.now < end {
                guard case .silent = client.look() else { continue }
            }
            throw client.silent
        }
    }
}
