import ArgumentParser
import BrokerProtocol
import Coffer
import Glibc

/// `coffer rm`
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", _superCommandName: "coffer",
        abstract: "Remove a secret.",
        usage: "coffer rm <service> [<account>] [-f] [--now]",
        discussion: """
            The secret goes into the vault's bin with its former values. It stays there for 30 days, unless you choose otherwise with coffer \
            history --bin. Until then, coffer list --deleted shows it, and coffer restore brings it back. Nothing else finds it, and its name is \
            free for another secret. Reading it after you bring it back takes what it took before.

            With --now it is gone for good. If no secret has the name, --now deletes those of the name that are in the bin. The key of a file \
            (--kind file) is always gone for good.

            At a terminal you are asked to confirm. Without a terminal, give -f; otherwise nothing is removed.

            Examples:
              coffer rm github me
              coffer restore github me
              coffer rm github me --now
            """,
        aliases: ["remove"])

    @OptionGroup var item: ItemReference
    @OptionGroup var vault: VaultOptions
    @OptionGroup var format: JSONOptions

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var force = false

    @Flag(help: "Delete it for good, also if it is in the bin.")
    var now = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    /// The output of `--json`.
    private struct Record: Encodable {
        var removed: ItemDescription
        /// Until when it can be brought back. It is left out if it is gone for good.
        var until: String?
        /// false while an older copy of the vault would bring it back: the TPM counts the removal soon. Else it is left out.
        var protected: Bool?
    }

    /// What is to be removed, and how.
    private struct Target {
        let name: FullName
        let call: ItemCall<Keychain.Delete, DeletedItem>
        /// What a person is asked.
        let question: String
    }

    func run() throws {
        let session = CommandSession(vault)
        let target = try target(session)
        let name = target.name
        if !force {
            guard isatty(STDIN_FILENO) == 1 else {
                throw KeychainError(
                    .invalidArgument,
                    "\(name.shownName) was not removed: there is no terminal to confirm it at",
                    advice: "to remove it without confirmation, use -f")
            }
            guard try Confirmation.isGiven(target.question + " [y/N] ", orSkipWith: "-f") else {
                Output.note("Kept \(name.shownName)")
                throw ExitStatus.failure
            }
        }
        let deleted = try session.finding(name.partial) { () throws(KeychainError) in
            try session.client.call(target.call)
        }
        if format.json {
            try Output.line(
                JSONText.of(
                    Record(
                        removed: ItemDescription(deleted.attributes),
                        until: deleted.keptUntil.map { TimeText($0).iso8601 },
                        protected: deleted.isProtected ? nil : false)))
        } else if !quiet {
            Output.note(VisibleText.sentence(report(name, deleted)))
        }
    }

    private func report(_ name: FullName, _ deleted: DeletedItem) -> String {
        guard let until = deleted.keptUntil else { return "Removed \(name.shownName)" }
        let command = ShellText.command(
            "restore", name.service, name.account, KindOptions.words(name.kind) + vault.words)
        return "Removed \(name.shownName); the bin keeps it until \(TimeText(until).day). To bring it back: \(command)"
    }

    private func target(_ session: CommandSession) throws -> Target {
        let partial = try item.name(session)
        do throws(KeychainError) {
            // With -f the deletion itself tells whether there is such an item.
            if force, !now, let account = partial.account {
                let name = FullName(service: partial.service, account: account, kind: partial.kind)
                return Target(name: name, call: .putAside(name.item), question: "")
            }
            let found = try session.client.call(ItemCall.attributes(of: partial))
            let name = FullName(service: found.service, account: found.account, kind: partial.kind)
            let question = "Remove \(found.shownName), set \(TimeText(found.modified).relative())? "
            return now
                ? Target(name: name, call: .delete(name.item), question: question + "It cannot be brought back.")
                : Target(name: name, call: .putAside(name.item), question: question + prospect(of: found, session))
        } catch {
            guard error.code == .notFound else { throw error }
            if now, let deleted = try session.deleted(item.service, item.account, item.kind.kind) {
                return target(deleted)
            }
            return try session.finding(partial) { () throws(KeychainError) in throw error }
        }
    }

    private func target(_ deleted: DeletedName) -> Target {
        let name = deleted.name
        let question =
            deleted.items.count == 1
            ? "Delete \(name.shownName) from the bin?"
            : "Delete all \(deleted.items.count) secrets named \(name.shownName) from the bin?"
        return Target(
            name: name, call: .deleteFromBin(name.item),
            question: question + " \(deleted.items.count == 1 ? "It" : "They") cannot be brought back.")
    }

    /// What a person is told before they say yes.
    private func prospect(of item: ItemAttributes, _ session: CommandSession) -> String {
        // `try?`: without the setting, the question says nothing about it, and the answer to the removal does.
        guard let status = try? session.client.call(Keychain.Status()), let days = status.history?.bin else {
            return ""
        }
        guard days > 0, item.kind != .file else { return "It cannot be brought back." }
        return "The bin keeps it for \(days == 1 ? "a day" : "\(days) days")."
    }
}
