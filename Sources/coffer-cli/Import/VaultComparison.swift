import Coffer
import FoundationEssentials
import Import

/// What the vault has under the names of an import.
struct VaultComparison {
    private let session: CommandSession
    private let noPrompt: Bool
    /// Whether a person may be asked for values that are guarded. Somebody is looked for only if there are any.
    private let mayAsk: Bool
    /// For the prompt and the log.
    private let reason: String
    private(set) var present: [ItemName: ItemAttributes] = [:]

    /// A field of an item, by name.
    struct Place: Hashable {
        let item: ItemName
        let field: FieldName
    }

    init(
        _ session: CommandSession, noPrompt: Bool, mayAsk: Bool, reason: String = "Compare with an import"
    ) throws(KeychainError) {
        self.session = session
        self.reason = reason
        self.noPrompt = noPrompt
        self.mayAsk = mayAsk
        for item in try session.client.list(service: nil) {
            // The broker's list has each name once.
            present[item.name] = item
        }
    }

    static func name(_ item: ImportedItem) -> ItemName {
        // Kinds were checked before.
        ItemName(
            service: item.service, account: item.account,
            itemClass: item.kind.flatMap(ItemKind.init(rawValue:)) ?? .genericPassword)
    }

    /// What tells entries of one name apart. An import makes generic items of them.
    var known: [KnownNames.Known] {
        present.values.filter { $0.kind == .genericPassword }.map {
            KnownNames.Known(
                service: $0.service, account: $0.account, label: $0.label ?? "",
                created: $0.attributes["created"] ?? "")
        }
    }

    subscript(_ item: ImportedItem) -> ItemAttributes? { present[Self.name(item)] }

    static func place(_ item: ImportedItem) -> Place { Place(item: name(item), field: item.fieldName) }

    /// What the vault has of a field that an import has.
    func field(_ item: ImportedItem) -> FieldOfItem? {
        guard let present = self[item], present.field(item.fieldName) != nil else { return nil }
        return FieldOfItem(item: present, field: item.fieldName)
    }

    /// The item that an earlier version made of what is a field now. It is not one that the import has itself.
    func companion(of item: ImportedItem, besides imported: Set<ItemName>) -> ItemAttributes? {
        guard let account = item.companion else { return nil }
        let name = ItemName(service: item.service, account: account)
        guard !imported.contains(name), let found = present[name], !found.hasNamedFields,
            !found.isExpired(at: Date())
        else { return nil }
        return found
    }

    /// Takes notice of a change that the import has made.
    mutating func note(_ item: ItemAttributes) { present[item.name] = item }

    /// The values that can be read here.
    /// - Parameter fields: each once, those of an item together.
    func values(of fields: [FieldOfItem]) throws(KeychainError) -> [Place: [UInt8]] {
        var values: [Place: [UInt8]] = [:]
        let reading = JointReading(
            session: session, noPrompt: noPrompt, reason: reason, purpose: "comparing with your vault",
            command: session.unlockCommand, leavesOutLost: true)
        // The broker gives the value of an expired item to nobody, and then gives none of the others either.
        let now = Date()
        let fields = fields.filter { !$0.item.isExpired(at: now) }
        let open = fields.filter { $0.item.access.requirements.isEmpty }
        // An application password would have to be typed for each, so such a value counts as another one.
        let guarded = fields.filter {
            !$0.item.access.requirements.isEmpty && !$0.item.access.requirements.contains(.applicationPassword)
        }
        let asks = mayAsk && !guarded.isEmpty && session.mayAsk(noPrompt: noPrompt)
        for group in [open, asks ? guarded : []] {
            for found in try reading.values(of: group) {
                values[Place(item: found.item.name, field: found.field)] = found.value
            }
        }
        return values
    }
}

extension ImportedItem {
    /// The names of fields were checked before.
    var fieldName: FieldName { field.flatMap { FieldName($0.name) } ?? .secret }

    /// Whether its time was over before the import. Zero is none.
    func isExpired(at now: Date) -> Bool { expires.map { $0 != 0 && Date(milliseconds: $0) <= now } ?? false }
}

extension ItemAttributes {
    /// What an entry says beside its value that this item lacks, as a clause; nil if it lacks nothing. Times and the state say
    /// nothing that is of use later.
    func lacking(of item: ImportedItem) -> String? {
        var lacking: [String] = []
        func differs(_ text: String, _ own: String?) -> Bool {
            !text.isEmpty && !text.utf8.elementsEqual((own ?? "").utf8)
        }
        if differs(item.label, label) { lacking.append("title") }
        if differs(item.comment, comment) { lacking.append("comment") }
        let unsaid: Set<String> = ["created", "changed", "state"]
        for (name, value) in item.attributes.sorted(by: { $0.key < $1.key }) where !unsaid.contains(name) {
            if differs(value, attributes[name]) { lacking.append(name) }
        }
        guard !lacking.isEmpty else { return nil }
        return "your vault does not have its \(lacking.joined(separator: ", "))"
    }
}
