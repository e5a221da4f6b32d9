import ArgumentParser

/// A word that begins with one dash and is no option. The parser would take it for several options of one letter each, and `-hub` for a call for help: whoever
/// reads standard output would then have help in the place of a secret.
enum DashedWord {
    /// The options of one letter that can be written together.
    private static let flags: Set<Character> = ["f", "q"]

    static func mistake(in arguments: [String]) -> ValidationError? {
        guard arguments.prefix(while: { $0 != "--" }).contains(where: isWrong) else { return nil }
        // What stands there is not repeated: it may be a secret.
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
