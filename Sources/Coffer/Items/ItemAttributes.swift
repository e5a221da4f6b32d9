import FoundationEssentials

/// Everything about an item except its value. Looking at it never prompts, and works while the vault is locked.
public struct ItemAttributes: Sendable, Hashable {
    /// The item's identity. It stays the same when the item is renamed or gets another value.
    public let id: String
    public let name: ItemName
    /// A name for people.
    public let label: String?
    public let comment: String?
    /// Names and values to search for. At most 64, of 4 KiB each.
    public let attributes: [String: String]
    public let access: AccessControl
    public let created: Date
    /// When anything about the item last changed.
    public let modified: Date
    /// From then on the item is not given out.
    public let expires: Date?
    /// Counts the item's values, from 1.
    public let version: Int
    /// Names this state of the item. Any change of the item gives it another one, and a state that is gone never comes back.
    public let revision: String

    public init(
        id: String, name: ItemName, label: String? = nil, comment: String? = nil, attributes: [String: String] = [:],
        access: AccessControl = .whenUnlocked, created: Date, modified: Date, expires: Date? = nil, version: Int,
        revision: String
    ) {
        self.id = id
        self.name = name
        self.label = label
        self.comment = comment
        self.attributes = attributes
        self.access = access
        self.created = created
        self.modified = modified
        self.expires = expires
        self.version = version
        self.revision = revision
    }

    public var service: String { name.service }
    public var account: String { name.account }
}

/// An item with its value.
public struct Item: Sendable, Hashable {
    /// The secret: at most 1 MiB.
    public let value: [UInt8]
    public let attributes: ItemAttributes

    public init(value: [UInt8], attributes: ItemAttributes) {
        self.value = value
        self.attributes = attributes
    }
}

extension Item: CustomStringConvertible, CustomReflectable {
    /// Never shows the value.
    public var description: String { "\(attributes.name): [REDACTED]" }

    public var customMirror: Mirror { Mirror(self, children: ["attributes": attributes, "value": "[REDACTED]"]) }
}
