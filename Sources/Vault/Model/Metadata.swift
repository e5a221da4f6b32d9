import FoundationEssentials
import Item

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
    /// When the present value was set.
    public private(set) var valueSet: UInt64
    public var expires: UInt64?
    /// The digest of the fingers that the present value is bound to, in hexadecimal; nil if it is bound to no set of
    /// fingers.
    public var biometrySet: String?

    public init(
        service: String, account: String, kind: ItemKind = .genericPassword, label: String? = nil,
        comment: String? = nil,
        attributes: [String: String] = [:],
        created: UInt64, modified: UInt64, valueSet: UInt64, expires: UInt64? = nil, biometrySet: String? = nil
    ) {
        self.service = service
        self.account = account
        otherKind = kind == .genericPassword ? nil : kind
        self.label = label
        self.comment = comment
        self.attributes = attributes
        self.created = created
        self.modified = modified
        self.valueSet = valueSet
        self.expires = expires
        self.biometrySet = biometrySet
    }

    public var kind: ItemKind { otherKind ?? .genericPassword }

    private enum CodingKeys: String, CodingKey {
        case service, account, label, comment, attributes, created, modified, valueSet, expires, biometrySet
        case otherKind = "kind"
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

    /// The same with another value, which is bound to no fingers yet.
    func withNewValue(at now: UInt64) -> Metadata {
        var metadata = self
        metadata.modified = now
        metadata.valueSet = now
        metadata.biometrySet = nil
        return metadata
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
    @Sendable public static func now() -> UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }
}

extension SystemClock {
    /// The date for people, such as `2026-11-21`.
    static func date(_ milliseconds: UInt64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601.year().month().day())
    }
}
