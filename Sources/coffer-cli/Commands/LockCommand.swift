import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer lock`
struct LockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", _superCommandName: "coffer",
        abstract: "Lock the vault. Its keys are wiped before this command returns.")

    @OptionGroup var vault: VaultOptions
    @OptionGroup var format: JSONOptions

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func run() throws {
        let vault = try CommandSession(vault).client.call(Keychain.Lock()).vault
        if format.json { return try Output.line(JSONText.of(VaultRecord(vault))) }
        guard !quiet else { return }
        Output.note(vault.state == .none ? "There is no vault yet, so there is nothing to lock" : "Locked")
    }
}
