import Coffer

/// Stored names that are like one that is not stored.
enum NearName {
    /// How many names an error suggests.
    private static let most = 3
    /// How many letters may differ.
    private static let furthest = 2
    /// From this many letters on, the beginning of a name is like the name.
    private static let shortestBeginning = 3
    /// Longer names are not compared letter by letter, so that a vault full of them does not delay an error.
    private static let longest = 64

    /// The nearest names, as sentences show them.
    static func suggestions(for name: PartialName, among items: [ItemAttributes]) -> [String] {
        // An item that exists is no suggestion: something else about it was not found.
        guard !items.contains(where: { isSame($0, name) }) else { return [] }
        let near = items.compactMap { item in distance(from: name, to: item).map { (item, $0) } }
        // Items come sorted by name. Sorting again by distance keeps that order among equals, because the place decides.
        let sorted = near.enumerated().sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }
        return sorted.prefix(most).map(\.element.0.shownName)
    }

    /// Compares bytes, as the broker does. Another spelling of the same text in Unicode is the nearest name of all.
    private static func isSame(_ item: ItemAttributes, _ name: PartialName) -> Bool {
        item.service.utf8.elementsEqual(name.service.utf8)
            && (name.account ?? item.account).utf8.elementsEqual(item.account.utf8)
            && item.kind == (name.kind ?? .genericPassword)
    }

    /// - Returns: nil if the names are not alike.
    private static func distance(from name: PartialName, to item: ItemAttributes) -> Int? {
        let service = letters(name.service, item.service)
        guard let account = name.account else { return service }
        if name.service == item.account, account == item.service { return 1 }
        if let service, let account = letters(account, item.account), service + account <= furthest {
            return service + account
        }
        // The service is right, so its other accounts are what there is to choose from.
        return name.service == item.service ? furthest + 1 : nil
    }

    /// How many letters differ, apart from upper and lower case; nil if too many do.
    private static func letters(_ given: String, _ stored: String) -> Int? {
        if given == stored { return 0 }
        guard given.utf8.count <= longest, stored.utf8.count <= longest else { return nil }
        let (left, right) = (given.lowercased(), stored.lowercased())
        // The rest was left out.
        if left.count >= shortestBeginning, right.hasPrefix(left) { return 1 }
        guard abs(left.count - right.count) <= furthest else { return nil }
        let distance = SubcommandSuggestion.distance(left, right)
        // In a short word, two letters make another word.
        let length = max(left.count, right.count)
        return distance <= max(1, min(furthest, length / 3)) && distance < length ? distance : nil
    }
}

extension CommandSession {
    /// Does something about an item. If there is no such item, the error suggests names of the same vault that are like it.
    func finding<Result>(
        _ name: PartialName, _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        do throws(KeychainError) { return try body() } catch {
            guard error.code == .notFound else { throw error }
            // `try?`: without a list there is no suggestion, and the error says enough.
            let near = NearName.suggestions(for: name, among: (try? client.list(service: nil)) ?? [])
            guard !near.isEmpty else { throw error }
            throw KeychainError(
                error.code, error.message, advice: "did you mean \(near.joined(separator: " or "))?",
                accounts: error.accounts, cause: error.cause)
        }
    }
}
