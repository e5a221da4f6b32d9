import ArgumentParser
import Coffer
import Platform

/// Runs a program that asks, and ends it when the `coffer` that had it started is gone. Started by such a `coffer` only.
struct GuardProgramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: HelperProgram.guardCommand, shouldDisplay: false)

    @Argument var program: [String]

    func run() throws {
        do {
            guard try ProgramGuard.run(program) else { throw ExitStatus.failure }
        } catch _ as SystemError {
            // Whoever waits for the first word says why; standard error is the person's.
            throw ExitStatus.failure
        }
    }
}
