import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer status`
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Tell how the vault is: locked or not, what seals it, what weakens it.",
        usage: "coffer status [--group <name>] [--json]",
        discussion: "Asks nothing, and answers while the vault is locked or there is none yet.")

    @OptionGroup var format: JSONOptions
    @OptionGroup var vault: VaultOptions

    func run() throws {
        let status = try Session(vault).client.call(Keychain.Status())
        if format.json {
            try Output.line(JSONText.of(StatusRecord(status)))
        } else {
            try Output.line(StatusText.lines(status, of: vault).joined(separator: "\n"))
        }
    }
}
