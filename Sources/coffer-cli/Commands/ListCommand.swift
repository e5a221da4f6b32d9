import ArgumentParser
import BrokerProtocol
import Coffer
import FoundationEssentials

/// `coffer list`
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", _superCommandName: "coffer",
        abstract: "List the stored items: names, never values.",
        usage: "coffer list [<service>] [options]",
        discussion: """
            Columns: SERVICE ACCOUNT ACCESS REQUIRES CHANGED, EXPIRES if any secret does, and KIND if any is not generic. On a terminal they are \
            aligned, and text that does not fit is cut and ends in “…”. Otherwise nothing is cut, tabs separate them, times are in ISO \
            8601, and the first line names the columns, too. With --deleted the columns are SERVICE ACCOUNT DELETED UNTIL. A character that would disturb the table is shown as an escape (\\n, \\t, \\u{1b}), \
            and a backslash as two. --json has every name unchanged. Asks nothing, and works while the vault is locked, too.
            """,
        aliases: ["ls"])

    @Argument(help: "Only this service.")
    var service: String?

    @Option(help: ArgumentHelp("Only secrets of this kind.", valueName: "kind"))
    var kind: ItemKind?

    @Option(
        help: ArgumentHelp(
            "Only secrets that expire within this time, the first to expire first; written --expiring[=<time>], 30d by default.",
            valueName: "time"),
        transform: ComingArgument.init(parsing:))
    var expiring: ComingArgument?

    @Flag(help: "List the removed secrets that coffer restore can bring back.")
    var deleted = false

    @OptionGroup var format: JSONOptions
    @OptionGroup var vault: VaultOptions

    func validate() throws {
        if let service { try NameArgument.check(service: service) }
        guard !deleted || expiring == nil else {
            throw ValidationError("--deleted and --expiring exclude each other")
        }
    }

    func run() throws {
        let session = CommandSession(vault)
        if deleted { return try showBin(session) }
        let stored = try session.client.list(service: service, kind: kind)
        if let expiring {
            return try ItemListing(
                items: Self.items(stored, expiringBy: Date().addingTimeInterval(expiring.seconds)),
                emptyHint: "Nothing expires in that time"
            ).show(asJSON: format.json)
        }
        let hint =
            service.map { "Nothing is stored for \(VisibleText.quoted($0))" }
            ?? kind.map { "Nothing of the kind \($0.rawValue) is stored" }
            ?? "Nothing is stored yet; begin with: coffer set SERVICE ACCOUNT"
        try ItemListing(items: stored, emptyHint: hint).show(asJSON: format.json)
    }

    /// A removed secret in the output of `--json`.
    private struct Record: Encodable {
        var item: ItemDescription
        var deleted: String
        var until: String
    }

    private func showBin(_ session: CommandSession) throws {
        let items = try session.client.deletedItems().filter { item in
            (service.map { item.service.utf8.elementsEqual($0.utf8) } ?? true)
                && (kind.map { item.kind == $0 } ?? true)
        }
        let days = items.isEmpty ? nil : try session.client.call(Keychain.Status()).history?.bin
        let rows = items.compactMap { DeletedRow($0, days: days ?? 0) }
        if format.json {
            try Output.line(
                JSONText.of(
                    rows.map {
                        Record(
                            item: ItemDescription($0.item), deleted: TimeText($0.deleted).iso8601,
                            until: TimeText($0.until).iso8601)
                    }))
        } else if rows.isEmpty, Output.isTerminal {
            Output.note("Nothing that was removed can be brought back")
        } else {
            try Output.line(
                DeletedTable.lines(rows, aligned: Output.isTerminal, width: Output.columns).joined(separator: "\n"))
        }
    }

    /// Those that expire until then, the first to expire first. Items without a date are not among them.
    static func items(_ items: [ItemAttributes], expiringBy limit: Date) -> [ItemAttributes] {
        let dated = items.compactMap { item in item.expires.map { (item, $0) } }
        return dated.filter { $0.1 <= limit }
            .enumerated().sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }.map(\.element.0)
    }
}
