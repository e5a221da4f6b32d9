import ArgumentParser
import BrokerProtocol
import Coffer
import Courier

/// `coffer sync release`
struct SyncReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Make secrets that require you readable on machines that joined later.",
        usage: "coffer sync release [<service> [<account>]] [--to <machine> ...] [--folder <folder>] [--quiet]",
        discussion: """
            A secret that requires you is sealed for each of your machines by itself, when it is set. A machine that joined later cannot read \
            it yet. This command opens such secrets here, after you have agreed, and seals them for the other machines, too. They then ask you \
            there, each time.

            Without a name, all of them are released to all machines that lack them.

            Example:
              coffer sync release
              coffer sync release bank --to laptop
            """)

    @Argument(help: ArgumentHelp("Only secrets of this service.", valueName: "service"))
    var service: String?

    @Argument(help: ArgumentHelp("Only the one of this account.", valueName: "account"))
    var account: String?

    @Option(help: ArgumentHelp("Only to this machine; can be repeated.", valueName: "machine"))
    var to: [String] = []

    @Option(
        help: ArgumentHelp("The folder that your machines share, if it is another one now.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Flag(name: .shortAndLong, help: "Print only warnings and errors.")
    var quiet = false

    @OptionGroup var prompt: PromptOptions

    func validate() throws {
        try SyncCommand.checkFolder(folder)
        guard to.allSatisfy({ !$0.isEmpty }) else { throw ValidationError("a machine's name must not be empty") }
    }

    func run() throws {
        let session = CommandSession(quiet: quiet)
        let sharing = try Sharing.find(session, folder: folder, noPrompt: prompt.noPrompt)
        // Others may have added machines, or released something meanwhile.
        for line in SharingText.warnings(try sharing.exchange()) { Output.note(line) }
        let state = try Sharing.state(session, noPrompt: prompt.noPrompt)
        if let warning = Silence.warning(state) { Output.note(warning) }
        let machines = state.readers
        let chosen = try to.isEmpty ? nil : Set(MachineChoice(machines: machines).chosen(to).map(\.device))
        let reply = try session.client.call(Sync.Releasables())
        let batches = ReleaseBatch.all(of: reply.items.filter(isNamed), to: chosen)
        for (place, batch) in batches.enumerated() {
            let names = MachineChoice(machines: machines.filter { batch.devices.contains($0.device) }).shown
            do throws(KeychainError) {
                _ = try session.call(
                    Sync.Release(items: batch.items, devices: batch.devices),
                    for: "releasing \(SharingText.secrets(batch.items.count)) to \(names.joined(separator: ", "))",
                    noPrompt: prompt.noPrompt, command: "coffer sync release")
            } catch {
                guard place > 0 else { throw error }
                throw error.afterPart("what was released stays so; for the rest, run the command again")
            }
            if !quiet {
                Output.note("Released \(SharingText.secrets(batch.items.count)) to \(names.joined(separator: ", ")).")
            }
        }
        // One question after the other, without an end, is no question.
        if reply.more {
            Output.note(
                "Only the first \(SharingText.secrets(reply.items.count)) were looked at. "
                    + "For the rest, run again without a name: coffer sync release")
        }
        guard !batches.isEmpty else {
            if !reply.more { Output.note("There is nothing to release.") }
            return
        }
        do { _ = try sharing.exchange() } catch {
            Output.note("It is not in the folder yet. Once the error is mended, run: coffer sync now")
            throw error
        }
        if !quiet {
            Output.note(
                Self.next(for: machines.filter { machine in batches.contains { $0.devices.contains(machine.device) } }))
        }
    }

    /// - Parameter receivers: the machines, and the code on paper, that something was released to.
    static func next(for receivers: [Sync.Machine]) -> String {
        receivers.allSatisfy(\.isPaper)
            ? "The code on paper brings it back from copies of the folder that you make from now on."
            : "The other machines can read it after their next exchange; for that, run there: coffer sync now"
    }

    private func isNamed(_ item: Sync.Releasable) -> Bool {
        // Byte by byte, as the vault tells names apart.
        (service.map { $0.utf8.elementsEqual(item.service.utf8) } ?? true)
            && (account.map { $0.utf8.elementsEqual(item.account.utf8) } ?? true)
    }
}
