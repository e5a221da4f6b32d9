import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer sync paper`
struct SyncPaperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "paper",
        abstract: "Make a code on paper that brings everything back if all machines are lost.",
        usage: "coffer sync paper [--again] [--script] [--folder <folder>]",
        discussion: """
            The code opens what your machines share, with the folder alone: no machine and no TPM is needed. It also opens secrets that \
            require you. So keep it away from your machines, and from copies of the folder.

            You are shown the code once, and asked to type it from the paper. Then you are asked for your password. Secrets that require you \
            and were set before are not on it yet: coffer sync release puts them on it. What is for one device only never is.

            To use it, on a new machine: coffer sync restore FOLDER

            There is one code at a time. --again makes another one, and ends the former one: that opens nothing that is set from then on. To \
            end it without another one: coffer sync remove paper

            With --script, standard output is the code in one line. Coffer then reads it back from standard input. The code is a secret: \
            pipe it on, and never pass it as an argument.
            """)

    @Flag(help: "Replace the code that there is by another one.")
    var again = false

    @Flag(help: "For programs: write the code to standard output, and read it back from standard input.")
    var script = false

    @Option(
        help: ArgumentHelp("The folder that your machines share, if it is another one now.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @OptionGroup var prompt: PromptOptions

    func validate() throws { try SyncCommand.checkFolder(folder) }

    func run() throws {
        let session = CommandSession()
        if !script { try ShownOnce.checkTerminal(for: "a code on paper", session) }
        let sharing = try Sharing.find(session, folder: folder, noPrompt: prompt.noPrompt)
        // Another machine may have made one meanwhile.
        for line in SharingText.warnings(try sharing.exchange()) { Output.note(line) }
        let state = try Sharing.state(session, noPrompt: prompt.noPrompt)
        let former = state.paper
        guard state.machines.contains(where: { $0.own && $0.role == "admin" }) else {
            throw KeychainError(
                .invalidArgument, "this machine may not make a code for the others",
                advice: "make it at a machine that coffer sync status calls admin")
        }
        guard again || former == nil else {
            throw KeychainError(
                .alreadyExists, "there is a code on paper already",
                advice: "to make another one, which replaces it: coffer sync paper --again")
        }
        let paper = try PaperMaking(sharing: sharing, noPrompt: prompt.noPrompt).make(
            replacing: former, script: script)
        do { _ = try sharing.exchange() } catch {
            Output.note(
                "The code opens nothing before the folder has it. Once the error is mended, run: coffer sync now")
            throw error
        }
        Output.note("The code on paper is valid. On a new machine: coffer sync restore FOLDER")
        let missing = try PaperMaking.unreleased(paper, session)
        if missing > 0 { Output.note("Of your secrets, \(SharingText.notOnPaper(missing))") }
    }
}
