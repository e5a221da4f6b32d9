/// An argument as it can be pasted into a shell.
enum ShellText {
    static func command(_ words: [String?]) -> String { words.compactMap { $0 }.map(quote).joined(separator: " ") }

    static func quote(_ word: String) -> String {
        let plain = word.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "-_./:@%+=,".unicodeScalars.contains(scalar))
        }
        if plain, !word.isEmpty { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
