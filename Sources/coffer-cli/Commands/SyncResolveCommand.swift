import ArgumentParser
import Coffer

/// `coffer sync resolve`
struct SyncResolveCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Decide which of several changes of a secret counts.",
        usage:
            "coffer sync resolve <service> [<account>] (--take <machine> | --both) [--field <name> | --part <part>] [--quiet] [--user <name>]",
        discussion: """
            From then on, all machines have what the named machine has set, and the others' changes are gone. What was shown here becomes a \
            former value. Read the values before: coffer sync conflicts SERVICE ACCOUNT --values

            --both loses nothing: what is shown, or what --take names, stays in its field, and each other value becomes a field of its own, such \
            as secret-desk.

            What reading the secret takes stays as it is. If somebody else has decided meanwhile, nothing is changed (status 1).

            Examples:
              coffer sync resolve github me --take desk
              coffer sync resolve github me --field pin --both
              coffer sync resolve github me --part label --take desk
            """)

    @OptionGroup var item: ItemReference
    @OptionGroup var field: FieldOptions

    @Option(
        help: ArgumentHelp(
            "The part that is meant, if it is no field: name, label, comment, expiry or attribute:NAME.",
            valueName: "part"),
        transform: ConflictPart.parse)
    var part: ConflictPart?

    @Option(
        help: ArgumentHelp(
            "Take what this machine has set: its name as coffer sync conflicts shows it, or the first digits of its id.",
            valueName: "machine"))
    var take: String?

    @Flag(help: "Keep all values: each that is not taken becomes a field of its own.")
    var both = false

    @Flag(name: .shortAndLong, help: "Print only warnings and errors.")
    var quiet = false

    @OptionGroup var shared: ServiceVaultOptions
    @OptionGroup var prompt: PromptOptions

    func validate() throws {
        guard field.field == nil || part == nil else {
            throw ValidationError("a decision is about one part: --field and --part do not go together")
        }
        guard both || take != nil else { throw ValidationError("say what counts: --take MACHINE or --both") }
        guard take != "" else { throw ValidationError("a machine's name must not be empty") }
        guard !both || part == nil else {
            throw ValidationError("only values can both be kept: --both goes with --field")
        }
    }

    func share() throws {
        let session = CommandSession(shared.vault, quiet: quiet)
        _ = try Sharing.state(session, noPrompt: prompt.noPrompt)
        try session.openVault(noPrompt: prompt.noPrompt)
        let name = try item.name(session)
        let found = try session.finding(name) { () throws(KeychainError) in
            try session.client.call(ItemCall.attributes(of: name))
        }
        let named = part ?? field.field.map { .field($0) }
        let conflict = try ConflictList(session, of: found.id).chosen(named, of: name)
        let choice = RevisionChoice(revisions: conflict.revisions)
        guard let shown = choice.revisions.first else { throw Sharing.misunderstood("a conflict has no values") }
        let taken = try take.map { (word) throws(KeychainError) in try choice.chosen(word) } ?? shown
        let fields = try session.client.call(
            Sync.Resolve(
                item: conflict.item, part: conflict.part, name: conflict.name, take: taken.id, both: both ? true : nil)
        ).fields
        guard !quiet else { return }
        let machine = zip(choice.revisions, choice.shown).first { $0.0.id == taken.id }?.1 ?? ""
        let part = ConflictPart(conflict)?.shown ?? ""
        Output.note("\(found.shownName), \(part): what \(machine) has set counts")
        if !fields.isEmpty {
            Output.note(
                "Kept as \(fields.count == 1 ? "the field" : "the fields") "
                    + fields.map(VisibleText.quoted).joined(separator: ", "))
        }
        Output.note(shared.naming("To tell the other machines, run: coffer sync now"))
    }
}
