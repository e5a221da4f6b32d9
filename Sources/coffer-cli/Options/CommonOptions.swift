import ArgumentParser
import Coffer
import CredentialHelpers

/// Names a vault other than the caller's own.
struct VaultOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Use the vault of this group; you must be a member.", valueName: "name"))
    var group: String?

    @Option(help: ArgumentHelp("Use the service vault of this account; root only.", valueName: "name"))
    var user: String?

    func validate() throws {
        guard group == nil || user == nil else {
            throw ValidationError("a vault is a group's or an account's: --group and --user do not go together")
        }
        for (name, what) in [(group, "group"), (user, "user")] {
            guard let name else { continue }
            guard !name.isEmpty else { throw ValidationError("the \(what) must not be empty") }
            try NameArgument.check(name, what, limit: ArgumentLimits.owner)
        }
    }

    var choice: VaultName { VaultName.named(group: group, user: user) }

    /// The options to add to a command that a person is told to run.
    var words: [String] { (group.map { ["--group", $0] } ?? []) + (user.map { ["--user", $0] } ?? []) }

    /// The same words, with the commands in them as they are run for this vault.
    func naming(_ text: String) -> String {
        words.isEmpty ? text : VaultCommandText(words: ShellText.command(words)).naming(text)
    }

    /// The vault in words: "the vault of the group ops".
    var shownVault: String? {
        group.map { "the vault of the group \(ShellText.command([$0]))" }
            ?? user.map { "the vault of \(ShellText.command([$0]))" }
    }
}

/// Whether a person may be asked.
struct PromptOptions: ParsableArguments {
    @Flag(help: "Never ask for a password: fail at once with status 4 (5 if the vault is locked).")
    var noPrompt = false
}

/// Why a secret is read, in the words of the person or program that reads it.
struct ReasonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Your reason; shown in the prompt and kept in the log.", valueName: "text"))
    var reason: String?

    func validate() throws {
        if let reason { try NameArgument.check(reason, "reason", limit: ItemLimits.reason) }
    }
}

/// Whether the output is for a program.
struct JSONOptions: ParsableArguments {
    @Flag(help: "Print the answer, and errors, as JSON.")
    var json = false
}

/// Chooses how to read an item that can be read in several ways.
struct ApplicationPasswordOptions: ParsableArguments {
    @Flag(help: "Ask for the item's application password at once, if --any leaves a choice.")
    var appPassword = false
}

extension VaultOptions {
    init(_ choice: VaultName) {
        self.init()
        // Without a value for each of them, ArgumentParser takes them for options that were never read.
        (group, user) = (nil, nil)
        switch choice {
        case .own: break
        case .group(let name): group = name
        case .account(let name): user = name
        }
    }
}

extension VaultName {
    /// The vault of a group or of a user. At most one of them is given.
    static func named(group: String?, user: String?) -> VaultName {
        group.map { .group($0) } ?? user.map { .account($0) } ?? .own
    }
}
