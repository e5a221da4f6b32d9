import ArgumentParser
import Coffer
import Glibc

/// `coffer restore`
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", _superCommandName: "coffer",
        abstract: "Bring back a value that a secret had before.",
        usage: "coffer restore <service> [<account>] [--former <n>] [-f]",
        discussion: """
            The value comes back with the requirements that it had, and you are prompted as reading it does. The present value becomes a \
            former one, so you can change your mind. At a terminal you are asked to confirm. Without a terminal, give -f; otherwise nothing is \
            changed.

            Examples:
              coffer history github me
              coffer restore github me
              coffer restore github me --former 3
            """)

    @OptionGroup var item: ItemReference
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
        let name = try item.fullName(session)
        let found = try session.finding(name.partial) { () throws(KeychainError) in
            try session.client.call(ItemCall.history(of: name.partial))
        }
        guard let former = found.versions.first(where: { version == nil || $0.version == version }) else {
            throw KeychainError(
                .notFound,
                version.map { "\(name.shownName) has no former value of version \($0), or no longer" }
                    ?? "\(name.shownName) has no former value, or no longer",
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
                (version.map { ["--former", String($0)] } ?? []) + KindOptions.words(name.kind) + vault.words))
        if format.json {
            try Output.line(JSONText.of(ItemDescription(restored)))
        } else if !quiet {
            Output.note("Restored \(name.shownName) to the value set \(TimeText(former.set).relative())")
        }
    }

    private func question(
        _ name: FullName, _ former: ItemVersion, _ present: ItemAttributes
    ) -> String {
        var text = "Restore \(name.shownName) to the value set \(TimeText(former.set).relative())?"
        // A looser value does not stay beside a stricter one.
        if former.access != present.access {
            text +=
                " Its requirements come back, too: \(ItemText.requires(former.access) ?? "nothing more");"
                + " the present value may not be kept."
        }
        return text + " [y/N] "
    }
}
