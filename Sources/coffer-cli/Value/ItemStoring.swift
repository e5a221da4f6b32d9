import Coffer

extension CommandSession {
    /// Stores an item. If it takes an application password, the person types a new one.
    /// - Parameter needsPassword: whether the item is known to take one.
    func store(
        _ item: NewItem, as name: FullName, if condition: ItemChange.Condition, needsPassword: Bool, noPrompt: Bool
    ) throws(KeychainError) -> SetOutcome {
        let input = passwordInput(for: name.shownName, noPrompt: noPrompt)
        var item = item
        if needsPassword { item.applicationPassword = try input.new() }
        do throws(KeychainError) { return try store(item, as: name, if: condition, noPrompt: noPrompt) } catch {
            // An expired item is not shown, but its requirements remain.
            guard error.code == .applicationPasswordNeeded, !needsPassword else { throw error }
            item.applicationPassword = try input.new()
            return try store(item, as: name, if: condition, noPrompt: noPrompt)
        }
    }

    private func store(
        _ item: NewItem, as name: FullName, if condition: ItemChange.Condition, noPrompt: Bool
    ) throws(KeychainError) -> SetOutcome {
        try call(
            ItemCall.set(name.item, to: item, if: condition), for: name.shownName, noPrompt: noPrompt,
            command: unlockCommand)
    }
}
