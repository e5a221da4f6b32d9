import ArgumentParser
import BrokerProtocol
import Circle
import Coffer
import Courier
import Platform

/// `coffer sync remove`
struct SyncRemoveCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove machines from those that share your secrets.",
        usage: "coffer sync remove (<machine> ... | --silent <time>) [--folder <folder>] [--quiet] [--user <name>]",
        discussion: """
            For a machine that was lost, stolen, sold, or is no longer used. You are asked for your password. What your machines give out \
            afterwards is sealed to keys that the removed ones do not have. Several machines take one question.

            Nothing is deleted on a removed machine: it keeps the secrets that it has. If somebody else can use it, change the secrets. Take the \
            folder away from it, too: remove the device in Syncthing, or change the folder's password.

            A machine is named as coffer sync status shows it, or by its id: the whole id, or its first 8 digits or more. To remove the machine \
            that you are at, use coffer sync leave.

            --silent takes the machines that nothing was heard of for so long, 30d or more. One that is there gives a sign of life at least \
            every 25 days. Who keeps the folder can make a machine silent: before you agree, look at the names in the question. A machine that \
            comes back can join again.

            Examples:
              coffer sync remove laptop
              coffer sync remove --silent 60d --user web
            """)

    @Argument(
        help: ArgumentHelp("What the machine is called, or the first digits of its id.", valueName: "machine"))
    var machines: [String] = []

    @Option(
        help: ArgumentHelp("All machines that nothing was heard of for so long, such as 30d.", valueName: "time"),
        transform: ComingArgument.init(parsing:))
    var silent: ComingArgument?

    @Option(
        help: ArgumentHelp("The folder that your machines share, if it is another one now.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Flag(name: .shortAndLong, help: "Print only warnings and errors.")
    var quiet = false

    @OptionGroup var shared: ServiceVaultOptions
    @OptionGroup var prompt: PromptOptions

    func validate() throws {
        try SyncCommand.checkFolder(folder)
        guard machines.allSatisfy({ !$0.isEmpty }) else { throw ValidationError("a machine's name must not be empty") }
        guard machines.isEmpty == (silent != nil) else {
            throw ValidationError("name the machines, or take those that are silent: --silent 30d")
        }
        if let silent, silent.days < Silence.long {
            throw ValidationError(
                "--silent takes \(Silence.long)d or more, because a machine that only reads can be silent for weeks")
        }
    }

    func share() throws {
        let session = CommandSession(shared.vault, quiet: quiet)
        let sharing = try Sharing.find(session, folder: folder, noPrompt: prompt.noPrompt)
        // Others may have added or removed machines, or said their names.
        try sharing.exchangeBeforeRemoval()
        let state = try Sharing.state(session, noPrompt: prompt.noPrompt)
        let choice = MachineChoice(machines: state.readers)
        let chosen =
            try silent.map { try Silence.machines(of: state.machines, for: $0.days) } ?? choice.chosen(machines)
        guard !chosen.isEmpty else {
            if !quiet {
                Output.note("No machine that was heard of before has been silent for so long. None was removed.")
            }
            return
        }
        guard !chosen.contains(where: \.own) else {
            throw KeychainError(
                .invalidArgument,
                "\(VisibleText.quoted(chosen.first(where: \.own).map(SharingText.name) ?? "")) is this machine",
                advice: "to end sharing here: coffer sync leave")
        }
        let names = zip(choice.machines, choice.shown)
            .filter { machine, _ in chosen.contains { $0.device == machine.device } }.map(\.1)
        _ = try session.call(
            Sync.Remove(devices: chosen.map(\.device)), for: "removing a machine", noPrompt: prompt.noPrompt,
            command: ShellText.command(
                ["coffer", "sync", "remove"] + (silent.map { ["--silent", "\($0.days)d"] } ?? machines)))
        if shared.user != nil { try endInvitations(session, sharing.circle) }
        if !quiet {
            if let paper = chosen.first(where: \.isPaper) {
                // Codes that were removed before have the same name.
                Output.note("\(SharingText.paperRemoval) \(paper.device.prefix(MachineChoice.digits))")
            }
            let gone = names.filter { name in
                zip(choice.machines, choice.shown).contains { !$0.isPaper && $1 == name }
            }
            let words = chosen.filter { !$0.isPaper }.map(choice.word)
            let lines = words.isEmpty ? [] : SharingText.removal(of: gone, words: words)
            for line in lines { Output.note(shared.naming(line)) }
        }
        do { _ = try sharing.exchange() } catch {
            Output.note(
                shared.naming(
                    "The other machines do not know of the removal yet. Once the error is mended, run: coffer sync now"
                ))
            throw error
        }
    }

    /// A machine that came by an invitation has it still, and could come back as another device.
    private func endInvitations(_ session: CommandSession, _ circle: StatementName) throws {
        let found: (ended: [String], open: [String])
        do { found = try InvitationFolder(session).endThoseOfRemoved(session, in: circle) } catch {
            Output.note(
                shared.naming("The invitations of this host are as before. See them with: coffer sync invite --list"))
            throw error
        }
        for name in found.ended { Output.note("Ended invitation \(name): a machine that came by it was removed.") }
        for name in found.open {
            Output.note(
                shared.naming(
                    "Invitation \(name) is open. If the machine has it, end it: coffer sync invite --end \(name)"))
        }
    }
}
