import Coffer

/// How a command reads the value of one field of an item.
struct ItemReading {
    var version: Int?
    var reason: String?
    var noPrompt = false
    /// Ask for the application password at once, if there is a choice.
    var choosingPassword = false
    /// Whether the command takes `--field`, so that an error about an item without the field secret can say so.
    var namesField = false
    /// Gives the command to run in a terminal if nobody can be asked here.
    var command: () -> String

    func read(_ name: PartialName, _ session: CommandSession) throws(KeychainError) -> Item {
        do throws(KeychainError) {
            return try session.finding(name) { () throws(KeychainError) in
                try session.call(
                    ItemCall.read(name, ReadRequest(reason: reason, version: version)), for: name.shownField,
                    noPrompt: noPrompt, choosingPassword: choosingPassword, command: command())
            }
        } catch {
            // The broker names the fields, and does not know how a command takes one.
            guard namesField, error.code == .notFound, name.field == nil, version == nil,
                error.advice.hasPrefix(Self.fields)
            else { throw error }
            throw KeychainError(error.code, error.message, advice: "\(error.advice); name one with: --field NAME")
        }
    }

    /// How the broker's advice begins if an item has other fields than the one that was asked for.
    private static let fields = "it has: "
}
