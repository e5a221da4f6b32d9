import Cryptography
import Item

/// Finds items. The vault may be locked.
extension OpenVault {
    /// Finds the one item of this service, account and kind.
    ///
    /// - Parameters:
    ///   - account: may be nil if the service has only one item of this kind.
    ///   - includingExpired: also returns an expired item, so that it can be deleted or renamed.
    /// - Throws: `.notFound`, also if the item has expired; `.ambiguous`; `.damaged`; `.storage`.
    public func find(
        service: String, account: String?, kind: ItemKind = .genericPassword, includingExpired: Bool = false
    ) throws(VaultError) -> ItemSummary {
        let found = try read { (snapshot) throws(VaultError) in
            try snapshot.items(service: service, account: account, kind: kind)
        }
        return try one(of: found, includingExpired: includingExpired).summary
    }

    /// The one item that was asked for, of those that were found.
    func one(of found: [StoredItem], includingExpired: Bool) throws(VaultError) -> StoredItem {
        let now = now()
        let live = includingExpired ? found : found.filter { !$0.summary.metadata.isExpired(at: now) }
        if live.count > 1 { throw VaultError.ambiguous(live.map(\.summary)) }
        if let item = live.first { return item }
        throw found.first.map { .expired($0.summary) } ?? VaultError.notFound
    }

    /// All items, or those of a service, of a kind, or of both, including expired ones. Sorted by service, account and
    /// kind. Only who asks for settings gets them.
    ///
    /// - Throws: `.damaged`, `.storage`.
    public func list(service: String? = nil, kind: ItemKind? = nil) throws(VaultError) -> [ItemSummary] {
        let items = try read { (snapshot) throws(VaultError) -> [ItemSummary] in
            if let service { return try snapshot.items(service: service, kind: kind).map(\.summary) }
            return try snapshot.liveSummaries()
        }
        return items.sortedByName(of: kind)
    }

    /// The items of some accounts of a service, including expired ones. All of them are from one moment.
    ///
    /// - Parameters:
    ///   - accounts: those without an item are left out.
    ///   - kind: nil for items of all kinds but settings.
    /// - Throws: `.damaged`, `.storage`.
    public func list(
        service: String, accounts: [String], kind: ItemKind? = nil
    ) throws(VaultError) -> [ItemSummary] {
        let kinds = kind.map { [$0] } ?? ItemKind.foundUnnamed
        let items = try read { (snapshot) throws(VaultError) -> [ItemSummary] in
            var found: [ItemID: ItemSummary] = [:]
            for account in accounts {
                for kind in kinds {
                    guard let item = try snapshot.item(service: service, account: account, kind: kind) else { continue }
                    found[item.summary.id] = item.summary
                }
            }
            return Array(found.values)
        }
        return items.sortedByName(of: kind)
    }

    /// Finds items that have all these attributes, and whose service, account, label or comment contains the text.
    /// Ignores case.
    ///
    /// - Parameter kind: nil for items of all kinds but settings.
    /// - Throws: `.damaged`, `.storage`.
    public func search(
        text: String? = nil, attributes: [String: String] = [:], kind: ItemKind? = nil
    ) throws(VaultError) -> [ItemSummary] {
        let items = try read { (snapshot) throws(VaultError) -> [ItemSummary] in
            guard !attributes.isEmpty else { return try snapshot.liveSummaries() }
            var common: Set<ItemID>?
            for (name, value) in attributes {
                let term = try cryptography { () throws(CryptographyError) in
                    try snapshot.keys.term(attribute: name, value: value)
                }
                let ids = Set(try snapshot.items(of: term))
                common = common?.intersection(ids) ?? ids
            }
            var found: [ItemSummary] = []
            for id in common ?? [] {
                let item = try snapshot.item(id).summary
                for (name, value) in attributes where item.metadata.attributes[name] != value {
                    throw .damaged("an index entry leads to another item")
                }
                found.append(item)
            }
            return found
        }
        guard let text = text.map(TextMatch.init), !text.isEmpty else { return items.sortedByName(of: kind) }
        return items.filter { text.isIn($0.metadata) }.sortedByName(of: kind)
    }
}

extension [ItemSummary] {
    /// - Parameter kind: the kind of the items that are returned; nil for all but settings.
    func sortedByName(of kind: ItemKind?) -> [ItemSummary] {
        let items = filter { $0.metadata.kind.isFound(by: kind) }
        // A tuple of all three would copy six strings for each comparison.
        return items.sorted {
            if $0.metadata.service != $1.metadata.service { return $0.metadata.service < $1.metadata.service }
            if $0.metadata.account != $1.metadata.account { return $0.metadata.account < $1.metadata.account }
            return $0.metadata.kind.rawValue < $1.metadata.kind.rawValue
        }
    }
}

extension VaultError {
    static let notFound = VaultError(.notFound, "there is no such item")

    static func expired(_ item: ItemSummary) -> VaultError {
        let date = item.metadata.expires.map(SystemClock.date) ?? ""
        return VaultError(.notFound, "the item expired on \(date)", advice: "set it again")
    }

    static func ambiguous(_ items: [ItemSummary]) -> VaultError {
        VaultError(
            .ambiguous(accounts: items.map(\.metadata.account).sorted()),
            "there are several accounts of this service", advice: "name one of them")
    }
}
