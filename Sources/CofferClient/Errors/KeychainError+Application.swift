extension KeychainError {
    /// The same error for a person who uses an application. What commands do with items, the application does itself; what
    /// only a command can do, such as opening the vault, stays.
    var forApplication: KeychainError {
        guard code != .notFound || !advice.contains(Self.command) else { return advising("") }
        var words = advice.replacing("run the command again", with: "try again")
            .replacing("run the command in a terminal", with: "run the program in a terminal")
        for verb in Self.itemCommands {
            words = words.replacing(" with: \(Self.command)\(verb)", with: "")
                .replacing(" with \(Self.command)\(verb)", with: "")
        }
        return words == advice ? self : advising(words)
    }

    private func advising(_ advice: String) -> KeychainError {
        KeychainError(code, message, advice: advice, accounts: accounts, tpmCode: tpmCode, cause: cause).naming(subject)
    }

    private static let command = "coffer "
    private static let itemCommands = ["list", "get", "set", "rm", "show", "search", "edit", "history", "restore"]
}
