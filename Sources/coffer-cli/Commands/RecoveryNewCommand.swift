import ArgumentParser
import Coffer

/// `coffer recovery new`
struct RecoveryNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a new recovery code, shown once.",
        usage: "coffer recovery new [--script]",
        discussion: """
            You are asked for your password, then shown the code, then asked for one group of it. Only after that is the code valid. Until then \
            an earlier code stays valid; afterwards it opens only older copies of the vault's file. Anyone who has the code and a copy of the \
            file can read every secret in it that is not for this device only. Keep the code away from this machine and from its backups.

            With --script, the first line of standard output is the code. The second line is the number of the group that is asked back, counted \
            from 1. Coffer then reads that group from standard input. The code is a secret: pipe it on, and never pass it as an argument.
            """)

    @Flag(help: "For programs: write the code to standard output, and read the group asked back from standard input.")
    var script = false

    func run() throws {
        guard script || (Output.isTerminal && TerminalPrompter.isPresent) else {
            throw KeychainError(
                .invalidArgument, "a recovery code is shown only on a terminal, and standard output is not one",
                advice: "run it in a terminal; or use --script, and keep its output like a key")
        }
        let making = RecoveryCodeMaking(CommandSession())
        try script ? making.byProgram() : making.byPerson()
    }
}
