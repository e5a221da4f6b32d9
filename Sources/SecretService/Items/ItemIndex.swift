import CofferClient

/// All items, and which of them have an attribute. A search looks only at the items that have the rarest attribute of the query.
struct ItemIndex {
    private(set) var items: [String: ServiceItem] = [:]
    private var byAttribute: [AttributePair: Set<String>] = [:]
    private var byCollection: [String: Set<String>] = [:]
    /// When an item of a collection was changed or removed last, as far as is known.
    private var changes: [String: Moment] = [:]

    /// What a search found, and its work.
    struct Result {
        /// The item that was changed last comes first.
        var items: [ServiceItem] = []
        /// How many items were looked at.
        var examined = 0
    }

    /// Adds an item, or replaces the one with the same id.
    mutating func insert(_ item: ServiceItem) {
        if let former = take(item.id), former.collection != item.collection {
            noteChange(of: former.collection, .now)
        }
        noteChange(of: item.collection, item.modified)
        items[item.id] = item
        byCollection[item.collection, default: []].insert(item.id)
        for pair in item.attributes.pairs { byAttribute[pair, default: []].insert(item.id) }
    }

    @discardableResult
    mutating func remove(_ id: String, now: Moment = .now) -> ServiceItem? {
        guard let item = take(id) else { return nil }
        noteChange(of: item.collection, now)
        return item
    }

    /// When one of a collection's items was changed or removed last.
    func lastChange(of collection: String) -> Moment { changes[collection] ?? .distantPast }

    private mutating func noteChange(of collection: String, _ moment: Moment) {
        changes[collection] = max(lastChange(of: collection), moment)
    }

    private mutating func take(_ id: String) -> ServiceItem? {
        guard let item = items.removeValue(forKey: id) else { return nil }
        byCollection[item.collection]?.remove(id)
        for pair in item.attributes.pairs {
            byAttribute[pair]?.remove(id)
            if byAttribute[pair]?.isEmpty == true { byAttribute[pair] = nil }
        }
        return item
    }

    /// The items that have all of these attributes, and maybe others.
    /// - Parameters:
    ///   - attributes: nothing matches an empty query, which would otherwise give everything to anybody.
    ///   - collection: nil for all collections.
    ///   - now: items that have expired are not found.
    func search(_ attributes: [String: String], in collection: String? = nil, now: Moment = .now) -> Result {
        let pairs = attributes.pairs
        var rarest: Set<String>?
        for pair in pairs {
            guard let candidates = byAttribute[pair] else { return Result() }
            if candidates.count < rarest?.count ?? .max { rarest = candidates }
        }
        guard let rarest else { return Result() }
        var result = Result()
        for id in rarest {
            result.examined += 1
            guard let item = items[id], collection == nil || item.collection == collection,
                !item.hasExpired(now: now), pairs.count == 1 || item.attributes.pairs.isSuperset(of: pairs)
            else { continue }
            result.items.append(item)
        }
        result.items.sort { ($0.modified, $0.id) > ($1.modified, $1.id) }
        return result
    }

    /// The item with exactly these attributes, for a client that replaces it. Otherwise one that another program of Coffer's has made under the name
    /// that they give: no client knows all the attributes by which such an item is found.
    /// An item with attributes that clients do not see has others than the client names.
    /// - Returns: nil also for no attributes: they would stand for any item that has none.
    func identical(to attributes: [String: String], in collection: String) -> ServiceItem? {
        let pairs = attributes.pairs
        let found = search(attributes, in: collection).items.filter { !$0.hidesAttributes }
        return found.first { $0.attributes.pairs == pairs } ?? found.first { $0.isNamed(by: attributes) }
    }

    /// The items of a collection, in a stable order.
    func items(of collection: String, now: Moment = .now) -> [ServiceItem] {
        let found = (byCollection[collection] ?? []).compactMap { items[$0] }.filter { !$0.hasExpired(now: now) }
        // Their places are sorted, because moving items takes longer than comparing them. Each change sends such a list.
        return found.indices.sorted {
            let (one, other) = (found[$0].created, found[$1].created)
            return one == other ? found[$0].id < found[$1].id : one < other
        }.map { found[$0] }
    }

    /// When the oldest item of a collection was made, also if it has expired; nil if there is none.
    func oldest(of collection: String) -> Moment? {
        (byCollection[collection] ?? []).compactMap { items[$0]?.created }.min()
    }

    func count(of collection: String) -> Int { byCollection[collection]?.count ?? 0 }
}
