import ArgumentParser

/// A word that begins with one dash and is no option. The parser would read it as several options of one letter, and `-hub` as a call for help. A
/// program reading standard output would then get the help text instead of a secret.
enum DashedWord {
    /// The one-letter options that can be written together.
    private static let flags: Set<Character> = ["f", "q"]

    static func mistake(in arguments: [String]) -> ValidationError? {
        guard arguments.prefix(while: { $0 != "--" }).contains(where: isWrong) else { return nil }
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
