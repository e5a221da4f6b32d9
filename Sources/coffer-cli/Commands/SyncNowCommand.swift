import ArgumentParser
import Coffer
import Courier

/// `coffer sync now`
struct SyncNowCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "now",
        abstract: "Take in what other machines have changed, and give out what was changed here.",
        usage: "coffer sync now [--folder <folder>] [--git] [--quiet] [--json] [--user <name>]",
        discussion: """
            Works while the other machines are off: the folder has what they gave out. The vault must be unlocked, and is unlocked first if you \
            can be asked.

            --folder names another folder, which is used from now on. Use it after you have moved the folder. With --git, it is a clone of a \
            git repository: coffer help sync init

            If the git repository cannot be reached, the command ends with status 1. What was changed here is kept, and pushed the next time.
            """)

    @Option(
        help: ArgumentHelp("The folder that your machines share, if it is another one now.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @OptionGroup var repository: GitOptions

    @Flag(name: .shortAndLong, help: "Print only warnings and errors.")
    var quiet = false

    @OptionGroup var shared: ServiceVaultOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var format: JSONOptions

    func validate() throws {
        try SyncCommand.checkFolder(folder)
        guard !quiet || !format.json else {
            throw ValidationError("--quiet prints nothing, so it does not go with --json")
        }
    }

    func share() throws {
        let session = CommandSession(shared.vault, quiet: quiet)
        let sharing = try Sharing.find(session, folder: folder, git: repository.git, noPrompt: prompt.noPrompt)
        let outcome: ExchangeOutcome
        // What cannot be fetched keeps nothing from being told that is here.
        let away: CommandFailure?
        do {
            _ = try sharing.folder.refresh()
            outcome = try sharing.carry()
            try sharing.ringIfLost(after: outcome)
            away = sharing.folder.unpublished()
        } catch {
            // The broker refuses a machine that has just learnt of its removal, and that is what to tell.
            try Sharing.checkJoined(session)
            throw error
        }
        for line in SharingText.warnings(outcome) { Output.note(line) }
        try Sharing.checkJoined(session)
        if !quiet {
            let settings = try SharingSetting.count(session)
            let lines = [SharingText.summary(outcome, settings: settings)] + SharingText.unshared(outcome)
            try Output.line(
                format.json
                    ? JSONText.of(ExchangeRecord(outcome, settings: settings)) : lines.joined(separator: "\n"))
        }
        if let away { throw away }
    }
}
