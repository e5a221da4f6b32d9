/// Gives each secret of a file a name of its own.
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

    /// Two items of the same content are the same secret.
    private struct Content: Hashable {
        let name: Name
        let value: [UInt8]
        let description: [[UInt8]: [UInt8]]
    }

    /// Names the secrets of another program's entries.
    public init(_ entries: [ImportEntry]) {
        for entry in entries { add(entry) }
    }

    /// Takes items that have names already.
    public init(_ items: [ImportedItem]) {
        for item in items { add(item) }
    }

    private mutating func add(_ entry: ImportEntry) {
        let addresses = EntryAddresses(entry.addresses)
        let names: [String?] = [entry.service, addresses.host, entry.title, addresses.open]
        let given = names.compactMap { (name: String?) -> String? in name?.trimmingSpaces }
        guard let service = given.first(where: { !$0.isEmpty }) else {
            problems.append(ImportProblem(entry.place, "it has neither a name nor an address"))
            return
        }
        var base = ImportedItem(entry.place, service: service, account: entry.userName, value: [])
        describe(entry, addresses, &base)
        let parts = parts(of: entry, addresses.secret, service)
        let before = items.count
        let password = entry.password ?? []
        let isNote = password.isEmpty && !entry.note.isEmpty && parts.count == 1
        if !password.isEmpty || isNote {
            var item = base
            item.value = isNote ? Array(entry.note.utf8) : password
            // The further secrets are named after the login that they belong to: me#2:otp.
            if let account = add(item) { base.account = account }
        }
        if !isNote { for part in parts { add(base, part) } }
        if password.isEmpty, parts.isEmpty, items.count == before {
            leftOut.append(ImportProblem(entry.place, "it holds no secret"))
        }
    }

    /// The further secrets of an entry.
    private func parts(of entry: ImportEntry, _ addresses: [ImportEntry.Field], _ service: String)
        -> [ImportEntry.Field]
    {
        var parts: [ImportEntry.Field] = []
        if !entry.note.isEmpty { parts.append(.init(name: "notes", value: entry.note)) }
        if !entry.oneTimePassword.isEmpty {
            let seed = OneTimeSeed.address(entry.oneTimePassword, issuer: service, account: entry.userName)
            // A seed of another kind, such as Steam's, is kept as it is.
            parts.append(
                seed.map { .init(name: "otp", value: $0) } ?? .init(name: "seed", value: entry.oneTimePassword))
        }
        parts += entry.fields.filter { !$0.value.isEmpty }.map {
            .init(name: $0.name.isEmpty ? "field" : $0.name, value: $0.value)
        }
        return parts + addresses
    }

    private mutating func describe(_ entry: ImportEntry, _ addresses: EntryAddresses, _ item: inout ImportedItem) {
        item.label = entry.title
        item.attributes = entry.attributes
        let described = [
            ("folder", entry.folder), ("tags", entry.tags), ("created", entry.created), ("changed", entry.changed),
        ]
        // Programs find an item of a keyring by its own attributes, so those stay as they are.
        for (name, text) in addresses.attributes + described where !text.isEmpty && item.attributes[name] == nil {
            guard item.attributes.count < ImportLimits.attributes else {
                leftOut.append(ImportProblem(entry.place, "its \(name), because it has too many attributes"))
                continue
            }
            item.attributes[name] = text
        }
        if item.label.utf8.count > ImportLimits.label {
            item.label = ""
            leftOut.append(ImportProblem(entry.place, "its title, which is longer than \(ImportLimits.label) bytes"))
        }
        for (name, text) in item.attributes.sorted(by: { $0.key < $1.key })
        where name.utf8.count + text.utf8.count > ImportLimits.attribute {
            item.attributes[name] = nil
            leftOut.append(
                ImportProblem(entry.place, "its \(name), which is longer than \(ImportLimits.attribute) bytes"))
        }
    }

    /// Adds a further secret of an entry, as me:otp.
    private mutating func add(_ base: ImportedItem, _ part: ImportEntry.Field) {
        var item = base
        item.account = base.account.isEmpty ? part.name : "\(base.account):\(part.name)"
        item.value = Array(part.value.utf8)
        add(item)
    }

    /// - Returns: the account that the item has now; nil if it is not stored.
    @discardableResult
    private mutating func add(_ item: ImportedItem) -> String? {
        var item = item
        let account = item.account
        let name = Name(item)
        let content = Content(name: name, value: item.value, description: item.description)
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
        if number > 1 { numbers[name] = number }
        names.insert(Name(item))
        indices[content] = items.count
        items.append(item)
        return item.account
    }
}
