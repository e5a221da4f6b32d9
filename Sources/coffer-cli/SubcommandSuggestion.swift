import ArgumentParser

/// Finds a command that does not exist, and suggests the one that was probably meant.
enum SubcommandSuggestion {
    static func mistake(in arguments: [String]) -> ValidationError? {
        guard let word = arguments.first, !word.hasPrefix("-") else { return nil }
        guard word == "help" else { return mistake(word, in: CofferCommand.configuration) }
        // For an unknown command after `help`, the parser would show the overview.
        var configuration = CofferCommand.configuration
        for word in arguments.dropFirst().prefix(while: { !$0.hasPrefix("-") }) {
            if let mistake = mistake(word, in: configuration) { return mistake }
            guard let command = command(word, in: configuration) else { return nil }
            configuration = command.configuration
        }
        return nil
    }

    private static func mistake(_ word: String, in configuration: CommandConfiguration) -> ValidationError? {
        guard command(word, in: configuration) == nil, word != "help" else { return nil }
        let shown = configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { name(of: $0) }
        let near = shown.map { (name: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        guard let near, near.distance <= 2, near.distance < word.count else {
            return ValidationError("there is no command '\(word)'")
        }
        return ValidationError("there is no command '\(word)'; did you mean '\(near.name)'?")
    }

    /// The command's name at the start of the arguments: `vault create`.
    static func known(_ arguments: [String]) -> String? {
        var names: [String] = []
        var configuration = CofferCommand.configuration
        for word in arguments {
            guard let command = command(word, in: configuration) else { break }
            names.append(name(of: command))
            configuration = command.configuration
        }
        return names.isEmpty ? nil : names.joined(separator: " ")
    }

    static func command(
        _ word: String, in configuration: CommandConfiguration = CofferCommand.configuration
    ) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { name(of: $0) == word || $0.configuration.aliases.contains(word) }
    }

    private static func name(of command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }

    /// How many letters have to be added, dropped, changed or swapped with their neighbour to make one word the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var rows = [Array(0...right.count)]
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var best = min(rows[i][j] + (left[i] == right[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
