import ArgumentParser
import BrokerProtocol
import Coffer
import Courier

/// `coffer sync exposed`
struct SyncExposedCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "exposed",
        abstract: "Show which secrets a machine could read, so that you know what to change.",
        usage: "coffer sync exposed <machine> ... [--json] [--user <name>]",
        discussion: """
            For a machine that was lost, stolen or sold: remove it with coffer sync remove, and then go through this list. It has the secrets whose \
            present values were given out to that machine. Once you have set a new value, the secret leaves the list. So it is empty when there is \
            nothing left to change.

            Columns: SECRET FIELDS MACHINE READABLE. On a terminal the columns are aligned. Otherwise tabs separate them.

              there                             without a question, once that vault is open
              there after its person agrees     it requires you on that machine, too
              ... (keys on its disk)            that machine has no TPM

            What cannot be told is listed: a value that was set by a machine that did not know of the removal yet, and a secret that requires you \
            if its name or its requirements were changed together with its value. Set such a secret once more. A secret in the bin is not listed.

            A machine is named as coffer sync status shows it, or by its id: the whole id, or its first 8 digits or more.

            Example:
              coffer sync remove laptop && coffer sync exposed laptop
            """)

    @Argument(
        help: ArgumentHelp("What the machine is called, or the first digits of its id.", valueName: "machine"))
    var machines: [String]

    @OptionGroup var shared: ServiceVaultOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var format: JSONOptions

    func validate() throws {
        guard machines.allSatisfy({ !$0.isEmpty }) else { throw ValidationError("a machine's name must not be empty") }
    }

    func share() throws {
        let session = CommandSession(shared.vault)
        try session.openVault(noPrompt: prompt.noPrompt)
        _ = try Sharing.state(session, noPrompt: prompt.noPrompt)
        try exchange(session)
        let state = try Sharing.state(session, noPrompt: prompt.noPrompt)
        let all = state.readers + state.former.map(Sync.Machine.init)
        let choice = MachineChoice(machines: all, former: Set(state.former.map(\.device)))
        let chosen = try choice.chosen(machines)
        let exposed = try chosen.map { machine in
            ExposedMachine(
                machine: machine, name: zip(all, choice.shown).first { $0.0.device == machine.device }?.1 ?? "",
                items: try ExposedMachine.items(of: machine, session))
        }
        if format.json { return try Output.line(JSONText.of(exposed.map(ExposureRecord.init))) }
        let lines = ExposedMachine.table(exposed, aligned: Output.isTerminal, width: Output.columns)
        if lines.count > 1 { try Output.line(lines.joined(separator: "\n")) }
        guard Output.isTerminal || lines.count == 1 else { return }
        for note in exposed.flatMap({ $0.notes(word: choice.word(for: $0.machine), state) }) { Output.note(note) }
    }

    /// What was set here or elsewhere meanwhile makes the list shorter. Without the folder, the list is of what is known.
    private func exchange(_ session: CommandSession) throws {
        let obstacle: String
        do {
            let sharing = try Sharing.find(session, folder: nil, noPrompt: prompt.noPrompt)
            for line in SharingText.warnings(try sharing.exchange()) { Output.note(line) }
            return
        } catch let error as KeychainError {
            obstacle = error.description
        } catch let failure as CommandFailure {
            obstacle = "\(failure.message); \(failure.advice)"
        }
        try Sharing.checkJoined(session)
        Output.note("coffer: warning: the list can be older than the folder: \(VisibleText.sentence(obstacle))")
        _ = try session.client.call(Sync.Take(heads: [], segments: []))
    }
}
