import ArgumentParser
import Coffer
import Platform

/// Gives a terminal its echo back if the program that asks there is killed. Only Coffer's prompts start this command.
struct GuardTerminalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: HelperProgram.terminalGuardCommand, shouldDisplay: false)

    func run() throws {
        do { try TerminalGuard.run() } catch {
            // The prompt goes on without a guard. Standard error belongs to the person.
            throw ExitStatus.failure
        }
    }
}
