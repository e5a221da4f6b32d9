import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer vault`
struct VaultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "Make the vault of an account that nobody can be asked for, or accept an older file. Root only.",
        usage: "coffer vault <subcommand>",
        subcommands: [VaultCreateCommand.self, VaultAcceptCommand.self])
}

/// `coffer vault create`
struct VaultCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a service vault, and open it. Root only.",
        usage: "coffer vault create --owner <name>",
        discussion: """
            For service accounts, and for people who log in by key only: accounts with no password or fingerprint to ask for. Nobody \
            is asked. Root opens such a vault with coffer unlock --user, at boot say; its account then reads what needs no person.

            Example:
              coffer vault create --owner backup
              coffer set restic key --user backup --access after-first-unlock <key-file
            """)

    @Option(help: ArgumentHelp("The account's name.", valueName: "name"))
    var owner: String

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    func validate() throws {
        guard !owner.isEmpty else { throw ValidationError("the owner must not be empty") }
        try ItemName.check(owner, "owner", limit: VaultOptions.limit)
    }

    func run() throws {
        _ = try Session().client.call(Keychain.CreateVault(owner: owner)) { _ in NobodyPerson() }
        if !quiet { Output.note("Made and opened the vault of \(VisibleText.line(owner))") }
    }
}

/// `coffer vault accept`
struct VaultAcceptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Take a vault's file for the newest, though the TPM has not counted it so. Root only.",
        usage: "coffer vault accept [--user <name> | --group <name>]",
        discussion: """
            For a vault that is refused because its file is an older copy (one that was restored from a backup, say), or because its counter is gone from \
            the TPM. The vault's owner is asked for his password; for a group's vault root is, and for a service vault nobody. What was deleted or changed \
            after the file was copied is then as it was before. Every other copy of the file is refused from then on, and the access log has a record of it.

            Example:
              coffer vault accept --user ada
            """)

    @OptionGroup var vault: VaultOptions

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    func run() throws {
        let session = Session(vault)
        let command = ShellText.command(["coffer", "vault", "accept"] + vault.words)
        _ = try session.call(Keychain.AcceptVault(), for: "accepting the file", command: command, asksOwner: true)
        if !quiet { Output.note("Accepted \(vault.shownVault ?? "your vault") as its file is") }
    }
}
