import CofferClient

/// How items of the vault are deleted.
extension Provider {
    /// Deletes items, each only in the state that is known here: another program may have deleted one and given its
    /// name to another item. If one is in another state, all of them are looked at again. Then those that are left are
    /// deleted, by the names that they have.
    /// - Parameters:
    ///   - ids: their ids on the bus.
    ///   - collection: an item that is no longer in it stays; nil for items of every collection, and for records.
    ///   - intoBin: whether they go into the vault's bin, because a person may want them back.
    /// - Returns: false if none is there any longer.
    @discardableResult
    func remove(
        _ ids: [String], of collection: String? = nil, protection: RollbackProtection = .soon, intoBin: Bool = false
    ) async throws(ServiceError) -> Bool {
        for attempt in 1...StoreLimits.attempts {
            let present = ids.filter { collection == nil || index.items[$0]?.collection == collection }
            let items = present.compactMap { vault[$0] }
            guard !items.isEmpty else { return false }
            let changes = items.map { item in
                let condition = ItemChange.Condition.isUnchanged(since: item)
                return intoBin
                    ? ItemChange.putAside(item.name, if: condition) : ItemChange(item.name, .delete, if: condition)
            }
            do throws(KeychainError) {
                _ = try await backend.apply(changes, protection: protection, prompts: .never, in: .own)
                for id in items.map(ServiceItem.id(of:)) {
                    if let former = vault.delete(id) { removed(id, former) }
                }
                return true
            } catch {
                guard error.code == .changedMeanwhile, attempt < StoreLimits.attempts else { throw ServiceError(error) }
            }
            await giveWay(after: attempt)
            for item in items { try await lookAgain(at: item) }
        }
        return false
    }
}
