import ArgumentParser

/// Parses what programs call most without the parser for all commands. That one first makes a tree of them, and tries twice whether a completion script
/// is wanted. What is not understood here, it reads from the beginning.
enum SingleCommand {
    /// - Returns: nil if the parser for all commands has to read the arguments: for help, a mistake, or a command with commands of its own.
    static func parse(_ arguments: [String]) -> (any ParsableCommand)? {
        if let get = GetCommand(names: arguments) { return get }
        // Without a `_superCommandName`, this parser would look for the completion script, too.
        guard let word = arguments.first, let command = SubcommandSuggestion.command(word),
            command.configuration._superCommandName != nil,
            // `try?`: the other parser finds the same mistake, and says it with the right usage.
            let parsed = try? command.parseAsRoot(Array(arguments.dropFirst())), type(of: parsed) == command
        else { return nil }
        return parsed
    }
}

extension GetCommand {
    /// `get SERVICE ACCOUNT`. The parser takes longer for these words than the program does for all the rest.
    /// - Returns: nil for other arguments, and for names that the parser has to refuse.
    init?(names arguments: [String]) {
        guard arguments.count == 3, arguments[0] == "get",
            !arguments.contains(where: { $0.utf8.first == UInt8(ascii: "-") })
        else { return nil }
        self.init()
        var item = ItemReference()
        (item.service, item.account) = (arguments[1], arguments[2])
        self.item = item
        prompt = PromptOptions()
        prompt.noPrompt = false
        password = ApplicationPasswordOptions()
        password.appPassword = false
        vault = VaultOptions()
        (vault.group, vault.user) = (nil, nil)
        format = JSONOptions()
        format.json = false
        (raw, reason, clip, surplus) = (false, nil, nil, [])
        do {
            try item.validate()
            try validate()
        } catch { return nil }
    }
}
