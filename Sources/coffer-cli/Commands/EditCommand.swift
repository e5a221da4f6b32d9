import ArgumentParser
import Coffer

/// `coffer edit`
struct EditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", _superCommandName: "coffer",
        abstract: "Change a secret's settings, or with --value its value.",
        usage: "coffer edit <service> [<account>] [options] | --join [<service> [<account>]] [--dry-run]",
        discussion: """
            Settings that you do not name stay as they are. An empty label, comment or attribute value removes it. --expires never removes the \
            date. --require none removes every requirement. A change of access reads the secret, so it prompts you as reading does.

            --unset removes a field. Its value becomes a former one, so coffer restore brings it back.

            --value opens the value in your editor (VISUAL or EDITOR) and stores what you save; with --field, that of a field. It prompts you as reading does. The file is in memory, \
            and is gone when the editor ends. Coffer starts vim, nvim, nano and emacs so that they keep no copies; it warns of others, and \
            refuses some that always keep copies.

            --join makes fields of the secrets that imports stored beside a login before secrets had fields: github/me:otp becomes the field otp of \
            github/me. Without a name it takes those that an import must have made; with a name, all of the form NAME:FIELD. It prompts you \
            as reading them does. The login gets the stricter access of the two. The field is stored before the former secret goes into the bin. \
            If the field has another value already, nothing changes. --dry-run shows what would be done. Ends with status 1 if one was refused.

            Examples:
              coffer edit server notes --value
              coffer edit github me --value --field notes
              coffer edit github me --unset pin
              coffer edit github me --label "Work account" --attribute team=
              coffer edit github me --require presence
              coffer edit --join --dry-run
            """)

    @Argument(help: ItemReference.serviceHelp)
    var service: String?

    @Argument(help: ItemReference.accountHelp)
    var account: String?

    @OptionGroup var kind: KindOptions
    @OptionGroup var field: FieldOptions
    @OptionGroup var change: AccessChangeOptions
    @OptionGroup var metadata: MetadataOptions
    @OptionGroup var why: ReasonOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var password: ApplicationPasswordOptions
    @OptionGroup var vault: VaultOptions

    @Flag(help: "Change the value in your editor (VISUAL or EDITOR).")
    var value = false

    @Option(
        help: ArgumentHelp("Remove this field. May be repeated.", valueName: "field"), transform: FieldArgument.parse)
    var unset: [FieldName] = []

    @Flag(help: "Make fields of the secrets that imports stored beside a login, as github/me:otp.")
    var join = false

    @Flag(help: "With --join: show what would be done, and do nothing.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func validate() throws {
        if let service { try ItemReference.check(service, account) }
        guard join || service != nil else { throw ValidationError("Missing expected argument '<service>'") }
        guard join || !dryRun else { throw ValidationError("--dry-run goes with --join") }
        guard !join || !(value || change.isSome || hasMetadata || !unset.isEmpty || kind.kind != nil) else {
            throw ValidationError("--join makes fields of secrets, and changes nothing else; use a second command")
        }
        guard value || field.field == nil else {
            throw ValidationError("--field goes with --value; settings hold for all fields of a secret")
        }
        guard unset.isEmpty || !change.isSome else {
            throw ValidationError("--unset does not go with a change of access; make that in a second command")
        }
        guard !value || !(hasMetadata || change.isSome || !unset.isEmpty) else {
            throw ValidationError("--value changes the value alone; change the settings in a second command")
        }
        guard change.isSome || value || !password.appPassword else {
            throw ValidationError("--app-password is only for --value and a change of access, which read the secret")
        }
    }

    private var hasMetadata: Bool {
        metadata.label != nil || metadata.comment != nil || metadata.attributes != nil || metadata.expires != nil
    }

    func run() throws {
        if join { return try joinCompanions() }
        // Not while the arguments are read: an option that does not exist is the better explanation.
        guard hasMetadata || change.isSome || value || !unset.isEmpty else {
            throw ValidationError("name something to change, such as --label, --require or --value")
        }
        let session = CommandSession(vault)
        let name = try session.completed(try session.partialName(service ?? "", account, kind.kind))
        if value { return try editValue(of: name, session) }
        var access: AccessControl?
        if change.isSome {
            let found = try session.finding(name.partial) { () throws(KeychainError) in
                try session.client.call(ItemCall.attributes(of: name.partial))
            }
            access = try change.applied(to: found.access)
        }
        let isUnderNewPassword = change.require.contains(.factor(.applicationPassword))
        let newPassword =
            isUnderNewPassword
            ? try session.passwordInput(for: name.shownName, noPrompt: prompt.noPrompt).new() : nil
        var edit = ItemEdit(
            access: access, label: metadata.label, comment: metadata.comment, attributes: metadata.attributes,
            expiry: metadata.expires?.expiry)
        edit.removedFields = unset
        edit.newApplicationPassword = newPassword
        let request = try ItemCall.edit(
            name.item, edit, ReadRequest(reason: why.reason, mayUnlock: access != nil))
        _ = try session.finding(name.partial) { () throws(KeychainError) in
            try session.call(
                request, for: name.shownName, noPrompt: prompt.noPrompt, choosingPassword: password.appPassword,
                command: ShellText.askingAgain)
        }
        guard !quiet else { return }
        if unset.isEmpty || hasMetadata { Output.note("Changed \(name.shownName)") }
        if !unset.isEmpty { try tellOfRemoved(name, session) }
    }

    private func joinCompanions() throws {
        try JoinReport(
            service: service, account: account, vault: vault, reason: why.reason, noPrompt: prompt.noPrompt,
            isTrial: dryRun, isQuiet: quiet
        ).run()
    }

    /// Says how each removed field comes back, if the vault keeps its value.
    private func tellOfRemoved(_ name: FullName, _ session: CommandSession) throws(KeychainError) {
        let kept = Set(try session.client.call(ItemCall.history(of: name.partial)).versions.map(\.field))
        var told: Set<FieldName> = []
        for field in unset where told.insert(field).inserted {
            var done = "Removed \(name.shownName), field \(VisibleText.quoted(field.text))"
            if kept.contains(field) { done += "; bring it back with: \(restoreCommand(name, field))" }
            Output.note(VisibleText.sentence(done))
        }
    }

    private func restoreCommand(_ name: FullName, _ field: FieldName?) -> String {
        ShellText.command(
            "restore", name.service, name.account,
            FieldOptions.words(field) + KindOptions.words(name.kind) + vault.words)
    }

    private func editValue(of name: FullName, _ session: CommandSession) throws {
        let editing = try EditedValue(session)
        let shown = FieldText.shown(name.shownName, field.field)
        let found = try ItemReading(
            reason: why.reason, noPrompt: prompt.noPrompt, choosingPassword: password.appPassword,
            command: {
                ShellText.command(
                    "edit", name.service, name.account,
                    FieldOptions.words(field.field) + KindOptions.words(name.kind) + vault.words + ["--value"])
            }
        ).read(name.partial.with(field.field), session)
        guard !found.value.contains(0), String(validating: found.value, as: UTF8.self) != nil else {
            throw KeychainError(
                .notText, "the value of \(shown) is not text, so an editor would damage it",
                advice: "replace it with coffer set")
        }
        if let former = try FormerWeakening.find(of: name, to: found.attributes.access, session, named: { $0 }) {
            let command = ShellText.command(
                "edit", name.service, name.account, KindOptions.words(name.kind) + vault.words)
            Output.note(
                VisibleText.sentence(
                    "coffer: warning: \(former.text(name.shownName)); to have that again, first run: \(command) \(former.remedy)"
                ))
        }
        // Somebody may store another value while the editor is open. A person who goes on after being told so replaces it.
        var revision: String? = found.attributes.revision
        let stored = try editing.edit(found.value) { edited throws(KeychainError) -> SetOutcome? in
            guard edited != found.value else { return nil }
            guard !edited.isEmpty else {
                throw KeychainError(
                    .failed, "the file is empty, so nothing was stored",
                    advice: "to store an empty secret, use coffer set --allow-empty")
            }
            do throws(KeychainError) {
                var new = NewItem(value: edited)
                new.field = field.field ?? .secret
                return try session.store(
                    new, as: name, if: revision.map { .isUnchanged(revision: $0) } ?? .isPresent,
                    needing: !found.attributes.access.requirements.contains(.applicationPassword)
                        ? nil : found.attributes.hasFields(beside: new.field) ? .present : .new,
                    noPrompt: prompt.noPrompt)
            } catch {
                guard error.code == .changedMeanwhile else { throw error }
                revision = nil
                throw KeychainError(
                    .changedMeanwhile, "\(shown) was changed meanwhile, so nothing was stored",
                    advice: "run the command again", cause: error.cause)
            }
        }
        guard let reply = stored else { return Output.note("Nothing was changed") }
        guard !quiet else { return }
        var done = "Changed the value of \(shown)"
        if reply.keepsFormer { done += "; bring the former value back with: \(restoreCommand(name, field.field))" }
        Output.note(VisibleText.sentence(done))
    }
}
