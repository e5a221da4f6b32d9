import ArgumentParser
import Coffer

/// `coffer get`
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", _superCommandName: "coffer",
        abstract: "Print a secret.",
        usage: "coffer get <service> [<account>] [options]",
        discussion: """
            The secret's bytes go to standard output unchanged; on a terminal a newline follows. If you have to authenticate, you are asked at \
            the terminal. Without a terminal, the program that COFFER_ASKPASS names asks you; without that, pinentry does on a display. \
            Application passwords are asked for the same way.

            A value that has control characters, or is not text, is not shown on a terminal, because the terminal would obey it. Pipe it on, or \
            give --raw.

            A secret can have several fields: its password, the seed of one-time passwords, notes, a PIN. Without --field, the field named \
            secret is printed. --all reads every field with one prompt, and prints each after its name. The lines of a value of several lines are \
            indented. For programs, use --all --json.

            Examples:
              coffer get github me
              coffer get github me --field pin
              coffer get github me --all
              coffer get github --clip
              coffer get db admin --reason "nightly backup" --no-prompt | psql …
            """)

    @OptionGroup var item: ItemReference
    @OptionGroup var field: FieldOptions

    @Flag(help: "Print all fields of the secret, each after its name.")
    var all = false

    @OptionGroup var prompt: PromptOptions
    @OptionGroup var password: ApplicationPasswordOptions
    @OptionGroup var vault: VaultOptions
    @OptionGroup var format: JSONOptions

    @Flag(
        help:
            "On a terminal, show even what the terminal would obey: control characters, bytes that are not text."
    )
    var raw = false

    @OptionGroup var why: ReasonOptions

    @Option(
        help: ArgumentHelp(
            "Put it on the clipboard instead; written --clip[=<seconds>], 45 seconds by default.",
            valueName: "seconds"),
        transform: SecondsArgument.init(parsing:))
    var clip: SecondsArgument?

    @Option(
        name: .customLong("former"),
        help: ArgumentHelp(
            "Read a former value: the number of its version, as coffer history lists it.", valueName: "n"))
    var version: Int?

    @Argument(help: .hidden)
    var surplus: [String] = []

    func validate() throws {
        if let first = surplus.first {
            if clip != nil, let time = detachedTime {
                throw ValidationError("a time needs an equals sign before it: write --clip=\(time)")
            }
            throw ValidationError("give a service and an account only; '\(first)' is too much")
        }
        guard clip == nil || !format.json else {
            throw ValidationError("--clip prints nothing, so it does not go with --json")
        }
        guard !all || (field.field == nil && version == nil && clip == nil) else {
            throw ValidationError(
                "--all prints every field's present value, so it does not go with --field, --former and --clip")
        }
    }

    /// The command to run in a terminal if nobody can be asked here.
    static func command(_ name: PartialName, version: Int? = nil, _ vault: [String] = []) -> String {
        ShellText.command(
            "get", name.service, name.account,
            FieldOptions.words(name.field) + KindOptions.words(name.kind)
                + (version.map { ["--former", String($0)] } ?? []) + vault)
    }

    private var detachedTime: String? {
        ArgumentRewriter.detached("--clip") { SecondsArgument($0) != nil }
    }

    private func read(_ name: PartialName, _ session: CommandSession) throws(KeychainError) -> Item {
        let reading = ItemReading(
            version: version, reason: why.reason, noPrompt: prompt.noPrompt, choosingPassword: password.appPassword,
            namesField: true, command: { Self.command(name, version: version, vault.words) })
        do throws(KeychainError) { return try reading.read(name, session) } catch {
            guard error.code == .notFound, clip != nil, let time = detachedTime, time == item.account else {
                throw error
            }
            throw KeychainError(
                .notFound, error.message, advice: "if \(time) is a time and not an account, write --clip=\(time)")
        }
    }

    func run() throws {
        let session = CommandSession(vault)
        if all { return try printAll(session) }
        // Checked before anybody is asked, because a missing clipboard can be noticed at once.
        let clipboard = try clip.map { _ in try Clipboard.find(session) }
        let found = try read(item.name(session).with(field.field), session)
        if let clip, let clipboard {
            try clipboard.copy(found.value, for: clip.seconds)
            Output.note("Copied \(shown(found)); \(clipboard.spoken) is cleared in \(clip.spoken)")
        } else if format.json {
            try Output.line(JSONText.of(SecretOutput.Record(found.attributes, field.field, found.value)))
        } else {
            try SecretOutput.value(found.value, of: shown(found), raw: raw)
        }
    }

    private func shown(_ found: Item) -> String { FieldText.shown(found.attributes.shownName, field.field) }

    private func printAll(_ session: CommandSession) throws {
        let name = try item.name(session)
        let command = ShellText.command(
            "get", name.service, name.account, KindOptions.words(name.kind) + vault.words + ["--all"])
        let fields = try AllFields(
            reason: why.reason, noPrompt: prompt.noPrompt, choosingPassword: password.appPassword, command: command,
            tells: !format.json
        ).read(name, session)
        if format.json {
            try Output.line(JSONText.of(FieldRecords(fields)))
        } else {
            try Output.bytes(fields.text(raw: raw, onTerminal: Output.isTerminal))
        }
    }
}
