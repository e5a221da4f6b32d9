import ArgumentParser
import Coffer
import Glibc

/// `coffer restore`
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", _superCommandName: "coffer",
        abstract: "Bring back a value that a secret had before, or a secret that was removed.",
        usage: "coffer restore <service> [<account>] [--former <n>] [-f]",
        discussion: """
            The value comes back with the requirements that it had, and you are prompted as reading it does. The present value becomes a \
            former one, so you can change your mind. At a terminal you are asked to confirm. Without a terminal, give -f; otherwise nothing is \
            changed.

            If no secret has the name, the one that was removed last comes back from the bin, as it was. This asks nothing, because reading it \
            still does. If another secret has the name of a removed one, rename that one first. coffer list --deleted shows what can come back.

            Examples:
              coffer history github me
              coffer restore github me
              coffer restore github me --former 3
              coffer restore github me --field pin
            """)

    @OptionGroup var item: ItemReference
    @OptionGroup var field: FieldOptions
    @Option(
        name: .customLong("former"),
        help: ArgumentHelp("The version, as coffer history lists it; by default the newest former one.", valueName: "n")
    )
    var version: Int?
    @OptionGroup var why: ReasonOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var password: ApplicationPasswordOptions
    @OptionGroup var vault: VaultOptions
    @OptionGroup var format: JSONOptions

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func run() throws {
        let session = CommandSession(vault)
        let partial = try item.name(session)
        let found: ItemHistory
        do throws(KeychainError) { found = try session.client.call(ItemCall.history(of: partial)) } catch {
            guard error.code == .notFound, version == nil, field.field == nil, try restoreDeleted(session) else {
                return try session.finding(partial) { () throws(KeychainError) in throw error }
            }
            return
        }
        let name = FullName(service: found.item.service, account: found.item.account, kind: partial.kind)
        guard let former = found.versions.first(where: isMeant) else {
            if version == nil, field.field == nil, try restoreDeleted(session) { return }
            let shown = FieldText.shown(name.shownName, field.field)
            throw KeychainError(
                .notFound,
                version.map { "\(shown) has no former value of version \($0), or no longer" }
                    ?? "\(shown) has no former value, or no longer",
                advice: "list what there is with: "
                    + ShellText.command(
                        "history", name.service, name.account, KindOptions.words(name.kind) + vault.words))
        }
        if !force {
            guard isatty(STDIN_FILENO) == 1 else {
                throw KeychainError(
                    .invalidArgument, "\(name.shownName) was not changed: there is no terminal to confirm it at",
                    advice: "to restore it without confirmation, use -f")
            }
            guard try Confirmation.isGiven(question(name, former, found.item), orSkipWith: "-f") else {
                Output.note("Nothing was changed")
                throw ExitStatus.failure
            }
        }
        let restored = try session.call(
            ItemCall.restore(name.item, version: former.version, ReadRequest(reason: why.reason)),
            for: name.shownName, noPrompt: prompt.noPrompt, choosingPassword: password.appPassword,
            command: ShellText.command(
                "restore", name.service, name.account,
                FieldOptions.words(field.field) + (version.map { ["--former", String($0)] } ?? [])
                    + KindOptions.words(name.kind) + vault.words))
        if format.json {
            try Output.line(JSONText.of(ItemDescription(restored)))
        } else if !quiet {
            Output.note(
                "Restored \(FieldText.shown(name.shownName, former.field)) to the value set \(TimeText(former.set).relative())"
            )
        }
    }

    /// A version is that of one field. Without a version, the newest value of the field is meant.
    private func isMeant(_ former: ItemVersion) -> Bool {
        guard let version else { return former.field == field.field ?? .secret }
        return former.version == version && former.field == field.field ?? former.field
    }

    /// Takes the secret out of the bin.
    /// - Returns: false if the bin has none of this name.
    /// - Throws: `.alreadyExists` if another secret has the name.
    private func restoreDeleted(_ session: CommandSession) throws -> Bool {
        guard let deleted = try session.deleted(item.service, item.account, item.kind.kind) else { return false }
        let name = deleted.name
        let restored: ItemAttributes
        do throws(KeychainError) {
            restored = try session.client.call(ItemCall.restoreDeleted(name.item))
        } catch {
            guard error.code == .alreadyExists else { throw error }
            throw KeychainError(
                .alreadyExists, "another secret is named \(name.shownName) by now, so the removed one cannot come back",
                advice: "give the other one a new name first: "
                    + ShellText.command(
                        "rename", name.service, name.account,
                        [name.service, "NEW_ACCOUNT"] + KindOptions.words(name.kind) + vault.words))
        }
        if format.json {
            try Output.line(JSONText.of(ItemDescription(restored)))
        } else if !quiet {
            Output.note("Restored \(name.shownName) from the bin")
        }
        return true
    }

    private func question(
        _ name: FullName, _ former: ItemVersion, _ present: ItemAttributes
    ) -> String {
        var text =
            "Restore \(FieldText.shown(name.shownName, former.field)) to the value set \(TimeText(former.set).relative())?"
        // A looser value does not stay beside a stricter one.
        if former.access != present.access {
            text +=
                " Its requirements come back, too: \(ItemText.requires(former.access) ?? "nothing more");"
                + " the present value may not be kept."
        }
        return text + " [y/N] "
    }
}
