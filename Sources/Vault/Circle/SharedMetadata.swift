import Authorization
import Circle
import Item

/// What an item of the circle says of itself here.
extension SharedItem {
    /// - Parameters:
    ///   - fields: those that could be taken in.
    ///   - now: milliseconds since 1970-01-01 UTC.
    ///   - withheld: gets what is more than an item can have.
    func metadata(
        as name: ItemName, _ fields: [ItemField], over old: Metadata?, at now: UInt64,
        _ withheld: inout SharedItems.Withheld
    ) throws(VaultError) -> Metadata {
        func text(_ part: SharedPart, upTo most: Int) -> String? {
            guard case .text(let bytes)? = shown(part)?.content, bytes.count <= most else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        var attributes: [String: String] = [:]
        for part in parts {
            guard case .attribute(let bytes) = part else { continue }
            if attributes.count < ItemLimits.attributes,
                let value = text(part, upTo: ItemLimits.attribute - bytes.count)
            {
                attributes[String(decoding: bytes, as: UTF8.self)] = value
            }
        }
        let (label, comment) = (text(.label, upTo: ItemLimits.label), text(.comment, upTo: ItemLimits.comment))
        // What is more than an item can have stays in the circle.
        for part in parts {
            switch part {
            case .label where label == nil, .comment where comment == nil: break
            case .attribute(let bytes) where attributes[String(decoding: bytes, as: UTF8.self)] == nil: break
            default: continue
            }
            withheld[part] = try SharedItems.digest([])
        }
        var expires: UInt64?
        if case .expiry(let time)? = shown(.expiry)?.content { expires = time }
        let clocks = parts.compactMap { shown($0)?.stamp.clock }
        return try Metadata(
            service: name.service, account: name.account, kind: name.itemClass, label: label,
            comment: comment, attributes: attributes,
            created: old?.created ?? min(clocks.min() ?? now, now), modified: min(clocks.max() ?? now, now),
            valueSet: now, expires: expires
        ).with(fields)
    }
}

extension ItemName {
    /// What tells one name from another.
    var bytes: [UInt8] {
        LengthPrefixed.encode(Array(itemClass.rawValue.utf8), Array(service.utf8), Array(account.utf8))
    }
}

extension [ItemField] {
    /// `secret` first, as metadata has them.
    var inOrder: [ItemField] { filter { $0.name == .secret } + filter { $0.name != .secret } }
}

extension Metadata {
    /// What a text or an expiry is here; nil for nothing, and for the other parts.
    func content(of part: SharedPart) -> PartContent? {
        func text(_ text: String?) -> PartContent? { text.map { .text(Array($0.utf8)) } }
        return switch part {
        case .label: text(label)
        case .comment: text(comment)
        case .expiry: expires.map { .expiry($0) }
        case .attribute(let name): text(attributes[String(decoding: name, as: UTF8.self)])
        case .name, .access, .bin, .field: nil
        }
    }

    /// The same with other fields. What the circle says otherwise is withheld.
    func kept(
        against item: SharedItem, _ fields: [ItemField], _ withheld: inout SharedItems.Withheld
    ) throws(VaultError) -> Metadata {
        let attributes = attributes.keys.map { SharedPart.attribute(Array($0.utf8)) }
        let theirs = item.parts.filter { if case .attribute = $0 { true } else { false } }
        for part in [.label, .comment, .expiry] + attributes + theirs {
            let present = content(of: part)
            guard present != item.shown(part)?.content else { continue }
            withheld[part] = try SharedItems.digest(present?.bytes ?? [])
        }
        var kept = try with(fields)
        kept.deleted = nil
        return kept
    }

    /// Whether both say the same to people, whenever they were changed. It compares bytes, as all machines do.
    /// Otherwise each would take the other's spelling for an edit, for ever.
    func isSame(as other: Metadata) -> Bool {
        name == other.name && hasSameTexts(as: other) && deleted == other.deleted
            && fields.map(\.name) == other.fields.map(\.name) && fields.map(\.kind) == other.fields.map(\.kind)
    }

    private func hasSameTexts(as other: Metadata) -> Bool {
        let parts: [SharedPart] = [.label, .comment, .expiry]
        return parts.allSatisfy { content(of: $0) == other.content(of: $0) }
            && attributes.inBytes == other.attributes.inBytes
    }
}
