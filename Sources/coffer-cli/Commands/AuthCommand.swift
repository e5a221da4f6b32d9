import ArgumentParser
import Coffer

/// `coffer auth`
struct AuthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auth", _superCommandName: "coffer",
        abstract: "Answer once, then skip further prompts in this terminal for some minutes.",
        discussion: """
            You are asked once, as for reading an item that requires presence (any PAM factor, asked at each read). For the given time, at most \
            5 minutes, programs in this terminal session (this shell and what it starts) read such items without asking you. The access log \
            records each use.

            Items that require biometry or a passcode still ask for it, and so does unlocking. Other terminals, sessions and users gain nothing \
            from it. It ends when the time is over, when you run coffer forget, when the vault locks, and when the shell ends.
            """)

    @Option(
        name: .customLong("for"), help: ArgumentHelp("For how long: 30s, 5m.", valueName: "time"),
        transform: AnswerTimeArgument.init(parsing:))
    var time: AnswerTimeArgument

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func run() throws {
        try CommandSession().authorize(seconds: time.seconds)
        if !quiet {
            Output.note(
                "For \(time.spoken), programs in this terminal read items that require presence without asking you; to end this: "
                    + "coffer forget")
        }
    }
}
