import BrokerProtocol
import Coffer
import Glibc
import Synchronization

/// Where an agent reaches the person.
final class AgentPlace: Sendable {
    private let environment: [String: String]
    /// Whether a person has opened the agent in a terminal.
    private let isTerminal: Bool
    private let display: Mutex<Display>

    init(environment: [String: String], isTerminal: Bool) {
        self.environment = environment
        self.isTerminal = isTerminal
        display = Mutex(Display(environment: environment))
    }

    /// The place at which callers without a display are asked; nil if there is none.
    var name: String? { find(for: nil)?.name }

    /// - Returns: the name of the new place; nil if the display does not answer.
    func update(_ display: Display) -> String? {
        self.display.withLock { $0 = display }
        return name
    }

    /// Finds the place for one caller.
    /// - Parameter caller: the caller's own display.
    func find(for caller: Display?) -> (name: String, prompter: any Prompter)? {
        if isTerminal {
            // In the background it would take what is typed for others.
            return TerminalPrompter.isPresent ? ("terminal", TerminalPrompter(guardian: .thisProgram)) : nil
        }
        for display in [caller, display.withLock { $0 }].compactMap(\.self) {
            if let answering = display.answering(),
                let prompter = PrompterFinder.dialog(on: answering, environment: environment)
            {
                return ("display \(answering.names)", prompter)
            }
        }
        return nil
    }

    /// Tells the person at the terminal that the agent ends. What they have typed for a prompt that is gone is dropped.
    func sayFarewell() {
        guard isTerminal else { return }
        tcflush(STDIN_FILENO, TCIFLUSH)
        Output.note("This agent has ended: another one was opened, or somebody stopped it")
    }

    func display(_ wire: Agent.Display) -> Display? { Display(wire, environment: environment) }
}
