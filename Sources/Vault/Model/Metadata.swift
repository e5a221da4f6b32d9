import Item
import Platform

/// Everything about an item except its value and its access control. It is sealed under the device root, so it is
/// readable while the vault is locked. Times are milliseconds since 1970-01-01 UTC.
public struct Metadata: Codable, Sendable, Hashable {
    public private(set) var service: String
    public private(set) var account: String
    /// nil for a generic item, so that its metadata is what it was before there were kinds.
    private let otherKind: ItemKind?
    public var label: String?
    public var comment: String?
    public var attributes: [String: String]
    public let created: UInt64
    /// When anything about the item last changed.
    public var modified: UInt64
    /// When the value of the field `secret` was set; nil if the item has none.
    fileprivate(set) var secretSet: UInt64?
    public var expires: UInt64?
    /// The digest of the fingers that the field `secret` is bound to, in hexadecimal; nil if it is bound to no set of
    /// fingers.
    public private(set) var biometrySet: String?
    /// The fields beside `secret`, in the order in which they were added; nil for none.
    fileprivate(set) var otherFields: [ItemField]?
    /// When the item was put into the bin; nil for one that is not there.
    public internal(set) var deleted: UInt64?

    public init(
        service: String, account: String, kind: ItemKind = .genericPassword, label: String? = nil,
        comment: String? = nil,
        attributes: [String: String] = [:],
        created: UInt64, modified: UInt64, valueSet: UInt64, expires: UInt64? = nil, biometrySet: String? = nil,
        deleted: UInt64? = nil
    ) {
        self.init(
            service: service, account: account, kind: kind, label: label, comment: comment, attributes: attributes,
            created: created, modified: modified, secretSet: valueSet, expires: expires, biometrySet: biometrySet,
            otherFields: nil, deleted: deleted)
    }

    init(
        service: String, account: String, kind: ItemKind, label: String? = nil, comment: String? = nil,
        attributes: [String: String], created: UInt64, modified: UInt64, secretSet: UInt64?, expires: UInt64?,
        biometrySet: String? = nil, otherFields: [ItemField]?, deleted: UInt64? = nil
    ) {
        self.service = service
        self.account = account
        otherKind = kind == .genericPassword ? nil : kind
        self.label = label
        self.comment = comment
        self.attributes = attributes
        self.created = created
        self.modified = modified
        self.secretSet = secretSet
        self.expires = expires
        self.biometrySet = biometrySet
        self.otherFields = otherFields
        self.deleted = deleted
    }

    public var kind: ItemKind { otherKind ?? .genericPassword }

    private enum CodingKeys: String, CodingKey {
        case service, account, label, comment, attributes, created, modified, expires, biometrySet, deleted
        case otherKind = "kind"
        case secretSet = "valueSet"
        case otherFields = "fields"
    }

    public func isExpired(at now: UInt64) -> Bool { expires.map { $0 <= now } ?? false }

    /// The same under another name.
    func renamed(_ service: String, _ account: String, at now: UInt64) -> Metadata {
        var metadata = self
        metadata.service = service
        metadata.account = account
        metadata.modified = now
        return metadata
    }

}

/// The item's fields.
extension Metadata {
    /// All fields. `secret` comes first, if there is one.
    package var fields: [ItemField] {
        let secret = secretSet.map { ItemField(.secret, .secret, set: $0, biometrySet: biometrySet) }
        return (secret.map { [$0] } ?? []) + (otherFields ?? [])
    }

    package func field(_ name: FieldName) -> ItemField? { fields.first { $0.name == name } }

    /// When the present value of `secret` was set; without one, the last of the other fields.
    public var valueSet: UInt64 { secretSet ?? otherFields?.map(\.set).max() ?? created }

    /// The fingers that any field is bound to.
    package var biometrySets: Set<String> { Set(fields.compactMap(\.biometrySet)) }

    /// The same with these fields.
    ///
    /// - Throws: `.limitExceeded` for too many, `.invalidArgument` for none.
    func with(_ fields: [ItemField]) throws(VaultError) -> Metadata {
        guard !fields.isEmpty else {
            throw VaultError(
                .invalidArgument, "an item has at least one field", advice: "delete the item with: coffer rm")
        }
        guard fields.count <= ItemLimits.fields else {
            throw VaultError(.limitExceeded, "an item has \(ItemLimits.fields) fields at most")
        }
        var metadata = self
        let secret = fields.first { $0.name == .secret }
        metadata.secretSet = secret?.set
        metadata.biometrySet = secret?.biometrySet
        let others = fields.filter { $0.name != .secret }
        metadata.otherFields = others.isEmpty ? nil : others
        return metadata
    }

