import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer rename`
struct RenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", _superCommandName: "coffer",
        abstract: "Give a secret another name.",
        usage: "coffer rename <service> <account> <new-service> <new-account>",
        discussion: """
            Value, access and everything else stay the same. A name that is taken is never overwritten: status 10. Prompts show a secret's name, \
            so renaming a secret with requirements prompts you as reading it does.
            """,
        aliases: ["mv"])

    @Argument(help: ArgumentHelp("The present service, or SERVICE/ACCOUNT.", valueName: "service"))
    var service: String

    @Argument(
        help: ArgumentHelp("The present account, or the new SERVICE/ACCOUNT.", valueName: "account"))
    var account: String

    @Argument(help: ArgumentHelp("The new service.", valueName: "new-service"))
    var newService: String?

    @Argument(help: ArgumentHelp("The new account.", valueName: "new-account"))
    var newAccount: String?

    @OptionGroup var kind: KindOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var password: ApplicationPasswordOptions
    @OptionGroup var vault: VaultOptions

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func validate() throws {
        if newService != nil, newAccount == nil {
            throw ValidationError("Missing expected argument '<new-account>'")
        }
        if newService == nil,
            JoinedName.splits(of: service).isEmpty || JoinedName.splits(of: account).count != 1
        {
            throw ValidationError("Missing expected argument '<new-service>'")
        }
        for service in [service, newService].compactMap({ $0 }) { try ItemName.check(service: service) }
        for account in [account, newAccount].compactMap({ $0 }) { try ItemName.check(account: account) }
    }

    func run() throws {
        let session = CommandSession(vault)
        let (old, new) = try names(session)
        let reply = try session.call(
            Keychain.Rename(
                service: old.service, account: old.account, kind: old.kind, newService: new.service,
                newAccount: new.account,
                unlock: session.mayUnlock(noPrompt: prompt.noPrompt) ? true : nil),
            for: old.shownName, noPrompt: prompt.noPrompt, choosingPassword: password.appPassword,
            command: ShellText.command(["coffer"] + CommandLine.arguments.dropFirst()))
        if !quiet { Output.note("Renamed \(old.shownName) to \(reply.item.shownName)") }
    }

    private func names(_ session: CommandSession) throws(KeychainError) -> (old: FullName, new: FullName) {
        if let newService, let newAccount {
            return (
                FullName(service: service, account: account, kind: kind.kind),
                FullName(service: newService, account: newAccount)
            )
        }
        // `validate` checked that there is exactly one slash. A name that does not exist yet cannot be looked up.
        let new = JoinedName.splits(of: account).map {
            FullName(service: $0.service, account: $0.account)
        }
        return (
            try ItemArguments.name(service, nil, kind.kind, session),
            new.first ?? FullName(service: account, account: "")
        )
    }
}
