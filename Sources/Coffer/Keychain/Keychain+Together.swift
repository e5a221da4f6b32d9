import FoundationEssentials

extension Keychain {
    /// Values of so few bytes fit into an answer, with the names and comments of 32 items.
    private static var small: Int { 1 << 20 }

    /// Whether one call can read all items that these changes store. A call that stores them counts each value as it is.
    /// An answer counts it as it is sealed, with its padding, and so has less room.
    package func canReadTogether(_ changes: [ItemChange]) async throws(KeychainError) -> Bool {
        var stored: [(name: ItemName, item: NewItem)] = []
        for change in changes { if case .set(let item) = change.action { stored.append((change.name, item)) } }
        guard stored.count > 1, stored.reduce(0, { $0 + $1.item.value.count }) > Self.small else { return true }
        // An item that is there keeps its comment and its attributes, which the answer has, too.
        let query = ItemQuery(service: service, accounts: stored.map { $0.name.account }, itemClass: itemClass)
        var former: [ItemName: ItemAttributes] = [:]
        do throws(KeychainError) {
            for item in try await backend.items(matching: query, in: vault) { former[item.name] = item }
        } catch {
            // A group's vault is made by the first item that is stored.
            guard error.code == .notFound else { throw error }
        }
        return try MessageSize.fits(
            stored.map { Item(value: $0.item.value, attributes: Self.attributes($0.item, $0.name, former[$0.name])) })
    }

    /// What the vault will say of an item. Ids and revisions are as long as any.
    private static func attributes(_ new: NewItem, _ name: ItemName, _ former: ItemAttributes?) -> ItemAttributes {
        let longest = String(repeating: "0", count: 64)
        return ItemAttributes(
            id: longest, name: name, label: new.label ?? former?.label, comment: new.comment ?? former?.comment,
            attributes: new.attributes ?? former?.attributes ?? [:],
            access: new.access ?? former?.access ?? .whenUnlocked, created: .now, modified: .now, expires: .now,
            version: .max, revision: longest)
    }
}
