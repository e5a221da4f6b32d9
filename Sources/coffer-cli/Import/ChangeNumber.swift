import Coffer

extension KeychainError {
    /// The same error of several changes, with a change's name in place of its number, which nobody who runs a command has seen.
    /// - Parameter count: how many changes there were.
    /// - Parameter name: names one of them, by its index.
    func naming(_ count: Int, by name: (Int) -> String) -> KeychainError {
        let prefix = "change "
        guard message.hasPrefix(prefix), let colon = message.firstIndex(of: ":"),
            let number = Int(message[message.index(message.startIndex, offsetBy: prefix.count)..<colon]),
            number > 0, number <= count
        else { return self }
        return KeychainError(
            code, "\(name(number - 1))\(message[colon...])", advice: advice, accounts: accounts, tpmCode: tpmCode,
            cause: cause)
    }
}
