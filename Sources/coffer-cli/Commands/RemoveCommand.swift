import ArgumentParser
import Coffer
import Glibc

/// `coffer rm`
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", _superCommandName: "coffer",
        abstract: "Remove a secret for good.",
        usage: "coffer rm <service> [<account>] [-f]",
        discussion:
            "Its former values are removed, too. At a terminal you are asked to confirm. Without a terminal, give -f; otherwise nothing is removed.",
        aliases: ["remove"])

    @OptionGroup var item: ItemReference
    @OptionGroup var vault: VaultOptions
    @OptionGroup var format: JSONOptions

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    /// The output of `--json`.
    private struct Record: Encodable {
        var removed: ItemDescription
        /// false while an older copy of the vault would bring it back: the TPM counts the removal soon. Else it is left out.
        var protected: Bool?
    }

    func run() throws {
        let session = CommandSession(vault)
        let name = try item.fullName(session)
        if !force {
            let found = try session.finding(name.partial) { () throws(KeychainError) in
                try session.client.call(ItemCall.attributes(of: name.partial))
            }
            guard isatty(STDIN_FILENO) == 1 else {
                throw KeychainError(
                    .invalidArgument,
                    "\(found.shownName) was not removed: there is no terminal to confirm it at",
                    advice: "to remove it without confirmation, use -f")
            }
            guard try isMeant(found) else {
                Output.note("Kept \(name.shownName)")
                throw ExitStatus.failure
            }
        }
        let deleted = try session.finding(name.partial) { () throws(KeychainError) in
            try session.client.call(ItemCall.delete(name.item))
        }
        if format.json {
            try Output.line(
                JSONText.of(
                    Record(
                        removed: ItemDescription(deleted.attributes), protected: deleted.isProtected ? nil : false)))
        } else if !quiet {
            Output.note("Removed \(name.shownName)")
        }
    }

    private func isMeant(_ found: ItemAttributes) throws -> Bool {
        let question =
            "Remove \(found.shownName), set \(TimeText(found.modified).relative())? It cannot be brought back. [y/N] "
        return try Confirmation.isGiven(question, orSkipWith: "-f")
    }
}
