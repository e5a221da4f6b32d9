import Item

/// Gives each login of a file a name of its own, and each further secret of it a field.
public struct ImportedItems: Sendable, Equatable {
    public private(set) var items: [ImportedItem] = []
    /// Entries that cannot be stored.
    public private(set) var problems: [ImportProblem] = []
    /// What is not imported of the entries.
    public private(set) var leftOut: [ImportProblem] = []
    /// Secrets that the file has twice.
    public private(set) var repeated: [ImportProblem] = []
    private var names: Set<Name> = []
    /// The items by what the file says of them, with the name before a number was added.
    private var indices: [Content: Int] = [:]
    /// Where the item is that has a name without a number.
    private var owners: [Name: ImportPlace] = [:]
    /// The last number that was added to a name.
    private var numbers: [Name: Int] = [:]

    /// Compared byte by byte, as the broker does. Two spellings of one text in Unicode are two names.
    private struct Name: Hashable {
        let service: [UInt8]
        let account: [UInt8]
        let kind: String?

        init(_ item: ImportedItem) {
            service = Array(item.service.utf8)
            account = Array(item.account.utf8)
            kind = item.kind
        }
    }

    /// An entry whose fields get their item after all secrets have their names.
    private struct NamedEntry {
        let base: ImportedItem
        let parts: [EntryPart]
    }

    /// Two items of the same content are the same secret.
    private struct Content: Hashable {
        let name: Name
        let field: String?
        let value: [UInt8]
        let description: [[UInt8]: [UInt8]]
    }

    /// Names the secrets of another program's entries. Of several with one name, what is used comes before what was archived or deleted, and newer
    /// comes before older, so that the plain name is that of the password in use. The items keep the order of the entries.
    /// - Parameter mostFields: how many fields an item can have, if that is fewer than usual.
    public init(_ entries: [ImportEntry], mostFields: Int? = nil) {
        let order = entries.indices.sorted { Self.precedes(entries[$0], $0, entries[$1], $1) }
        var places: [Int] = []
        var fields = ImportedFields(most: mostFields ?? ItemLimits.fields)
        var rest: [(index: Int, entry: NamedEntry)] = []
        for index in order {
            if let entry = addSecret(of: entries[index], to: &fields) { rest.append((index, entry)) }
            places += Array(repeating: index, count: items.count - places.count)
        }
        // Secrets have their names then, with the same numbers as in an earlier version, which made items of fields.
        for (index, entry) in rest {
            addFields(of: entry, to: &fields)
            places += Array(repeating: index, count: items.count - places.count)
        }
        let sorted = zip(places, items).enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
        items = sorted.map(\.element.1)
        indices = [:]
    }

    /// Times compare as text, because a file writes all of them in one form. Without a time, the order of the file decides.
    private static func precedes(_ one: ImportEntry, _ index: Int, _ other: ImportEntry, _ otherIndex: Int) -> Bool {
        if one.state != other.state { return one.state.rank < other.state.rank }
        let (time, otherTime) = (one.lastChange, other.lastChange)
        return time == otherTime ? index < otherIndex : time > otherTime
    }

    /// Takes items that have names already. Fields of an item follow each other.
    public init(_ items: [ImportedItem]) {
        var rest = items[...]
        while let first = rest.first {
            let others = rest.dropFirst().prefix { $0.field != nil && $0.place == first.place }
            let before = self.items.count
            let account = add(first)
            // If the item was there already, or cannot be stored, its fields must not become those of another one.
            if account != nil, self.items.count > before || others.isEmpty {
                for field in others { add(field, to: account) }
            } else if !others.isEmpty {
                let reason =
                    account == nil
                    ? "another field of it cannot be stored" : "the file has an item of this name already"
                problems += others.map { ImportProblem($0.place, reason) }
            }
            rest = rest.dropFirst(1 + others.count)
        }
    }

    /// Adds a further field of the item that was added last.
    private mutating func add(_ field: ImportedItem, to account: String?) {
        var item = field
        if let account { item.account = account }
        if let problem = item.problem {
            problems.append(ImportProblem(item.place, problem))
        } else {
            items.append(item)
        }
    }

