import ArgumentParser
import BrokerProtocol
import Coffer
import Glibc
import Platform

/// `coffer agent`
struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Answer here for programs that have no terminal.",
        usage: "coffer agent [status | update | stop]",
        discussion: """
            Keep this open in a terminal, such as a pane of tmux. It then shows the prompts of your programs that \
            have neither a terminal nor COFFER_ASKPASS, one after the other. It serves only your own programs. A second coffer agent takes over \
            from the first.

            On a desktop you need not run it: there an agent that shows windows (pinentry) starts by itself. If you have taken up a session \
            again, such as a tmux over ssh -X, coffer agent update gives that agent the display of this terminal.
            """,
        subcommands: [AgentRunCommand.self, AgentStatusCommand.self, AgentUpdateCommand.self, AgentStopCommand.self],
        defaultSubcommand: AgentRunCommand.self)
}

/// `coffer agent run`
struct AgentRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Ask in this terminal until you press Ctrl-C.",
        usage: "coffer agent [run]",
        discussion: "The prompts name who asks and for what, as the authenticator knows it.")

    // Programs and the service manager start the agent of the desktop with these.
    @Flag(help: .hidden) var start = false
    @Flag(help: .hidden) var serve = false

    func run() throws {
        let surroundings = try UserAgents()
        if !serve, !start, TerminalPrompter.isInBackground, let obstacle = CommandSession().terminalObstacle {
            throw KeychainError(
                .authenticationNeeded, "coffer agent asks in a terminal, but \(obstacle.reason)",
                advice: obstacle.advice("coffer agent"))
        }
        guard serve || start || TerminalPrompter.isPresent else {
            throw KeychainError(
                .authenticationNeeded, "coffer agent asks in a terminal, and there is none here",
                advice: "run in a terminal: coffer agent")
        }
        do throws(SystemError) {
            if serve {
                try surroundings.serve()
            } else if start {
                try surroundings.start()
            } else {
                try surroundings.runInTerminal()
            }
        } catch { throw KeychainError(.failed, error.description) }
    }
}

/// `coffer agent status`
struct AgentStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show which agents run, and where they ask.",
        usage: "coffer agent status", discussion: "Asks nothing.")

    func run() throws {
        let sockets = try UserAgents().sockets
        var runs = false
        for path in [sockets.terminal, sockets.session] {
            guard Reachability.answers(path: path) else { continue }
            let state = try AgentClient(path: path, user: geteuid()).call(Agent.GetState())
            runs = true
            let place = state.place.map(VisibleText.sentence) ?? "no terminal and no display"
            try Output.line("Agent: process \(state.pid), asks at: \(place)")
        }
        guard runs else {
            throw KeychainError(.notFound, "no agent runs", advice: "run in a terminal: coffer agent")
        }
    }
}

/// `coffer agent update`
struct AgentUpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Give the agent of your session the display of this terminal.",
        usage: "coffer agent update",
        discussion:
            "It takes over DISPLAY, XAUTHORITY and WAYLAND_DISPLAY, for programs that have no display of their own.")

    func run() throws {
        let surroundings = try UserAgents()
        let display = Display(environment: OwnProcess.environment)
        guard display.isNamed else {
            throw KeychainError(
                .invalidArgument, "there is no display here", advice: "to be asked in this terminal, run: coffer agent")
        }
        let reply = try AgentClient(path: surroundings.sockets.session, user: geteuid()).call(
            Agent.Update(display: display.wire))
        guard let place = reply.place else {
            throw KeychainError(
                .failed, "display \(display.names) does not answer, or there is no pinentry for it",
                advice: "to be asked in this terminal, run: coffer agent")
        }
        Output.note("The agent asks at: \(VisibleText.sentence(place))")
    }
}

/// `coffer agent stop`
struct AgentStopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End your agents.", usage: "coffer agent stop",
        discussion: "Open prompts close. A later program that needs an agent may start another one.")

    func run() throws {
        let sockets = try UserAgents().sockets
        var stopped = 0
        for path in [sockets.terminal, sockets.session] where Reachability.answers(path: path) {
            _ = try AgentClient(path: path, user: geteuid()).call(Agent.Stop())
            stopped += 1
        }
        Output.note(stopped == 0 ? "No agent runs" : "Stopped")
    }
}
