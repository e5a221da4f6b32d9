import BrokerProtocol
import Coffer
import Glibc
import JSON
import Platform
import Varlink

/// One caller of an agent.
struct AgentSession: ~Copyable {
    private var socket: UnixSocket
    private let server: AgentServer
    private var turn: PromptQueue.Turn?
    /// Asks this caller's person; nil before its turn.
    private var prompter: (any Prompter)?

    init(_ socket: consuming UnixSocket, server: AgentServer) {
        self.socket = socket
        self.server = server
    }

    /// Answers the caller until it goes.
    mutating func run() {
        while true {
            let patience = turn == nil ? AgentLimits.rest : AgentLimits.turn
            // `try?`: a caller that says nothing, or too much, has to connect again.
            guard let bytes = try? socket.receiveMessage(limit: AgentLimits.call, until: .now + patience) else {
                return
            }
            // `try?`: what is no call gets no answer.
            guard let call = try? IncomingCall(bytes, served: AgentServer.interfaces.methods) else { return }
            do throws(Fault) {
                guard let reply = try answer(call) else { return }
                if !call.oneway { self.reply(reply) }
            } catch {
                if !call.oneway { send(error) }
            }
        }
    }

    /// - Returns: nil if the caller is gone.
    private mutating func answer(_ call: IncomingCall) throws(Fault) -> (any JSONWritable)? {
        let passed = socket.takePassed()
        let parameters = try call.parameters()
        switch parameters {
        case is Agent.GetState:
            return Agent.GetState.Reply(
                pid: Int64(getpid()), place: server.place.name, callers: Int64(server.queue.count))
        case let wait as Agent.WaitForTurn: return try takeTurn(wait.display)
        case let converse as Agent.Converse: return try hold(converse, passed)
        case let update as Agent.Update:
            return Agent.Update.Reply(place: server.place.update(try display(update.display)))
        case is Agent.Stop:
            server.stop { send(VarlinkReply(Nothing())) }
        default: return try AgentServer.interfaces.answer(parameters, to: call.method)
        }
    }

    private func display(_ wire: Agent.Display) throws(Fault) -> Display {
        guard let display = server.place.display(wire) else {
            throw Fault(.agentInvalidArgument, "a name of the display is too long, or is none")
        }
        return display
    }

    private mutating func takeTurn(_ wire: Agent.Display?) throws(Fault) -> Agent.WaitForTurn.Reply? {
        guard turn == nil else { throw Fault(.agentInvalidArgument, "it is your turn already") }
        var display: Display?
        if let wire { display = try self.display(wire) }
        do throws(SystemError) { turn = try server.queue.take(for: socket.number) } catch {
            throw Fault(.agentLimitExceeded, "the agent has no room: \(error.reason)")
        }
        guard turn != nil else { return nil }
        guard let found = server.place.find(for: display) else {
            turn = nil
            throw Fault(
                .agentNobodyHere, "the agent reaches no terminal and no display",
                advice: "open one in a terminal: coffer agent")
        }
        prompter = found.prompter
        return Agent.WaitForTurn.Reply(place: found.name)
    }

    /// Holds the caller's conversation with the authenticator.
    private mutating func hold(
        _ call: Agent.Converse, _ passed: consuming Descriptor?
    ) throws(Fault) -> Agent.Converse.Reply {
        guard turn != nil, var prompter else { throw Fault(.agentInvalidArgument, "wait for your turn first") }
        self.prompter = nil
        defer { turn = nil }
        guard let passed = consume passed, call.connection == 0 else {
            throw Fault(.agentConnectionRefused, "no connection to the authenticator came with the call")
        }
        guard AgentLimits.challenge.contains(call.challenge.utf8.count) else {
            throw Fault(.agentInvalidArgument, "that is not a challenge")
        }
        var connection = VarlinkConnection(adopting: UnixSocket(adopting: passed))
        do throws(KeychainError) {
            // The words that the person sees, and the process that gets the password, must be the authenticator's.
            guard try server.authenticator.isAuthenticator(connection) else {
                throw KeychainError(.authenticatorUntrusted, "")
            }
        } catch {
            throw Fault(.agentConnectionRefused, "the connection does not lead to the authenticator")
        }
        var hasBegun = false
        do throws(KeychainError) {
            try server.authenticator.pass(call.challenge, on: &connection, for: socket.number, by: &prompter) {
                hasBegun = true
            }
            return Agent.Converse.Reply(failure: nil)
        } catch {
            if Self.isTold(error, hasBegun: hasBegun) {
                // `try?`: a terminal or a dialog that is gone shows nothing.
                try? prompter.tell(.init(style: .error, text: error.message))
            }
            return Agent.Converse.Reply(failure: Agent.Failure(error))
        }
    }

    /// Whether the person sees how a conversation ended. If the person ended it, there is no news.
    private static func isTold(_ error: KeychainError, hasBegun: Bool) -> Bool {
        switch error.code {
        case .cancelled: false
        // A caller that has used its connection before causes these without end. They say nothing of the authenticator.
        case .authenticatorUnreachable, .invalidArgument: hasBegun
        default: true
        }
    }

    private func reply(_ parameters: some JSONWritable) { send(VarlinkReply(parameters)) }

    private func send(_ message: some JSONWritable) {
        // `try?`: the next read notices a caller that does not take its answer.
        try? socket.send(Varlink.encode(message), until: .now + AgentLimits.answer)
    }
}
