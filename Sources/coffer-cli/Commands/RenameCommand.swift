import ArgumentParser
import Coffer

/// `coffer rename`
struct RenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", _superCommandName: "coffer",
        abstract: "Give a secret another name.",
        usage: "coffer rename <service> [<account>] <new-service> <new-account>",
        discussion: """
            Value, access and everything else stay the same. A name that is taken is never overwritten: status 10. Prompts show a secret's name, \
            so renaming a secret with requirements prompts you as reading it does, and asks for its application password if it has one.

            Either name can be one word, SERVICE/ACCOUNT. With the new name in one word, the present account may be left out if there is only one.

            Examples:
              coffer rename github me gitlab me
              coffer rename github/me gitlab/me
              coffer rename github gitlab/me
            """,
        aliases: ["mv"])

    @Argument(help: ArgumentHelp("The present service, or SERVICE/ACCOUNT.", valueName: "service"))
    var service: String

    @Argument(
        help: ArgumentHelp(
            "The present account, the new service and the new account; see above for shorter forms.",
            valueName: "names"))
    var further: [String]

    @OptionGroup var kind: KindOptions
    @OptionGroup var why: ReasonOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var password: ApplicationPasswordOptions
    @OptionGroup var vault: VaultOptions

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func validate() throws {
        guard words.new != nil else {
            throw ValidationError(
                "give the present name and the new one, each with its account: SERVICE ACCOUNT NEW-SERVICE NEW-ACCOUNT, or SERVICE/ACCOUNT NEW-SERVICE/NEW-ACCOUNT"
            )
        }
        for service in [service, words.new?.service].compactMap({ $0 }) { try NameArgument.check(service: service) }
        for account in [words.account, words.new?.account].compactMap({ $0 }) {
            try NameArgument.check(account: account)
        }
    }

    /// What the words mean. A new name cannot be looked up, so in one word it has exactly one slash.
    private var words: (account: String?, new: FullName?) {
        switch further.count {
        case 1: return (nil, Self.joined(further[0]))
        case 2:
            if let new = Self.joined(further[1]) { return (further[0], new) }
            return JoinedName.splits(of: service).isEmpty
                ? (nil, nil) : (nil, FullName(service: further[0], account: further[1]))
        case 3: return (further[0], FullName(service: further[1], account: further[2]))
        default: return (nil, nil)
        }
    }

    private static func joined(_ word: String) -> FullName? {
        let splits = JoinedName.splits(of: word)
        return splits.count == 1 ? FullName(service: splits[0].service, account: splits[0].account) : nil
    }

    func run() throws {
        let session = CommandSession(vault)
        let words = words
        guard let new = words.new else { throw ValidationError("the new name is missing") }
        let old = try session.completed(session.partialName(service, words.account, kind.kind))
        let renamed = try session.finding(old.partial) { () throws(KeychainError) in
            try session.call(
                ItemCall.rename(old.item, to: new.item, ReadRequest(reason: why.reason)),
                for: old.shownName, noPrompt: prompt.noPrompt, choosingPassword: password.appPassword,
                command: ShellText.askingAgain)
        }
        if !quiet { Output.note("Renamed \(old.shownName) to \(renamed.shownName)") }
    }
}
