import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer rename`
struct RenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Give a secret another name.",
        usage: "coffer rename <service> <account> <new-service> <new-account>",
        discussion: "Value, access and all else stay. A name that is taken is never overwritten: status 10.",
        aliases: ["mv"])

    @OptionGroup var item: ItemArguments
    @OptionGroup var vault: VaultOptions

    @Argument var newService: String
    @Argument var newAccount: String

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    func validate() throws {
        try ItemName.check(service: newService)
        try ItemName.check(account: newAccount)
    }

    func run() throws {
        let reply = try Session(vault).client.call(
            Keychain.Rename(
                service: item.service, account: item.account, newService: newService, newAccount: newAccount))
        if !quiet { Output.note("Renamed \(item.shownName) to \(reply.item.shownName)") }
    }
}
