import BrokerProtocol

extension BrokerBackend {
    /// Implements ``KeychainBackend/items(matching:in:)``.
    public func items(
        matching query: ItemQuery, in vault: VaultName
    ) async throws(KeychainError) -> [ItemAttributes] {
        try query.checkAccounts()
        let kind = query.itemClass
        guard query.text == nil, query.attributes.isEmpty else {
            let search = Wire.Search(text: query.text, attributes: query.attributes, kind: kind)
            return try await list(search, in: vault).filter(query.namesServiceAndAccount)
        }
        // A broker of an earlier version takes no accounts, and lists the whole service.
        let list = Wire.List(service: query.service, accounts: query.accounts, kind: kind)
        return try await self.list(list, in: vault).filter(query.namesServiceAndAccount)
    }

    /// The attributes of all items of a vault.
    package func allItems(in vault: VaultName) async throws(KeychainError) -> [ItemAttributes] {
        try await list(Wire.List(), in: vault)
    }

    /// Takes a list in as many replies as it needs. A single reply has room for some hundreds of items only.
    private func list<Method: ReadingMethod>(
        _ method: Method, in vault: VaultName
    ) async throws(KeychainError) -> [ItemAttributes] where Method.Reply == Wire.ItemsReply {
        var items: [ItemAttributes] = []
        do throws(KeychainError) {
            for reply in try await access.connections.replies(to: Wire.InVault(method, vault.choice)) {
                for item in reply.items { items.append(try ItemAttributes(item)) }
            }
        } catch { throw error.forApplication }
        return items
    }
}

extension ItemQuery {
    /// Whether the item has the service and one of the accounts.
    fileprivate func namesServiceAndAccount(_ item: ItemAttributes) -> Bool {
        if let service, !service.utf8.elementsEqual(item.service.utf8) { return false }
        return accounts?.contains { $0.utf8.elementsEqual(item.account.utf8) } ?? true
    }
}
