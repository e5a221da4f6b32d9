import ArgumentParser
import Coffer

/// `coffer exists`
struct ExistsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exists", _superCommandName: "coffer",
        abstract: "Tell by the exit status whether a secret exists: 0 if it does, 3 if not.",
        usage: "coffer exists <service> [<account>]",
        discussion: """
            Prints nothing, asks nothing, and works while the vault is locked, too.

            Example:
              coffer exists github me || coffer set github me
            """)

    @OptionGroup var item: ItemReference
    @OptionGroup var vault: VaultOptions

    func run() throws {
        let session = CommandSession(vault)
        try Self.answer(item.name(session), session)
    }

    static func answer(_ name: PartialName, _ session: CommandSession) throws {
        if try !session.client.call(ItemCall.exists(name)) { throw ExitStatus.notFound }
    }
}
