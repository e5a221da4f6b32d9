import Glibc

/// The chain by which every program of Coffer finds the person: the terminal; the program that `COFFER_ASKPASS` names; an agent in a terminal; a dialog
/// on the caller's display, by the session's agent if there is one; the session's agent.
package struct PrompterFinder: Sendable {
    private let environment: [String: String]
    private let guardian: ProgramGuardian
    private let shown: ShownNotice?

    /// - Parameter shown: the notice of an earlier try of the same command, which the terminal repeats in short.
    package init(
        environment: [String: String], guardian: ProgramGuardian = .thisProgram, shown: ShownNotice? = nil
    ) {
        self.environment = environment
        self.guardian = guardian
        self.shown = shown
    }

    /// What is asked for.
    package enum Question: Sendable {
        /// A conversation with the authenticator, which an agent may hold.
        case conversation
        /// A text of the program's own.
        case own
    }

    package enum Finding: Sendable {
        case prompter(any Prompter)
        case nobody(PromptObstacle)
    }

    /// Whether somebody can be asked for sure. This looks at no socket, and starts no search.
    package var isSure: Bool { TerminalPrompter.isPresent || askingProgram != nil }

    /// The program that the person named.
    private var askingProgram: String? { environment["COFFER_ASKPASS"].flatMap { $0.isEmpty ? nil : $0 } }

    /// - Returns: nil if there is nobody to ask.
    package func find(_ question: Question = .conversation) -> (any Prompter)? {
        guard case .prompter(let prompter) = look(question) else { return nil }
        return prompter
    }

    /// Finds a way to ask, or the reason why there is none. Nobody is asked yet, and nothing is waited for.
    package func look(_ question: Question = .conversation) -> Finding {
        if TerminalPrompter.isPresent { return .prompter(TerminalPrompter(guardian: guardian, shown: shown)) }
        if let program = askingProgram {
            return .prompter(AskPassPrompter(program: program, environment: environment, guardian: guardian))
        }
        let display = Display(environment: environment)
        let dialog = dialog(on: display)
        if question == .conversation {
            switch agent(display, dialog) {
            case .found(let agent): return .prompter(agent)
            case .silent(let path):
                // The person has an agent, and would look for the prompt there.
                if case .nobody = dialog { return .nobody(.silentAgent(path)) }
            case .none: break
            }
        }
        switch dialog {
        case .prompter: return dialog
        case .nobody: return TerminalPrompter.isInBackground ? .nobody(.background) : dialog
        }
    }

    private func dialog(on display: Display) -> Finding {
        guard let answering = display.answering() else {
            return .nobody(display.isNamed ? .deadDisplay(display.names) : .withoutTerminal(environment))
        }
        let prompter = Self.dialog(on: answering, environment: environment, guardian: guardian)
        return prompter.map { .prompter($0) } ?? .nobody(.noPinentry)
    }

    /// A dialog on a display that answers.
    /// - Returns: nil if no pinentry is installed that shows one.
    package static func dialog(
        on display: Display, environment: [String: String], guardian: ProgramGuardian = .thisProgram
    ) -> (any Prompter)? {
        let programs = PinentrySearch(ProgramSearch(environment: environment)).paths(for: display)
        guard !programs.isEmpty else { return nil }
        return PinentryPrompter(programs: programs, environment: display.environment(environment), guardian: guardian)
    }

    private enum FoundAgent {
        case found(AgentPrompter)
        /// One has this socket, and does not answer.
        case silent(String)
        case none
    }

    /// - Parameter dialog: asks if the agent cannot.
    private func agent(_ display: Display, _ dialog: Finding) -> FoundAgent {
        guard let sockets = AgentSockets(environment: environment, user: geteuid()) else { return .none }
        var silent: String?
        let fallback: (any Prompter)? =
            switch dialog {
            case .prompter(let prompter): prompter
            case .nobody: nil
            }
        // A person who has opened an agent in a terminal sits there.
        for path in [sockets.terminal, sockets.session] {
            let client = AgentClient(path: path, user: geteuid())
            // An agent that has no place of its own can still use the caller's.
            switch client.look() {
            case .answering(let state) where state.place != nil || (fallback != nil && path == sockets.session):
                return .found(AgentPrompter(client: client, display: display.answering(), fallback: fallback))
            case .silent: silent = silent ?? path
            case .answering, .none: break
            }
        }
        // Another agent could not have the socket of the silent one.
        if let silent, silent == sockets.session || fallback == nil { return .silent(silent) }
        guard let fallback, sockets.mayStart else { return .none }
        return .found(
            AgentPrompter(
                client: AgentClient(path: sockets.session, user: geteuid(), starter: guardian),
                display: display.answering(), fallback: fallback))
    }
}