    /// Adds what an entry is about as the field secret: its password, or a note that has nothing beside it. An entry that has neither, or whose secret
    /// cannot be stored, is returned, because its fields must not take a name that a secret has.
    private mutating func addSecret(of entry: ImportEntry, to fields: inout ImportedFields) -> NamedEntry? {
        let addresses = EntryAddresses(entry.addresses)
        let title = EntryTitle(entry)
        let names: [String?] = [entry.service, addresses.host, title.shown, addresses.open]
        let given = names.compactMap { (name: String?) -> String? in name?.trimmingSpaces }
        // Two entries without a name are told apart as any two of one name are.
        let service = given.first { !$0.isEmpty } ?? Self.unnamed
        var base = ImportedItem(entry.place, service: service, account: entry.userName, value: [])
        base.origin = ImportedItem.Origin(user: entry.userName, account: entry.userName)
        base.state = entry.state
        if entry.state != .live { base.remark = "\(entry.state.rawValue) there" }
        describe(entry, title, addresses, &base)
        let parts = EntryPart.all(of: entry, title.secret + addresses.secret, service)
        let password = entry.password ?? []
        let isNote = password.isEmpty && !entry.note.isEmpty && parts.count == 1
        guard !password.isEmpty || isNote else {
            if parts.isEmpty { leftOut.append(ImportProblem(entry.place, "it holds no secret")) }
            return NamedEntry(base: base, parts: parts)
        }
        var item = base
        item.value = isNote ? Array(entry.note.utf8) : password
        guard let account = add(item) else { return NamedEntry(base: base, parts: isNote ? [] : parts) }
        base.account = account
        fields.note(.secret, of: base)
        if !isNote { add(parts, to: base, &fields) }
        return nil
    }

    /// Adds an entry that has only named fields: to the item of another entry that is described alike, or as an item of its own.
    private mutating func addFields(of entry: NamedEntry, to fields: inout ImportedFields) {
        guard !entry.parts.isEmpty else { return }
        var base = entry.base
        let name = Name(base)
        if names.contains(name), !fields.isAlike(base) {
            var number = numbers[name] ?? 1
            repeat {
                number += 1
                base.account = "\(entry.base.account)#\(number)"
            } while names.contains(Name(base))
            numbers[name] = number
            base.number(beside: owners[name])
        }
        if names.insert(Name(base)).inserted {
            if owners[Name(base)] == nil { owners[Name(base)] = base.place }
            fields.describe(base)
        }
        add(entry.parts, to: base, &fields)
    }

    private mutating func add(_ parts: [EntryPart], to base: ImportedItem, _ fields: inout ImportedFields) {
        var base = base
        base.origin?.account = base.account
        for part in parts {
            switch fields.place(part, beside: base, isTaken: { names.contains(Name($0)) }) {
            case .repeated(let other):
                repeated.append(ImportProblem(base.place, "the same secret as in \(other)"))
            case .new(let item):
                names.insert(Name(item))
                if let problem = item.problem {
                    problems.append(ImportProblem(item.place, problem))
                } else {
                    items.append(item)
                }
            }
        }
    }

    /// The service of an entry that has neither a name nor an address.
    static let unnamed = "untitled"

    private mutating func describe(
        _ entry: ImportEntry, _ title: EntryTitle, _ addresses: EntryAddresses, _ item: inout ImportedItem
    ) {
        item.label = title.shown
        item.attributes = entry.attributes
        if entry.state != .live, item.attributes["state"] == nil { item.attributes["state"] = entry.state.rawValue }
        let described = [
            ("folder", entry.folder), ("tags", entry.tags), ("created", entry.created), ("changed", entry.changed),
        ]
        // Programs find an item of a keyring by its own attributes, so those stay as they are.
        for (name, text) in addresses.attributes + described where !text.isEmpty && item.attributes[name] == nil {
            guard item.attributes.count < ItemLimits.attributes else {
                leftOut.append(ImportProblem(entry.place, "its \(name), because it has too many attributes"))
                continue
            }
            item.attributes[name] = text
        }
        if item.label.utf8.count > ItemLimits.label {
            item.label = ""
            leftOut.append(ImportProblem(entry.place, "its title, which is longer than \(ItemLimits.label) bytes"))
        }
        for (name, text) in item.attributes.sorted(by: { $0.key < $1.key })
        where name.utf8.count + text.utf8.count > ItemLimits.attribute {
            item.attributes[name] = nil
            leftOut.append(
                ImportProblem(entry.place, "its \(name), which is longer than \(ItemLimits.attribute) bytes"))
        }
    }

    /// - Returns: the account that the item has now; nil if it is not stored.
    private mutating func add(_ item: ImportedItem) -> String? {
        var item = item
        let account = item.account
        let name = Name(item)
        let content = Content(
            name: name, field: item.field?.name, value: item.value, description: item.description)
        if let other = indices[content] {
            repeated.append(ImportProblem(item.place, "the same secret as in \(items[other].place)"))
            return items[other].account
        }
        // The same names in the same order each time, so that a second import finds what the first one stored.
        var number = numbers[name] ?? 1
        while names.contains(Name(item)) {
            number += 1
            item.account = "\(account)#\(number)"
        }
        if let problem = item.problem {
            // The number is still free.
            if number > 1 { numbers[name] = number - 1 }
            problems.append(ImportProblem(item.place, problem))
            return nil
        }
        if number > 1 {
            numbers[name] = number
            item.number(beside: owners[name])
        } else {
            owners[name] = item.place
        }
        names.insert(Name(item))
        item.origin?.account = item.account
        indices[content] = items.count
        items.append(item)
        return item.account
    }
}
