import ArgumentParser
import BrokerProtocol
import Coffer
import Glibc

/// `coffer rm`
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove a secret for good.",
        usage: "coffer rm <service> <account> [-f]",
        discussion: "On a terminal you are asked whether you mean it, unless -f is given.",
        aliases: ["remove"])

    @OptionGroup var item: ItemArguments
    @OptionGroup var vault: VaultOptions

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var force = false

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    func run() throws {
        let client = Session(vault).client
        if !force, isatty(STDIN_FILENO) == 1 {
            let found = try client.call(Keychain.Show(service: item.service, account: item.account)).item
            guard try isMeant(found) else {
                Output.note("Kept \(item.shownName)")
                throw ExitStatus.failure
            }
        }
        _ = try client.call(Keychain.Delete(service: item.service, account: item.account))
        if !quiet { Output.note("Removed \(item.shownName)") }
    }

    private func isMeant(_ found: Keychain.Item) throws -> Bool {
        let question =
            "Remove \(found.shownName), set \(TimeText(found.modified).relative())? It cannot be brought back. [y/N] "
        return try Confirmation.isGiven(question, orSkipWith: "-f")
    }
}
