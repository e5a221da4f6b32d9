/// Gives entries of one name the names that a vault has them under. They are numbered by their last change, so that a
/// change of one would swap two of them in a second import.
public enum KnownNames {
    /// What a vault has of an import.
    public struct Known: Sendable {
        let home: Home
        let identity: Identity

        public init(service: String, account: String, label: String, created: String) {
            home = Home(service, account)
            identity = Identity(label: label, created: created)
        }
    }

    /// An item, compared byte by byte.
    struct Home: Hashable {
        let service: [UInt8]
        let account: [UInt8]

        init(_ service: String, _ account: String) {
            self.service = Array(service.utf8)
            self.account = Array(account.utf8)
        }

        /// The item of the entry that it comes from.
        init(_ item: ImportedItem, _ origin: ImportedItem.Origin) { self.init(item.service, origin.account) }

        /// All items that differ by a number only have one.
        init(userOf item: ImportedItem, _ origin: ImportedItem.Origin) { self.init(item.service, origin.user) }

        private init(service: [UInt8], account: [UInt8]) {
            self.service = service
            self.account = account
        }

        /// The same without the number that an import has added.
        var plain: Home {
            guard let mark = account.lastIndex(of: UInt8(ascii: "#")), mark + 1 < account.endIndex,
                account[(mark + 1)...].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return self }
            return Home(service: service, account: Array(account[..<mark]))
        }
    }

    /// What tells two entries of one name apart, and stays when their secrets change.
    struct Identity: Hashable {
        let label: [UInt8]
        let created: [UInt8]

        init(label: String, created: String) {
            self.label = Array(label.utf8)
            self.created = Array(created.utf8)
        }

        var saysNothing: Bool { label.isEmpty && created.isEmpty }
    }

    /// - Returns: the items in the same order. Entries that the vault does not know, or knows twice, keep their order of names.
    public static func matched(_ items: [ImportedItem], with known: [Known]) -> [ImportedItem] {
        // The items of the entries, in their order.
        var homes: [Home: [(home: Home, identity: Identity)]] = [:]
        var seen: Set<Home> = []
        for item in items {
            guard let origin = item.origin, seen.insert(Home(item, origin)).inserted else { continue }
            let identity = Identity(label: item.label, created: item.attributes["created"] ?? "")
            homes[Home(userOf: item, origin), default: []].append((Home(item, origin), identity))
        }
        var present: [Home: [(home: Home, identity: Identity)]] = [:]
        for one in known {
            present[one.home, default: []].append((one.home, one.identity))
            let plain = one.home.plain
            if plain != one.home { present[plain, default: []].append((one.home, one.identity)) }
        }
        var targets: [Home: Home] = [:]
        for (user, group) in homes {
            // A name that another user's entries have in this file is theirs.
            let own = Set(group.map(\.home))
            let candidates = (present[user] ?? []).filter { own.contains($0.home) || !seen.contains($0.home) }
            targets.merge(matches(group, candidates)) { $1 }
        }
        let renamed = items.map { item in
            guard let origin = item.origin, let target = targets[Home(item, origin)] else { return item }
            return item.renamed(from: origin.account, to: String(decoding: target.account, as: UTF8.self))
        }
        // What did not fit into an item may have a name that another entry has.
        return count(renamed) == count(items) ? renamed : items
    }

    /// How many fields of items there are.
    private static func count(_ items: [ImportedItem]) -> Int {
        Set(items.map { [Array($0.service.utf8), Array($0.account.utf8), Array(($0.field?.name ?? "").utf8)] }).count
    }

    /// - Returns: the new names of those that get another one.
    private static func matches(
        _ group: [(home: Home, identity: Identity)], _ candidates: [(home: Home, identity: Identity)]
    ) -> [Home: Home] {
        let found = unique(candidates)
        let wanted = unique(group)
        var targets: [Home: Home] = [:]
        for (identity, home) in wanted {
            if let target = found[identity] { targets[home] = target }
        }
        guard targets.contains(where: { $0.key != $0.value }) else { return [:] }
        // The others keep their names, or get those that are free now, in their order.
        var taken = Set(targets.values)
        let others = group.map(\.home).filter { targets[$0] == nil }
        let displaced = others.filter { !taken.insert($0).inserted }
        var free = group.map(\.home).filter { !taken.contains($0) }[...]
        for home in displaced {
            guard let next = free.popFirst() else { break }
            targets[home] = next
        }
        return targets.filter { $0.key != $0.value }
    }

    /// The items by what tells them apart. What two have is left out.
    private static func unique(_ items: [(home: Home, identity: Identity)]) -> [Identity: Home] {
        var found: [Identity: Home] = [:]
        var several: Set<Identity> = []
        for item in items where !item.identity.saysNothing {
            if found.updateValue(item.home, forKey: item.identity) != nil { several.insert(item.identity) }
        }
        return found.filter { !several.contains($0.key) }
    }
}

extension ImportedItem {
    /// The same under another account of its entry.
    fileprivate func renamed(from home: String, to other: String) -> ImportedItem {
        func moved(_ account: String) -> String {
            guard account.utf8.count > home.utf8.count else { return other }
            // Behind the home and a colon, as in `me:more`. Without an account there is no colon.
            let rest = String(
                decoding: account.utf8.dropFirst(home.isEmpty ? 0 : home.utf8.count + 1), as: UTF8.self)
            return other.isEmpty ? rest : "\(other):\(rest)"
        }
        var item = self
        item.account = moved(account)
        item.companion = companion.map(moved)
        item.origin?.account = other
        let reason = "numbered as in your vault"
        if let numbering = origin?.numbering, let remark, remark.contains(numbering) {
            item.remark = remark.replacing(numbering, with: reason)
        } else {
            item.addRemark(reason)
        }
        return item
    }
}
