import ArgumentParser
import BrokerProtocol
import Coffer
import Varlink

/// `coffer list`
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", _superCommandName: "coffer",
        abstract: "List the stored items: names, never values.",
        usage: "coffer list [<service>] [options]",
        discussion: """
            Columns: SERVICE ACCOUNT ACCESS REQUIRES CHANGED, and KIND if any secret is not generic. On a terminal they are aligned. Otherwise tabs separate them, times are in ISO \
            8601, and the first line names the columns, too. A character that would disturb the table is shown as an escape (\\n, \\t, \\u{1b}), \
            and a backslash as two. --json has every name unchanged. Asks nothing, and works while the vault is locked, too.
            """,
        aliases: ["ls"])

    @Argument(help: "Only this service.")
    var service: String?

    @Option(help: ArgumentHelp("Only secrets of this kind.", valueName: "kind"))
    var kind: Keychain.ItemKind?

    @OptionGroup var format: JSONOptions
    @OptionGroup var vault: VaultOptions

    func validate() throws {
        if let service { try ItemName.check(service: service) }
    }

    func run() throws {
        let items = try CommandSession(vault).client.list(service: service, kind: kind)
        let hint =
            service.map { "Nothing is stored for \(VisibleText.quoted($0))" }
            ?? "Nothing is stored yet; begin with: coffer set SERVICE ACCOUNT"
        try ItemListing(items: items, emptyHint: hint).show(asJSON: format.json)
    }
}
