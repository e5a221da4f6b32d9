import ArgumentParser
import Coffer

/// `coffer edit`
struct EditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", _superCommandName: "coffer",
        abstract: "Change a secret's settings, or with --value its value.",
        usage: "coffer edit <service> [<account>] [options]",
        discussion: """
            Settings that you do not name stay as they are. An empty label, comment or attribute value removes it. --expires never removes the \
            date. --require none removes every requirement. A change of access reads the secret, so it prompts you as reading does.

            --value opens the value in your editor (VISUAL or EDITOR) and stores what you save. It prompts you as reading does. The file is in memory, \
            and is gone when the editor ends. Coffer starts vim, nvim, nano and emacs so that they keep no copies; it warns of others, and \
            refuses some that always keep copies.

            Examples:
              coffer edit server notes --value
              coffer edit github me --label "Work account" --attribute team=
              coffer edit github me --require presence
            """)

    @OptionGroup var item: ItemReference
    @OptionGroup var change: AccessChangeOptions
    @OptionGroup var metadata: MetadataOptions
    @OptionGroup var why: ReasonOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var password: ApplicationPasswordOptions
    @OptionGroup var vault: VaultOptions

    @Flag(help: "Change the value in your editor (VISUAL or EDITOR).")
    var value = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func validate() throws {
        guard !value || !(hasMetadata || change.isSome) else {
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
        // Not while the arguments are read: an option that does not exist is the better explanation.
        guard hasMetadata || change.isSome || value else {
            throw ValidationError("name something to change, such as --label, --require or --value")
        }
        let session = CommandSession(vault)
        let name = try item.fullName(session)
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
        edit.newApplicationPassword = newPassword
        let request = try ItemCall.edit(
            name.item, edit, ReadRequest(reason: why.reason, mayUnlock: access != nil))
        _ = try session.finding(name.partial) { () throws(KeychainError) in
            try session.call(
                request, for: name.shownName, noPrompt: prompt.noPrompt, choosingPassword: password.appPassword,
                command: ShellText.askingAgain)
        }
        if !quiet { Output.note("Changed \(name.shownName)") }
    }

    private func editValue(of name: FullName, _ session: CommandSession) throws {
        let editing = try EditedValue(session)
        let found = try ItemReading(
            reason: why.reason, noPrompt: prompt.noPrompt, choosingPassword: password.appPassword,
            command: ShellText.command(
                "edit", name.service, name.account, KindOptions.words(name.kind) + vault.words + ["--value"])
        ).read(name.partial, session)
        guard !found.value.contains(0), String(validating: found.value, as: UTF8.self) != nil else {
            throw KeychainError(
                .notText, "the value of \(name.shownName) is not text, so an editor would damage it",
                advice: "replace it with coffer set")
        }
        if let former = try FormerWeakening.find(of: name, to: found.attributes.access, session, named: { $0 }) {
            Output.note(
                "coffer: warning: \(former.text(name.shownName)); to have that again, first run: "
                    + ShellText.command("edit", name.service, name.account, KindOptions.words(name.kind) + vault.words)
                    + " \(former.remedy)")
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
                return try session.store(
                    NewItem(value: edited), as: name,
                    if: revision.map { .isUnchanged(revision: $0) } ?? .isPresent,
                    needsPassword: found.attributes.access.requirements.contains(.applicationPassword),
                    noPrompt: prompt.noPrompt)
            } catch {
                if error.code == .changedMeanwhile { revision = nil }
                throw error
            }
        }
        guard let reply = stored else { return Output.note("Nothing was changed") }
        guard !quiet else { return }
        var done = "Changed the value of \(name.shownName)"
        if reply.keepsFormer {
            done +=
                "; bring the former value back with: "
                + ShellText.command("restore", name.service, name.account, KindOptions.words(name.kind) + vault.words)
        }
        Output.note(done)
    }
}
