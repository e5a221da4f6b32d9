import BrokerProtocol
import Coffer

extension CommandSession {
    /// Stores an item. If it takes an application password, the person types a new one.
    /// - Parameter needsPassword: whether the item is known to take one.
    func store(
        _ method: Keychain.Set, named name: FullName, needsPassword: Bool, noPrompt: Bool
    ) throws(KeychainError) -> Keychain.Set.Reply {
        let input = passwordInput(for: name.shownName, noPrompt: noPrompt)
        var method = method
        if needsPassword { method.applicationPassword = try input.new() }
        do throws(KeychainError) {
            return try call(method, for: name.shownName, noPrompt: noPrompt, command: unlockCommand)
        } catch {
            // An expired item is not shown, but its requirements remain.
            guard error.code == .applicationPasswordNeeded, !needsPassword else { throw error }
            method.applicationPassword = try input.new()
            return try call(method, for: name.shownName, noPrompt: noPrompt, command: unlockCommand)
        }
    }
}
