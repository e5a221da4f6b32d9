import Coffer

/// The application password that storing a value takes.
enum NeededPassword {
    case new
    /// That of the item's other fields.
    case present
}

extension CommandSession {
    /// Stores an item, or a field of it. If it takes an application password, the person types it.
    /// - Parameter password: nil if the item is not known to take one.
    func store(
        _ item: NewItem, as name: FullName, if condition: ItemChange.Condition, needing password: NeededPassword?,
        noPrompt: Bool
    ) throws(KeychainError) -> SetOutcome {
        let input = passwordInput(for: name.shownName, noPrompt: noPrompt)
        var item = item
        switch password {
        case .new: item.applicationPassword = try input.new()
        case .present: item.applicationPassword = try input.present()
        case nil: break
        }
        do throws(KeychainError) { return try store(item, as: name, if: condition, noPrompt: noPrompt) } catch {
            // An expired item is not shown, but its requirements remain.
            guard error.code == .applicationPasswordNeeded, password == nil else { throw error }
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
