import ArgumentParser
import Coffer

/// `coffer completion`
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", _superCommandName: "coffer",
        abstract: "Print what makes a shell complete commands, options and names.",
        usage: "coffer completion bash|zsh|fish",
        discussion: """
            make install sets completion up for all users. Names come from your vault, or from the one that --group or --user names. Completion never \
            asks you for anything, and never runs what a name holds.

            Examples:
              source <(coffer completion bash)           in ~/.bashrc
              source <(coffer completion zsh)            in ~/.zshrc, after compinit
              coffer completion fish | source            in ~/.config/fish/config.fish
            """)

    @Argument(help: ArgumentHelp("The shell.", valueName: "shell"))
    var shell: CompletingShell

    func run() throws { try Output.line(shell.script) }
}

/// Prints the words that can stand at the cursor, one on each line. Only the scripts of `coffer completion` run it.
/// Exit status 3 (not found) says that the shell completes the name of a file.
struct CompleteWordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete-words", _superCommandName: "coffer", shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough) var words: [String] = []

    func run() throws {
        let completion = CompletionWords(Array(words.first == "--" ? words.dropFirst() : words[...]))
        if completion.isFile { throw ExitStatus.notFound }
        let session = CommandSession()
        let found = completion.candidates {
            // `try?`: if the broker does not answer, no names are offered. An error would disturb the line that is typed.
            (try? completion.vault.map { vault throws(KeychainError) in
                try session.list(in: vault) + (completion.namesDeleted ? session.deletedItems(in: vault) : [])
            }) ?? []
        } machines: {
            // `try?`: if the broker does not answer, no machines are offered.
            (try? Sharing.presentState(session).machines) ?? []
        }
        if !found.isEmpty { try Output.line(found.joined(separator: "\n")) }
    }
}
