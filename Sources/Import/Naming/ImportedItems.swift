/// Gives each secret of a file a name of its own.
public struct ImportedItems: Sendable, Equatable {
    public private(set) var items: [ImportedItem] = []
    /// Entries that cannot be stored.
    public private(set) var problems: [ImportProblem] = []
    /// What is not imported of the entries.
    public private(set) var leftOut: [ImportProblem] = []
    /// Secrets that the file has twice.
    public private(set) var repeated: [ImportProblem] = []
    private var indices: [Name: Int] = [:]

    private struct Name: Hashable {
        var service: String
        var account: String
        var kind: String?
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
        let addresses = entry.addresses.compactMap(WebAddress.init)
        let names: [String?] = [entry.service, addresses.first?.host, entry.title, entry.addresses.first]
        let given = names.compactMap { (name: String?) -> String? in name?.trimmingSpaces }
        guard let service = given.first(where: { !$0.isEmpty }) else {
            problems.append(ImportProblem(entry.place, "it has neither a name nor an address"))
            return
        }
        var base = ImportedItem(entry.place, service: service, account: entry.userName, value: [])
        describe(entry, addresses, &base)
        let before = items.count
        var isNoteStored = false
        if let password = entry.password, !password.isEmpty {
            var item = base
            item.value = password
            add(item)
        } else if !entry.note.isEmpty, entry.oneTimePassword.isEmpty, entry.fields.isEmpty {
            var item = base
            item.value = Array(entry.note.utf8)
            isNoteStored = true
            add(item)
        }
        if !entry.note.isEmpty, !isNoteStored { add(base, "notes", entry.note) }
        if !entry.oneTimePassword.isEmpty {
            let seed = OneTimeSeed.address(entry.oneTimePassword, issuer: service, account: entry.userName)
            if let seed {
                add(base, "otp", seed)
            } else {
                leftOut.append(
                    ImportProblem(
                        entry.place, "its one-time password, which is neither an otpauth address nor a seed in Base32"))
            }
        }
        for field in entry.fields where !field.value.isEmpty {
            add(base, field.name.isEmpty ? "field" : field.name, field.value)
        }
        let isEmpty =
            (entry.password ?? []).isEmpty && entry.note.isEmpty && entry.oneTimePassword.isEmpty
            && entry.fields.allSatisfy(\.value.isEmpty)
        if isEmpty, items.count == before { leftOut.append(ImportProblem(entry.place, "it holds no secret")) }
    }

    private mutating func describe(_ entry: ImportEntry, _ addresses: [WebAddress], _ item: inout ImportedItem) {
        item.label = entry.title
        item.attributes = entry.attributes
        for (index, address) in addresses.prefix(ImportLimits.addresses).enumerated() {
            item.attributes["url" + (index == 0 ? "" : "\(index + 1)")] = address.shown
        }
        for (name, text) in [
            ("folder", entry.folder), ("tags", entry.tags), ("created", entry.created), ("changed", entry.changed),
        ] where !text.isEmpty {
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
    private mutating func add(_ base: ImportedItem, _ part: String, _ value: String) {
        var item = base
        item.account = base.account.isEmpty ? part : "\(base.account):\(part)"
        item.value = Array(value.utf8)
        add(item)
    }

    private mutating func add(_ item: ImportedItem) {
        if item.value.count > ImportLimits.value {
            problems.append(ImportProblem(item.place, "a secret of it is larger than 1 MiB"))
            return
        }
        var item = item
        let account = item.account
        var number = 1
        // The same names in the same order each time, so that a second import finds what the first one stored.
        while let other = indices[Name(service: item.service, account: item.account, kind: item.kind)] {
            if items[other].value == item.value {
                repeated.append(ImportProblem(item.place, "the same secret as in \(items[other].place)"))
                return
            }
            number += 1
            item.account = "\(account)#\(number)"
        }
        for (text, what) in [(item.service, "name or address"), (item.account, "user name")] {
            if text.utf8.count > ImportLimits.name {
                problems.append(ImportProblem(item.place, "its \(what) is longer than \(ImportLimits.name) bytes"))
                return
            }
            if text.utf8.contains(0) {
                problems.append(ImportProblem(item.place, "its \(what) has a zero byte"))
                return
            }
        }
        indices[Name(service: item.service, account: item.account, kind: item.kind)] = items.count
        items.append(item)
    }
}
