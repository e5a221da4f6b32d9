import ArgumentParser
import Coffer
import Platform

/// Runs a program that asks a person, and ends it when the `coffer` that started this command is gone. Only `coffer` starts this command.
struct GuardProgramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: HelperProgram.guardCommand, shouldDisplay: false)

    @Argument var program: [String]

    func run() throws {
        do {
            guard try ProgramGuard.run(program) else { throw ExitStatus.failure }
        } catch _ as SystemError {
            // The waiting `coffer` reports the reason. Standard error belongs to the person.
            throw ExitStatus.failure
        }
    }
}

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
