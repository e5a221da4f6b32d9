import CofferClient
import SystemBus

/// How the Secret Service's attributes, collection and content type are kept among the attributes of an item in the vault
/// (docs/secret-service.md).
enum StoredAttributes {
    /// Names that begin so are Coffer's own.
    static let prefix = "coffer:"
    /// The collection. An item without it was not made by a client of the Secret Service.
    static let collection = "coffer:collection"
    static let contentType = "coffer:content-type"
    /// Before the name of an attribute that the vault would not keep as it is. The value then begins with `=`.
    static let quoted = "coffer:attribute:"
    /// Which record of the provider's own an item is.
    static let record = "coffer:record"

    static let usualContentType = "text/plain"

    static func encode(_ attributes: [String: String], collection: String, contentType: String) -> [String: String] {
        var stored: [String: String] = [Self.collection: collection]
        for (name, value) in attributes {
            // The vault takes no empty value, and an empty name looks like none.
            if name.isEmpty || value.isEmpty || name.beginsWith(prefix) {
                stored[quoted + name] = "=" + value
            } else {
                stored[name] = value
            }
        }
        stored[Self.contentType] = encode(contentType: contentType)
        return stored
    }

    /// - Returns: nil for the usual one, which is not kept. The vault takes no empty text, so hyphens alone get one more.
    static func encode(contentType: String) -> String? {
        if contentType.utf8.elementsEqual(usualContentType.utf8) { return nil }
        return isHyphens(contentType) ? contentType + "-" : contentType
    }

    static func contentType(of item: ItemAttributes) -> String {
        guard let kept = item.attributes[contentType] else { return usualContentType }
        return isHyphens(kept) ? String(kept.dropLast()) : kept
    }

    private static func isHyphens(_ text: String) -> Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "-") } }

    /// How an item gets exactly these attributes, in steps that add and take away. Its content type stays.
    static func edit(
        _ item: ItemAttributes, to attributes: [String: String], collection: String
    ) -> [[String: String]] {
        // An empty value removes an attribute. One that no client sees stays.
        let removals = shown(item.attributes).filter { $0.key != contentType }.mapValues { _ in "" }
        let new = encode(attributes, collection: collection, contentType: usualContentType)
        // The vault takes a name that is the same letters in other bytes only after the present one is gone.
        let names = Set(new.keys.map { Array($0.utf8) })
        let rewritten = item.attributes.keys.filter { new[$0] != nil && !names.contains(Array($0.utf8)) }
        let last = removals.filter { new[$0.key] == nil }.merging(new) { $1 }
        return rewritten.isEmpty ? [last] : [Dictionary(uniqueKeysWithValues: rewritten.map { ($0, "") }), last]
    }

    /// The attributes that clients see. One with a character that D-Bus does not carry is left out, and not changed: a
    /// client may set all attributes as it has read them.
    static func shown(_ attributes: [String: String]) -> [String: String] {
        attributes.filter { BusText.carries($0.key) && BusText.carries($0.value) }
    }

    /// The attributes that somebody has given the item.
    static func own(_ item: ItemAttributes) -> [String: String] {
        var attributes: [String: String] = [:]
        for (name, value) in item.attributes {
            if name.beginsWith(quoted) {
                attributes[String(decoding: name.utf8.dropFirst(quoted.utf8.count), as: UTF8.self)] = String(
                    decoding: value.utf8.dropFirst(), as: UTF8.self)
            } else if !name.beginsWith(prefix) {
                attributes[name] = value
            }
        }
        return attributes
    }

    static func decode(_ item: ItemAttributes) -> [String: String] {
        var attributes = own(item)
        guard item.attributes[collection] == nil else { return attributes }
        // Made by another program of Coffer's: found by its name, as clients usually look for one.
        for (name, value) in [("service", item.service), ("account", item.account), ("username", item.account)]
        where attributes[name] == nil && !value.isEmpty {
            attributes[name] = value
        }
        return attributes
    }
}

extension String {
    /// Byte by byte. `hasPrefix` compares characters, and a combining one after the prefix belongs to the prefix's last character.
    func beginsWith(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}

extension ServiceItem {
    /// Whether no client of the Secret Service has made this item, and these attributes, which it has, are its own ones and its name.
    func isNamed(by attributes: [String: String]) -> Bool {
        guard let stored, stored.attributes[StoredAttributes.collection] == nil else { return false }
        let hasAccount = stored.account.isEmpty || attributes["account"] != nil || attributes["username"] != nil
        return attributes["service"] != nil && hasAccount
            && attributes.pairs.isSuperset(of: StoredAttributes.own(stored).pairs)
    }

    /// An item of the vault.
    /// - Parameter collections: the collections that there are. An item of another one is shown in the default one.
    /// - Returns: nil for an item that clients do not see: keys, certificates, and the provider's own records.
    init?(_ stored: ItemAttributes, collections: some Collection<String>) {
        switch stored.name.itemClass {
        case .genericPassword, .internetPassword: break
        case .key, .certificate, .file, .setting: return nil
        }
        guard stored.attributes[StoredAttributes.record] == nil else { return nil }
        let named = stored.attributes[StoredAttributes.collection] ?? CollectionInfo.defaultID
        self.init(
            id: Self.id(of: stored), collection: collections.contains(named) ? named : CollectionInfo.defaultID,
            label: BusText.shown(
                stored.label
                    ?? (stored.attributes[StoredAttributes.collection] == nil ? stored.name.description : "")),
            attributes: StoredAttributes.shown(StoredAttributes.decode(stored)), created: stored.times.created,
            modified: stored.times.modified, expires: stored.times.expires, place: .vault(stored))
    }

    /// The broker's id, which is a UUID, without what an object path cannot have.
    static func id(of stored: ItemAttributes) -> String {
        let id = String(stored.id.lowercased().filter { $0 != "-" })
        return ObjectPath.isWord(id) ? id : "x" + id.utf8.map { String($0, radix: 16) }.joined(separator: "_")
    }
}
