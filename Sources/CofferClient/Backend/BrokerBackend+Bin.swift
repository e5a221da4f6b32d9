import BrokerProtocol

extension BrokerBackend {
    /// The items of a service that are in the vault's bin. Of one name, the one that was deleted last comes first.
    package func deletedItems(
        of service: String, in vault: VaultName
    ) async throws(KeychainError) -> [ItemAttributes] {
        let list = Wire.List(service: service, deleted: true)
        var items: [ItemAttributes] = []
        do throws(KeychainError) {
            for reply in try await access.connections.replies(to: Wire.InVault(list, vault.choice)) {
                for item in reply.items { items.append(try ItemAttributes(item)) }
            }
        } catch { throw error.forApplication }
        return items
    }
}
