import ArgumentParser

/// A command that does not exist, and the one that was probably meant.
enum SubcommandSuggestion {
    static func mistake(in arguments: [String]) -> ValidationError? {
        guard let word = arguments.first, !word.hasPrefix("-") else { return nil }
        let configuration = CofferCommand.configuration
        let known = configuration.subcommands.flatMap { [name(of: $0)] + $0.configuration.aliases }
        guard !known.contains(word), word != "help" else { return nil }
        let shown = configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { name(of: $0) }
        let near = shown.map { (name: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        guard let near, near.distance <= 2, near.distance < word.count else {
            return ValidationError("there is no command '\(word)'")
        }
        return ValidationError("there is no command '\(word)'; did you mean '\(near.name)'?")
    }

    /// The word, if it is a command's name.
    static func known(_ word: String?) -> String? {
        word.flatMap { word in CofferCommand.configuration.subcommands.contains { name(of: $0) == word } ? word : nil }
    }

    private static func name(of command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }

    /// How many letters have to be added, dropped, changed or swapped with their neighbour.
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
