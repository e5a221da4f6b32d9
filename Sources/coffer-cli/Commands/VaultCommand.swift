import ArgumentParser
import BrokerProtocol
import Coffer
import CredentialHelpers

/// `coffer vault`
struct VaultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "Make a service vault, accept an older copy of a vault's file, or set a vault aside. Root only.",
        usage: "coffer vault <subcommand>",
        subcommands: [VaultCreateCommand.self, VaultAcceptCommand.self, VaultSetAsideCommand.self])
}

/// `coffer vault create`
struct VaultCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a service vault, and open it. Root only.",
        usage: "coffer vault create --owner <name>",
        discussion: """
            A service vault is for a service account, or for a person who logs in by key only. Such an account has no password \
            or fingerprint to ask for. Nobody is asked. Root opens such a vault with coffer unlock --user, for example at boot. Its account then reads secrets \
            that need no person.

            Example:
              coffer vault create --owner backup
              coffer set restic key --user backup --access after-first-unlock <key-file
            """)

    @Option(help: ArgumentHelp("The account's name.", valueName: "name"))
    var owner: String

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func validate() throws {
        guard !owner.isEmpty else { throw ValidationError("the owner must not be empty") }
        try NameArgument.check(owner, "owner", limit: ArgumentLimits.owner)
    }

    func run() throws {
        _ = try CommandSession().client.call(Keychain.CreateVault(owner: owner)) { _ in NoPrompter() }
        if !quiet { Output.note("Made and opened the vault of \(VisibleText.line(owner))") }
    }
}

/// `coffer vault accept`
struct VaultAcceptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Accept a vault's file as the newest, although the TPM has not counted it. Root only.",
        usage: "coffer vault accept [--user <name> | --group <name>]",
        discussion: """
            Use this if Coffer refuses a vault. Its file may be an older copy, such as one restored from a backup, or its counter may be gone \
            from the TPM. The vault's owner is asked for their password; for a group's vault root is, and for a service vault nobody. This \
            undoes everything that was deleted or changed after the file was copied. From then on every other copy of the file is refused. The \
            access log records this.

            Example:
              coffer vault accept --user ada
            """)

    @Option(help: ArgumentHelp("The vault of this account: a person's, or a service account's.", valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("The vault of this group.", valueName: "name"))
    var group: String?

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    private var vault: VaultOptions {
        var vault = VaultOptions()
        (vault.user, vault.group) = (user, group)
        return vault
    }

    func validate() throws { try vault.validate() }

    func run() throws {
        let vault = vault
        let session = CommandSession(vault)
        let command = ShellText.command(["coffer", "vault", "accept"] + vault.words)
        _ = try session.call(Keychain.AcceptVault(), for: "accepting the file", command: command, asksOwner: true)
        if !quiet { Output.note("Accepted the present file of \(vault.shownVault ?? "your vault")") }
    }
}
