import ArgumentParser
import Coffer

/// `coffer auth`
struct AuthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auth",
        abstract: "Answer once, and not again for some minutes in this terminal.",
        discussion: """
            You are asked as for reading an item that asks for your presence. For the given time, at most 5 minutes, programs in this \
            terminal session (this shell and what it starts) then read such items without asking you. Each use is in the access log.

            Items that ask for biometry or a passcode still ask for it, and so does unlocking. Another terminal, another session and \
            another user get nothing from it. It ends with the time, with: coffer forget, when the vault locks, and with the shell.
            """)

    @Option(
        name: .customLong("for"), help: ArgumentHelp("For how long: 30s, 5m.", valueName: "time"),
        transform: AnswerTimeArgument.init(parsing:))
    var time: AnswerTimeArgument

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    func run() throws {
        try Session().authorize(seconds: time.seconds)
        if !quiet {
            Output.note(
                "For \(time.spoken), programs in this terminal read items that ask for your presence without asking; to end it: "
                    + "coffer forget")
        }
    }
}
