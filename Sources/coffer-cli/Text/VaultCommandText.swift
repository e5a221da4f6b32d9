/// Puts the words for another vault into commands that an advice names.
struct VaultCommandText {
    /// “--user web”, as a shell takes it.
    let words: String
    /// Whether the text is the advice of an error, which can be about the caller's own vault.
    var isOfError = false

    /// Commands that can be about another vault, in the order of the words behind “coffer”. Others are about the machine.
    private static let verbs: Set<Substring> = [
        "edit", "export", "get", "list", "lock", "log", "rotate", "status", "unlock",
    ]
    /// What an error of a group's vault advises for the member's own vault. An error that means the group's names it.
    private static let own: Set<Substring> = ["log", "unlock"]
    /// Verbs that another one follows.
    private static let groups: Set<Substring> = ["sync", "sync store"]

    /// Commands in the text as they are run for the vault.
    func naming(_ text: String) -> String {
        let (start, parts) = ("coffer ", text.split(separator: "coffer ", omittingEmptySubsequences: false))
        return parts.dropFirst().reduce(into: String(parts[0])) { named, part in
            var verb = part.prefix { $0.isLetter }
            let options = part.prefix { $0 != ";" }
            // It says by itself which vault it is about.
            guard !options.contains("--group"), !options.contains("--user"), !isOwn(verb) else {
                return named += start + part
            }
            if Self.groups.contains(verb) {
                // Options go behind the last verb.
                repeat {
                    let rest = part[verb.endIndex...]
                    let further = rest.dropFirst().prefix { $0.isLetter }
                    guard rest.first == " ", !further.isEmpty else { return named += start + part }
                    verb = part[..<further.endIndex]
                } while Self.groups.contains(verb)
            } else if !Self.verbs.contains(verb) {
                return named += start + part
            }
            named += "\(start)\(verb) \(words)" + part.dropFirst(verb.count)
        }
    }

    private func isOwn(_ verb: Substring) -> Bool {
        isOfError && words.hasPrefix("--group") && Self.own.contains(verb)
    }
}
