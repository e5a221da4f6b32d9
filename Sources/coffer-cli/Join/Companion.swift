import Coffer
import FoundationEssentials
import HelperProtocol

/// An item that holds what can be a field of another one: `me:otp` beside `me`. Imports made such items before there were fields.
struct Companion {
    let item: ItemAttributes
    /// The item that it belongs to.
    let target: ItemAttributes
    /// The field that its value becomes.
    let field: FieldName

    /// What importers called them. Their user name may be empty.
    private static let usual: Set<String> = ["otp", "notes", "seed", "pin", "url", "urls"]
    /// Attributes that say when an entry was made or put away, and not what it is.
    private static let passing: Set<String> = ["created", "changed", "state"]

    /// The companions among these items, in their order. Other kinds have none, because no importer made any.
    static func all(of items: [ItemAttributes]) -> [Companion] {
        let items = items.filter { $0.kind == .genericPassword }
        let names = Dictionary(items.map { ($0.name, $0) }) { first, _ in first }
        return items.compactMap { item in
            guard !item.hasNamedFields else { return nil }
            for (account, rest) in splits(of: item.account) {
                guard let field = FieldName(rest), field != .secret,
                    let target = names[ItemName(service: item.service, account: account)]
                else { continue }
                let found = Companion(item: item, target: target, field: field)
                // Every account would be a field of the one without a name.
                return account.isEmpty && !found.isUsual ? nil : found
            }
            return nil
        }
    }

    /// The shortest account comes first, because fields may have colons in their names, as `me:SECTION:NAME`.
    private static func splits(of account: String) -> [(account: String, field: String)] {
        let scalars = account.unicodeScalars
        let colons = scalars.indices.filter { scalars[$0] == ":" && $0 > scalars.startIndex }
        return colons.prefix(TextLimits.colons).map {
            (String(scalars[..<$0]), String(scalars[scalars.index(after: $0)...]))
        } + [("", account)]
    }

    /// Whether it is hardly anything else: it has a name that importers gave, or what one entry of a file said about both.
    var isEvident: Bool {
        if isUsual { return true }
        let described = Self.description(of: item)
        return !described.isEmpty && described == Self.description(of: target) && item.label == target.label
    }

    /// Whether it has a name that importers gave.
    var isUsual: Bool {
        let base = field.text.prefix { $0 != "#" }
        return Self.usual.contains(String(base)) || base.hasPrefix("url") && Int(base.dropFirst(3)) != nil
    }

    private static func description(of item: ItemAttributes) -> [String: String] {
        item.attributes.filter { !passing.contains($0.key) }
    }

    /// What a field cannot have, so that it stays with the companion: `its comment`.
    var leftBehind: [String] {
        var parts: [String] = []
        if let label = item.label, label != target.label { parts.append("label") }
        if let comment = item.comment, comment != target.comment { parts.append("comment") }
        parts += item.attributes.sorted { $0.key < $1.key }
            .filter { !Self.passing.contains($0.key) && target.attributes[$0.key] != $0.value }
            .map { "attribute \(VisibleText.quoted($0.key))" }
        return parts
    }

    /// Why it cannot be joined, as a clause; nil if nothing that can be seen speaks against it.
    /// - Parameter target: the item that it belongs to, as it is by now.
    func obstacle(_ target: ItemAttributes) -> String? {
        // A date of its own would be lost with the item, or would end the login.
        guard item.expires == target.expires else {
            return "it expires at another time than \(target.shownName); give both the same with: coffer edit --expires"
        }
        if let obstacle = FoldedAccess.obstacle(item, target) { return obstacle }
        let most = (FoldedAccess.stricter(item.access, target.access) ?? target.access).mostFields
        guard target.field(field) != nil || target.fields.count < most else {
            return "\(target.shownName) has \(target.fields.count) fields, and no room for another"
        }
        return nil
    }

    /// The kind of a field with this value. What `coffer otp` can use is a seed. The name does not matter for that.
    static func kind(of value: [UInt8], for field: FieldName) -> FieldKind {
        // `try?`: every other value is no seed.
        if (try? OneTimeSeed(stored: value)) != nil { return .otp }
        guard let text = String(validating: value, as: UTF8.self) else { return .file }
        return field == .notes || text.contains(where: \.isNewline) ? .text : .secret
    }
}
