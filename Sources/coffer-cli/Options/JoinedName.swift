import BrokerProtocol
import Coffer

/// SERVICE/ACCOUNT in one word, as messages show a name. Both may contain slashes, so only the stored items show where one ends and the other begins.
enum JoinedName {
    /// - Parameter exists: whether there is such an item; without an account, whether the service has any item.
    /// - Returns: nil for the account if the word is a service's name.
    /// - Throws: `.ambiguous` if several items are shown alike.
    static func parts(
        of word: String, exists: (String, String?) throws(KeychainError) -> Bool
    ) throws(KeychainError) -> (service: String, account: String?) {
        let splits = splits(of: word)
        guard !splits.isEmpty, splits.count <= TextLimits.slashes else { return (word, nil) }
        // A service with exactly this name comes first.
        if try exists(word, nil) { return (word, nil) }
        var found: [(service: String, account: String)] = []
        for split in splits where try exists(split.service, split.account) { found.append(split) }
        if found.count > 1 {
            let names = found.map { ItemText.name(service: $0.service, account: $0.account) }
            throw KeychainError(
                .ambiguous, "several secrets match: \(names.joined(separator: ", "))",
                advice: "give service and account as two words")
        }
        // If no item matches, a single slash still shows what was meant.
        if let only = found.first ?? (splits.count == 1 ? splits.first : nil) {
            return (only.service, only.account)
        }
        return (word, nil)
    }

    static func splits(of word: String) -> [(service: String, account: String)] {
        word.indices.filter { word[$0] == "/" && $0 > word.startIndex }.map { slash in
            (String(word[..<slash]), String(word[word.index(after: slash)...]))
        }
    }
}

extension CommandSession {
    /// Splits a word. If it has to be looked up, the broker is asked, but no person.
    func parts(of word: String) throws(KeychainError) -> (service: String, account: String?) {
        try JoinedName.parts(of: word) { (service, account) throws(KeychainError) in
            try client.call(Keychain.Exists(service: service, account: account)).exists
        }
    }
}
