import BrokerProtocol
import Platform
import Synchronization
import Varlink

/// A caller's access to an agent of its own user.
package struct AgentClient: Sendable {
    private let path: String
    private let user: UInt32
    private let starter: ProgramGuardian?

    /// - Parameters:
    ///   - user: the user of this process. No other user's agent is believed.
    ///   - starter: the program that starts an agent if none runs; nil to start none.
    package init(path: String, user: UInt32, starter: ProgramGuardian? = nil) {
        self.path = path
        self.user = user
        self.starter = starter
    }

    /// Whether an agent can be talked to.
    enum Presence: Sendable {
        case none
        /// Somebody has the socket and does not answer, such as an agent that was suspended (Ctrl-Z).
        case silent
        case answering(Agent.GetState.Reply)
    }

    /// Asks the agent for its state. An agent answers at once, also while a prompt is open.
    func look() -> Presence {
        do throws(KeychainError) { return .answering(try call(Agent.GetState(), within: CallLimits.agentState)) } catch
        {
            // Without an agent, or with one that cannot be talked to, the person is found in another way.
            return error.code == .timedOut ? .silent : .none
        }
    }

    /// Makes a call that waits for nobody.
    /// - Throws: `.authenticationNeeded` if there is no agent, `.timedOut` if it does not answer, or the agent's own error.
    package func call<Method: VarlinkMethod>(
        _ method: Method, within limit: Duration = CallLimits.agent
    ) throws(KeychainError) -> Method.Reply {
        var connection = try connect()
        let answer: VarlinkAnswer<Method.Reply>
        do throws(TransportFailure) {
            answer = try connection.call(method, until: .now + limit)
        } catch .deadline { throw silent } catch { throw Self.gone(error) }
        switch answer {
        case .reply(let reply, _): return reply
        case .fault(let fault): throw KeychainError(agentFault: fault)
        }
    }

    /// Connects, and starts an agent if none runs.
    func open() throws(KeychainError) -> VarlinkConnection {
        do throws(KeychainError) { return try connect() } catch {
            guard let starter else { throw error }
            do throws(SystemError) { try AgentStart.run(try starterPath(starter)) } catch {
                throw KeychainError(.authenticationNeeded, "the agent does not start: \(error.reason)")
            }
            return try connect()
        }
    }

    private func starterPath(_ starter: ProgramGuardian) throws(SystemError) -> String {
        do throws(KeychainError) { return try starter.path() } catch {
            throw SystemError("start the agent", reason: error.message)
        }
    }

    private func connect() throws(KeychainError) -> VarlinkConnection {
        do throws(TransportFailure) {
            let connection = try VarlinkConnection(path: path, until: .now + CallLimits.agent)
            // The process that serves the socket shows the prompts, and sees what is typed.
            let peer = try connection.peer()
            guard peer.uid == user else {
                throw .unreachable("it belongs to uid \(peer.uid)")
            }
            return connection
        } catch .unnamed {
            throw .unnamedServer(of: path, .authenticationNeeded)
        } catch { throw Self.gone(error) }
    }

    /// The error if the agent has the socket and does not answer.
    var silent: KeychainError {
        KeychainError(
            .timedOut, "the agent does not answer (\(path))", advice: SilentAgent.advice)
    }

    static func gone(_ failure: TransportFailure) -> KeychainError {
        KeychainError(
            .authenticationNeeded, "there is no agent: \(failure.reason)",
            advice: "start one in a terminal: coffer agent")
    }
}

/// What to do about an agent that does not answer.
enum SilentAgent {
    static let advice = "if it is suspended, continue it with fg; or open another one in a terminal: coffer agent"
}

/// Lets another thread end a conversation that an agent holds.
package final class AgentStop: Sendable {
    private struct State {
        var end: ConnectionEnd?
        var isStopped = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends the conversation that runs, or that is about to begin.
    package func stop() {
        let end = state.withLock { state in
            state.isStopped = true
            return state.end
        }
        end?.close()
    }

    /// - Throws: `.cancelled` if the conversation is not wanted any longer.
    func watch(_ connection: borrowing VarlinkConnection) throws(KeychainError) {
        let end: ConnectionEnd
        do throws(TransportFailure) { end = try connection.end() } catch { throw AgentClient.gone(error) }
        let isStopped = state.withLock { state in
            state.end = end
            return state.isStopped
        }
        if isStopped { throw .cancelledByTask }
    }
}

extension KeychainError {
    /// An error of `org.coffer.Agent`.
    init(agentFault fault: Fault) {
        let code: Code =
            switch fault.name {
            case .agentNobodyHere: .authenticationNeeded
            case .agentConnectionRefused: .authenticatorUntrusted
            case .agentLimitExceeded: .limitExceeded
            case .agentInvalidArgument: .invalidArgument
            default: .protocolViolation
            }
        self.init(
            code, fault.details.message ?? "the agent gave an unknown error: \(fault.name.rawValue)",
            advice: fault.details.advice ?? "")
    }

    /// A conversation that an agent held.
    init(_ failure: Agent.Failure) {
        self.init(
            Code(rawValue: failure.code) ?? .failed, failure.message, advice: failure.advice ?? "",
            tpmCode: failure.tpmCode, cause: failure.cause)
    }
}

extension Agent.Failure {
    /// For the caller of an agent.
    package init(_ error: KeychainError) {
        self.init(
            code: error.code.rawValue, message: error.message, advice: error.advice.isEmpty ? nil : error.advice,
            tpmCode: error.tpmCode, cause: error.cause)
    }
}
