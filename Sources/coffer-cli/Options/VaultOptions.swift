import ArgumentParser
import BrokerProtocol

/// Whose vault it is about, where that is not the caller's own.
struct VaultOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Use the vault of this group; you must be a member.", valueName: "name"))
    var group: String?

    @Option(help: ArgumentHelp("Use the service vault of this account; root only.", valueName: "name"))
    var user: String?

    /// Bytes of UTF-8 in a name: more than any name service takes.
    static let limit = 256

    func validate() throws {
        guard group == nil || user == nil else {
            throw ValidationError("a vault is a group's or an account's: --group and --user do not go together")
        }
        for (name, what) in [(group, "group"), (user, "user")] {
            guard let name else { continue }
            guard !name.isEmpty else { throw ValidationError("the \(what) must not be empty") }
            try ItemName.check(name, what, limit: Self.limit)
        }
    }

    var choice: Keychain.VaultChoice { Keychain.VaultChoice(group: group, user: user) }

    /// What to add to a command that is named to a person.
    var words: [String] { (group.map { ["--group", $0] } ?? []) + (user.map { ["--user", $0] } ?? []) }

    /// "the vault of the group ops", as a person reads it.
    var shownVault: String? {
        group.map { "the vault of the group \(ShellText.command([$0]))" }
            ?? user.map { "the vault of \(ShellText.command([$0]))" }
    }
}
