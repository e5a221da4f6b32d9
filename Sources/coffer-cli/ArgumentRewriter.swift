import ArgumentParser

/// Rewrites the arguments into forms that the parser knows.
/// Options with an optional value take it only after an equals sign: `--clip` is `--clip=45`, and `--clip 30` leaves 30 as an argument. The parser
/// has no such options, so the bare form gets its value here.
/// `get --version 3` and `restore --version 3` are `--former 3`, as they were called at first. Elsewhere `--version` names Coffer's own.
/// The vault may be named before the command: `coffer --user backup list` is `coffer list --user backup`.
enum ArgumentRewriter {
    private static let usual = [
        "--generate": "--generate=\(LengthArgument.usual)", "--clip": "--clip=45s", "--expiring": "--expiring=30d",
        "--multiline": "--multiline=\(ValueOptions.controlD)",
    ]
    /// Whether an option can stand without its value.
    static func hasOptionalValue(_ option: String) -> Bool { usual[option] != nil }

    private static let leading = ["--user", "--group"]

    /// The value that follows an option after a space, and so is an argument of its own.
    /// - Parameter isValue: whether the option would take this text as its value.
    static func detached(
        _ option: String, in arguments: [String] = CommandLine.arguments, where isValue: (String) -> Bool
    ) -> String? {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        guard let place = arguments[..<end].firstIndex(of: option), place + 1 < end else { return nil }
        let value = arguments[place + 1]
        return isValue(value) ? value : nil
    }

    static func rewrite(_ arguments: [String]) -> [String] {
        let arguments = commandFirst(arguments)
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return former(joined(Array(arguments[..<end]))).map { usual[$0] ?? $0 } + arguments[end...]
    }

    private static func former(_ arguments: [String]) -> [String] {
        guard ["get", "restore"].contains(arguments.first) else { return arguments }
        return arguments.indices.map { place in
            let word = arguments[place]
            if word.hasPrefix("--version=") { return "--former=" + word.dropFirst("--version=".count) }
            let isOld = word == "--version" && place + 1 < arguments.count && Int64(arguments[place + 1]) != nil
            return isOld ? "--former" : word
        }
    }

    /// `list --expiring 30d` is `list --expiring=30d`. Nothing is lost if that was a service's name: it comes before the option.
    private static func joined(_ arguments: [String]) -> [String] {
        guard let place = arguments.firstIndex(of: "--expiring"), place + 1 < arguments.count,
            ComingArgument(arguments[place + 1]) != nil
        else { return arguments }
        return arguments[..<place] + ["--expiring=\(arguments[place + 1])"] + arguments[(place + 2)...]
    }

    private static func commandFirst(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        var moved: [String] = []
        while let first = rest.first {
            let length = leading.contains(first) ? 2 : leading.contains { first.hasPrefix("\($0)=") } ? 1 : 0
            guard length > 0, rest.count > length else { break }
            moved += rest.prefix(length)
            rest = rest.dropFirst(length)
        }
        guard let command = rest.first, !command.hasPrefix("-") else { return arguments }
        return [command] + moved + rest.dropFirst()
    }
}

/// A word that begins with one dash and is no option. The parser would read it as several options of one letter, and `-hub` as a call for help. A
/// program reading standard output would then get the help text instead of a secret.
enum DashedWord {
    /// The one-letter options that can be written together.
    private static let flags: Set<Character> = ["f", "q"]
    /// The one-letter options that take a value, by command. The value is an argument of its own.
    private static let valued: [String: Set<String>] = ["export": ["-o"]]

    static func mistake(in arguments: [String]) -> ValidationError? {
        // Standard input has this name where a file is expected.
        let words = arguments.first == "import" ? arguments.filter { $0 != "-" } : arguments
        let options = arguments.first.flatMap { valued[$0] } ?? []
        let mistaken = words.prefix { $0 != "--" }.contains { !options.contains($0) && isWrong($0) }
        guard mistaken else { return nil }
        // The message does not repeat the word, because it may be a secret.
        return ValidationError(
            "a word begins with a dash but is not an option; if it is a name, put -- before the names, as in: coffer get -- SERVICE ACCOUNT"
        )
    }

    private static func isWrong(_ word: String) -> Bool {
        guard word.hasPrefix("-"), !word.hasPrefix("--"), word != "-h" else { return false }
        let letters = word.dropFirst()
        return letters.isEmpty || !letters.allSatisfy(flags.contains)
    }
}
