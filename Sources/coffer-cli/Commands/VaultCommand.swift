import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer vault`
struct VaultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault",
        abstract: "Make the vault of an account that nobody can be asked for. Root only.",
        usage: "coffer vault create --owner <name>",
        subcommands: [VaultCreateCommand.self])
}

/// `coffer vault create`
struct VaultCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a service vault, and open it. Root only.",
        usage: "coffer vault create --owner <name>",
        discussion: """
            For service accounts, and for people who log in by key only: accounts with no password or fingerprint to ask for. Nobody
            is asked. Root opens such a vault with coffer unlock --user, at boot say; its account then reads what needs no person.

            Example:
              coffer vault create --owner backup
              coffer set restic repository --user backup --access after-first-unlock <password-file
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
