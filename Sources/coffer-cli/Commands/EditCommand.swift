import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer edit`
struct EditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", _superCommandName: "coffer",
        abstract: "Change a secret's settings, not its value.",
        usage: "coffer edit <service> <account> [options]",
        discussion: """
            Settings that you do not name stay as they are. An empty label, comment or attribute value removes it. --expires never removes the \
            date. --require none removes every requirement. A change of access reads the secret, so it prompts you as reading does.

            Examples:
              coffer edit github me --label "Work account" --attribute team=
              coffer edit github me --require presence
            """)

    @OptionGroup var item: ItemArguments
    @OptionGroup var change: AccessChangeOptions
    @OptionGroup var metadata: MetadataOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var password: ApplicationPasswordOptions
    @OptionGroup var vault: VaultOptions

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func validate() throws {
        let some =
            metadata.label != nil || metadata.comment != nil || metadata.attributes != nil || metadata.expires != nil
        guard some || change.isSome else { throw ValidationError("name something to change") }
        guard change.isSome || !password.appPassword else {
            throw ValidationError("--app-password is only for a change of access, which reads the secret")
        }
    }

    func run() throws {
        let session = CommandSession(vault)
        let name = try item.name(session)
        var access: Keychain.AccessControl?
        if change.isSome {
            let found = try session.client.call(
                Keychain.Show(service: name.service, account: name.account, kind: name.kind)
            ).item
            access = change.applied(to: found.access)
        }
        let isUnderNewPassword = change.require.contains(.factor(.appPassword))
        let newPassword =
            isUnderNewPassword
            ? try session.passwordInput(for: name.shownName, noPrompt: prompt.noPrompt).new() : nil
        _ = try session.call(
            Keychain.Edit(
                service: name.service, account: name.account, kind: name.kind, access: access,
                label: metadata.label, comment: metadata.comment,
                attributes: metadata.attributes, expires: metadata.expires?.milliseconds,
                unlock: access != nil && session.mayUnlock(noPrompt: prompt.noPrompt) ? true : nil,
                newApplicationPassword: newPassword),
            for: name.shownName, noPrompt: prompt.noPrompt, choosingPassword: password.appPassword,
            command: ShellText.command(["coffer"] + CommandLine.arguments.dropFirst()))
        if !quiet { Output.note("Changed \(name.shownName)") }
    }
}
