import Coffer

/// The items of the bin that the words of a command name.
struct DeletedName {
    let name: FullName
    /// The one that was deleted last comes first. There is at least one.
    let items: [ItemAttributes]
}

extension CommandSession {
    /// - Parameters:
    ///   - word: the service, or service and account in one word.
    ///   - account: nil if it is in the word, or was left out because there is only one.
    /// - Returns: nil if the bin has none.
    /// - Throws: `.ambiguous` if the words name items of several names.
    func deleted(
        _ word: String, _ account: String?, _ kind: ItemKind?
    ) throws(KeychainError) -> DeletedName? {
        let splits = account == nil ? JoinedName.splits(of: word) : []
        let items = try client.deletedItems().filter { item in
            guard item.kind == kind ?? .genericPassword else { return false }
            if item.service.utf8.elementsEqual(word.utf8) {
                return account.map { item.account.utf8.elementsEqual($0.utf8) } ?? true
            }
            return splits.contains {
                item.service.utf8.elementsEqual($0.service.utf8) && item.account.utf8.elementsEqual($0.account.utf8)
            }
        }
        guard let first = items.first else { return nil }
        guard items.allSatisfy({ $0.name == first.name }) else {
            var names: [String] = []
            for name in items.map(\.shownName) where !names.contains(name) { names.append(name) }
            throw KeychainError(
                .ambiguous, "several removed secrets match: \(names.joined(separator: ", "))",
                advice: "give service and account as two words")
        }
        return DeletedName(name: FullName(service: first.service, account: first.account, kind: kind), items: items)
    }
}
