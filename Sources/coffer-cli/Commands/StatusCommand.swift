import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer status`
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", _superCommandName: "coffer",
        abstract: "Show the vault's state: locked or not, what seals it, what weakens it.",
        usage: "coffer status [--group <name>] [--json]",
        discussion: """
            Asks nothing, and works while the vault is locked or before there is one.
            """)

    @OptionGroup var format: JSONOptions
    @OptionGroup var vault: VaultOptions

    func run() throws {
        let client = CommandSession(vault).client
        let status = try client.call(Keychain.Status())
        // If the coverage cannot be read, because of the TPM for example, the rest is shown.
        let coverage = status.vault.boot.flatMap { registers in
            try? client.call(Keychain.TieCoverage(registers: registers)).coverage
        }
        if format.json {
            try Output.line(JSONText.of(StatusRecord(status, coverage)))
        } else {
            try Output.line(StatusText.lines(status, coverage, of: vault).joined(separator: "\n"))
        }
    }
}
