import ArgumentParser
import Coffer

/// `coffer show`
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", _superCommandName: "coffer",
        abstract: "Show a secret's settings and fields, not its values.",
        usage: "coffer show <service> [<account>] [--json]",
        discussion: """
            Asks nothing, and works while the vault is locked, too. If the secret has fields, they are listed with their kind (secret, otp, text or \
            file) and the time when each was set, never with their value.
            """)

    @OptionGroup var item: ItemReference
    @OptionGroup var format: JSONOptions
    @OptionGroup var vault: VaultOptions

    func run() throws {
        let session = CommandSession(vault)
        let name = try item.name(session)
        let found = try session.finding(name) { () throws(KeychainError) in
            try session.client.call(ItemCall.attributes(of: name))
        }
        if format.json {
            try Output.line(JSONText.of(ItemDescription(found)))
        } else {
            try Output.line(ItemText.description(found).joined(separator: "\n"))
        }
    }
}
