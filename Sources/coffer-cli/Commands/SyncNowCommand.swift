import ArgumentParser
import Coffer
import Courier

/// `coffer sync now`
struct SyncNowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "now",
        abstract: "Take in what other machines have changed, and give out what was changed here.",
        usage: "coffer sync now [--folder <folder>] [--quiet] [--json]",
        discussion: """
            Works while the other machines are off: the folder has what they gave out. The vault must be unlocked, and is unlocked first if you \
            can be asked.

            --folder names another folder, which is used from now on. Use it after you have moved the folder.
            """)

    @Option(
        help: ArgumentHelp("The folder that your machines share, if it is another one now.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Flag(name: .shortAndLong, help: "Print only warnings and errors.")
    var quiet = false

    @OptionGroup var prompt: PromptOptions
    @OptionGroup var format: JSONOptions

    func validate() throws {
        try SyncCommand.checkFolder(folder)
        guard !quiet || !format.json else {
            throw ValidationError("--quiet prints nothing, so it does not go with --json")
        }
    }

    func run() throws {
        let session = CommandSession(quiet: quiet)
        let sharing = try Sharing.find(session, folder: folder, noPrompt: prompt.noPrompt)
        let outcome: ExchangeOutcome
        do { outcome = try sharing.exchange() } catch {
            // The broker refuses a machine that has just learnt of its removal, and that is what to tell.
            try Sharing.checkJoined(session)
            throw error
        }
        for line in SharingText.warnings(outcome) { Output.note(line) }
        try Sharing.checkJoined(session)
        guard !quiet else { return }
        let settings = try SharingSetting.count(session)
        try Output.line(
            format.json
                ? JSONText.of(ExchangeRecord(outcome, settings: settings))
                : SharingText.summary(outcome, settings: settings))
    }
}
