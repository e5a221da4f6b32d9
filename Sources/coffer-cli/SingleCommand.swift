import ArgumentParser

/// Lets ArgumentParser parse one command alone. For all commands it first makes a tree of them, and tries twice whether a completion script is wanted.
/// What is not understood here is parsed from the beginning with all of them.
enum SingleCommand {
    /// - Returns: nil if the parser for all commands has to read the arguments: for help, a mistake, or a command with commands of its own.
    static func parse(_ arguments: [String]) -> (any ParsableCommand)? {
        // Without a `_superCommandName`, this parser would look for the completion script, too.
        guard let word = arguments.first, let command = SubcommandSuggestion.command(word),
            command.configuration._superCommandName != nil,
            // `try?`: the other parser finds the same mistake, and says it with the right usage.
            let parsed = try? command.parseAsRoot(Array(arguments.dropFirst())), type(of: parsed) == command
        else { return nil }
        return parsed
    }
}
