import ArgumentParser
import Coffer

/// `coffer search`
struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", _superCommandName: "coffer",
        abstract: "Find secrets by name, label, comment or attribute.",
        usage: "coffer search [<text>] [--attribute <key=value>]… [options]",
        discussion: """
            Finds items that have every given attribute and contain the text in service, account, label or comment. Upper and lower case are the \
            same. Prints the same columns as coffer list.

            Example:
              coffer search mail --attribute team=ops
            """)

    @Argument(help: "A part of a service, account, label or comment.")
    var text: String?

    @Option(
        name: .customLong("attribute"),
        help: ArgumentHelp("An attribute that the item must have. May be repeated.", valueName: "key=value"),
        transform: AttributeArgument.init(parsing:))
    var pairs: [AttributeArgument] = []

    @Option(help: ArgumentHelp("Only secrets of this kind.", valueName: "kind"))
    var kind: ItemKind?

    @OptionGroup var format: JSONOptions
    @OptionGroup var vault: VaultOptions

    func validate() throws {
        guard text != nil || !pairs.isEmpty else {
            throw ValidationError("give a text, an --attribute, or both; coffer list shows all")
        }
        guard Set(pairs.map(\.key)).count == pairs.count else { throw ValidationError("--attribute names a key twice") }
    }

    func run() throws {
        let attributes = pairs.isEmpty ? nil : Dictionary(uniqueKeysWithValues: pairs.map { ($0.key, $0.value) })
        let items = try CommandSession(vault).client.search(text: text, attributes: attributes, kind: kind)
        try ItemListing(items: items, emptyHint: "Nothing matches").show(asJSON: format.json)
    }
}