    /// The same with this field, in its place if there is one of its name.
    func putting(_ field: ItemField) throws(VaultError) -> Metadata {
        guard self.field(field.name) != nil else { return try with(fields + [field]) }
        return try with(fields.map { $0.name == field.name ? field : $0 })
    }

    /// - Throws: `.damaged` for what no item has.
    func checkFields() throws(VaultError) {
        // Nearly all items have a secret alone, and a list checks each of them.
        if otherFields == nil, secretSet != nil { return }
        let names = fields.map(\.name)
        guard (1...ItemLimits.fields).contains(names.count), Set(names).count == names.count,
            otherFields.map({ !$0.isEmpty }) ?? true, secretSet != nil || biometrySet == nil
        else { throw .damaged("an item has impossible fields") }
    }
}

/// An item as its owners may see it, without its value.
public struct ItemSummary: Sendable, Hashable {
    public let id: ItemID
    /// Counts the item's values, from 1.
    public let version: UInt64
    public let metadata: Metadata
    public let access: AccessControl
    public let revision: ItemRevision

    /// Whether the item is in the bin.
    var isDeleted: Bool { metadata.deleted != nil }

    /// Whether the item is still as a caller has looked at it: it has that value, and is in the bin or not.
    func isStill(_ other: ItemSummary) -> Bool { version == other.version && isDeleted == other.isDeleted }

    /// Whether both are the same item with the same content. Their revisions differ if they are in two vaults.
    func isSame(as other: ItemSummary) -> Bool {
        id == other.id && version == other.version && metadata == other.metadata && access == other.access
    }
}

/// Changes to an item's metadata. nil leaves a member as it is.
public struct MetadataChanges: Sendable, Hashable {
    /// Empty: the item gets no label.
    public var label: String?
    /// Empty: the item gets no comment.
    public var comment: String?
    /// An empty value removes that attribute. Attributes not named here stay.
    public var attributes: [String: String]
    /// Milliseconds since 1970-01-01 UTC. 0: never.
    public var expires: UInt64?

    public init(
        label: String? = nil, comment: String? = nil, attributes: [String: String] = [:], expires: UInt64? = nil
    ) {
        self.label = label
        self.comment = comment
        self.attributes = attributes
        self.expires = expires
    }

    /// - Throws: `.invalidArgument` if the item has an attribute of the same name in another Unicode spelling.
    func apply(to metadata: inout Metadata) throws(VaultError) {
        applyTexts(to: &metadata)
        for (name, value) in attributes {
            // Swift treats canonically equivalent strings as equal, but the index finds only the same bytes.
            if let present = metadata.attributes.index(forKey: name) {
                let known = metadata.attributes[present].key
                guard known.utf8.elementsEqual(name.utf8) else {
                    throw VaultError(
                        .invalidArgument,
                        "the item has this attribute in another Unicode spelling", advice: "use the item's spelling")
                }
            }
            metadata.attributes[name] = value.isEmpty ? nil : value
        }
    }

    /// Changes all but the attributes. A new value and an edit treat those differently.
    func applyTexts(to metadata: inout Metadata) {
        if let label { metadata.label = label.isEmpty ? nil : label }
        if let comment { metadata.comment = comment.isEmpty ? nil : comment }
        if let expires { metadata.expires = expires == 0 ? nil : expires }
    }
}

extension Metadata {
    /// The length of all names and attributes, in bytes.
    var textCount: Int {
        let texts = [service, account, label ?? "", comment ?? ""]
        return texts.reduce(0) { $0 + $1.utf8.count }
            + attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 32 }
    }
}

/// The time of day.
public enum SystemClock {
    /// Milliseconds since 1970-01-01 UTC.
    @Sendable public static func now() -> UInt64 { UInt64(max(0, WallTime.milliseconds)) }
}

extension SystemClock {
    /// The date for people, such as `2026-11-21`.
    static func date(_ milliseconds: UInt64) -> String {
        CivilCalendar.utc.fields(of: Int64(milliseconds / 1000))?.dayText ?? ""
    }
}
