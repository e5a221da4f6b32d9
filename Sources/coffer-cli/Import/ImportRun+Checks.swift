import Coffer
import FoundationEssentials
import Import

/// What is checked before the first secret is stored, and after the last.
extension ImportRun {
    /// Refuses an import for which the vault has no room, before anything is stored.
    func checkRoom(for items: [ImportedItem], in vault: VaultComparison, _ now: Date) throws(KeychainError) {
        var names: Set<ItemName> = []
        for item in items where vault[item] == nil && !item.isExpired(at: now) {
            guard try ImportedAccess(item, access).obstacle == nil else { continue }
            names.insert(VaultComparison.name(item))
        }
        let count = vault.present.count + names.count
        guard names.isEmpty || count <= ItemLimits.items else {
            throw KeychainError(
                .limitExceeded,
                "your vault would have \(count) secrets, and it can have \(ItemLimits.items), so nothing was imported",
                advice: "split the file, or remove secrets that you no longer need")
        }
    }

    /// Whether the vault has what was stored: the value if it can be read without a person, otherwise the state that the broker named.
    func isVerified() throws(KeychainError) -> Bool {
        do throws(KeychainError) { return try hasAll() } catch {
            // What was stored is stored. Only the file has to stay.
            guard [.locked, .authenticationNeeded].contains(error.code) else { throw error }
            return false
        }
    }

    private func hasAll() throws(KeychainError) -> Bool {
        let vault = try VaultComparison(session, noPrompt: true, mayAsk: false)
        let present = stored.compactMap { vault.field($0) }
        guard present.count == stored.count, present.allSatisfy({ $0.item.revision == revisions[$0.item.name] }) else {
            return false
        }
        let open = present.filter { $0.item.access.requirements.isEmpty }
        let values = open.isEmpty ? [:] : try vault.values(of: open)
        guard values.count == open.count else { return false }
        return stored.allSatisfy { item in
            values[VaultComparison.place(item)].map { $0 == item.value } ?? true
        }
    }
}
