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
