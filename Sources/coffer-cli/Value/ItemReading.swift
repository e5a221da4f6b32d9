import Coffer

/// How a command reads the value of one field of an item.
struct ItemReading {
    var version: Int?
    var reason: String?
    var noPrompt = false
    /// Ask for the application password at once, if there is a choice.
    var choosingPassword = false
    /// The command to run in a terminal if nobody can be asked here.
    var command: String

    func read(_ name: PartialName, _ session: CommandSession) throws(KeychainError) -> Item {
        try session.finding(name) { () throws(KeychainError) in
            try session.call(
                ItemCall.read(name, ReadRequest(reason: reason, version: version)), for: name.shownField,
                noPrompt: noPrompt, choosingPassword: choosingPassword, command: command)
        }
    }
}
