import Item

/// Gives each further secret of a file's entries its place: a field of the entry's item.
struct ImportedFields {
    /// How many fields an item can have.
    let most: Int
    /// The fields that the items have so far.
    private var fields: [Place: Set<FieldName>] = [:]
    /// What the entries say about the items that they made.
    private var descriptions: [Place: Description] = [:]
    /// The item that takes the further fields of one that is full.
    private var others: [Place: (account: String, number: Int)] = [:]
    /// How many items of a name an earlier version made.
    private var companions: [Place: Int] = [:]
    private var seen: [Content: ImportPlace] = [:]

    /// Where a secret goes.
    enum Outcome {
        case new(ImportedItem)
        /// The item has this secret already, from here.
        case repeated(ImportPlace)
    }

    /// An item, compared byte by byte.
    private struct Place: Hashable {
        let service: [UInt8]
        let account: [UInt8]

        init(_ item: ImportedItem, account: String? = nil) {
            service = Array(item.service.utf8)
            self.account = Array((account ?? item.account).utf8)
        }
    }

    /// Fields of the same content are the same secret.
    private struct Content: Hashable {
        let place: Place
        let field: FieldName
        let value: [UInt8]
    }

    private struct Description: Equatable {
        let label: [UInt8]
        let attributes: [[UInt8]: [UInt8]]
        let state: ImportEntry.State

        init(_ item: ImportedItem) {
            label = Array(item.label.utf8)
            attributes = item.description
            state = item.state
        }
    }

    init(most: Int) { self.most = max(1, most) }

    /// Takes notice of a field, and of what the item is.
    mutating func note(_ field: FieldName, of item: ImportedItem) {
        fields[Place(item), default: []].insert(field)
        describe(item)
    }

    /// Takes notice of what an item is. What was said first stays.
    mutating func describe(_ item: ImportedItem) {
        let place = Place(item)
        if descriptions[place] == nil { descriptions[place] = Description(item) }
    }

    /// Whether the item of this name is described as this one, so that the fields of both can be in one.
    func isAlike(_ item: ImportedItem) -> Bool { descriptions[Place(item)] == Description(item) }

    /// - Parameters:
    ///   - base: the entry's item.
    ///   - isTaken: whether there is an item of such a name.
    mutating func place(
        _ part: EntryPart, beside base: ImportedItem, isTaken: (ImportedItem) -> Bool
    ) -> Outcome {
        let home = Place(base)
        let wanted = part.fieldName
        let content = Content(place: home, field: wanted, value: part.value)
        if let other = seen[content] { return .repeated(other) }
        seen[content] = base.place
        var item = base
        item.value = part.value
        item.companion = companion(of: part, beside: base)
        if wanted.text != part.name {
            let name = String(part.name.unicodeScalars.prefix(ItemLimits.fieldName))
            item.addRemark("its field was named “\(name)” there")
        }
        item.account = room(beside: base, isTaken)
        if item.account != base.account { item.addRemark("the login has \(most) fields already") }
        let place = Place(item)
        var field = wanted
        var number = 1
        // An item has few fields, so this ends soon.
        while !fields[place, default: []].insert(field).inserted {
            number += 1
            field = EntryPart.numbered(wanted, number)
        }
        if number > 1 { item.addRemark("another field has the name without a number") }
        item.field = field == .secret ? nil : .init(name: field.text, kind: part.kind.rawValue)
        return .new(item)
    }

    /// The account of the item that has room for one more field: `me`, then `me:more`, `me:more2`….
    private mutating func room(beside base: ImportedItem, _ isTaken: (ImportedItem) -> Bool) -> String {
        let home = Place(base)
        let account = others[home]?.account ?? base.account
        guard fields[Place(base, account: account), default: []].count >= most else { return account }
        var other = base
        var number = others[home]?.number ?? 0
        repeat {
            number += 1
            let name = "more" + (number == 1 ? "" : "\(number)")
            other.account = base.account.isEmpty ? name : "\(base.account):\(name)"
        } while isTaken(other)
        others[home] = (other.account, number)
        return other.account
    }

    /// What an earlier version called the item that it made of a field.
    private mutating func companion(of part: EntryPart, beside base: ImportedItem) -> String {
        let account = base.account.isEmpty ? part.name : "\(base.account):\(part.name)"
        let number = companions[Place(base, account: account), default: 0] + 1
        companions[Place(base, account: account)] = number
        return number == 1 ? account : "\(account)#\(number)"
    }
}
