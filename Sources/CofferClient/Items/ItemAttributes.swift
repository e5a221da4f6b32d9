// What an item is has a module of its own, which every layer shares. Applications import this one.
@_exported import Item

/// Everything about an item except its value. Looking at it never prompts, and works while the vault is locked.
///
/// ```swift
/// let token = try await keychain.attributes(of: "token")
/// print(token.modified, token.access)
/// ```
public struct ItemAttributes: Sendable, Hashable {
    /// The item's identity. It stays the same when the item is renamed or gets another value.
    public let id: String
    /// The item's class, service and account.
    public let name: ItemName
    /// A name for people.
    public let label: String?
    /// A remark for people. At most 4 KiB in UTF-8.
    public let comment: String?
    /// Names and values to search for. At most 64, of 4 KiB each.
    public let attributes: [String: String]
    /// What reading the value takes.
    public let access: AccessControl
    /// Applications have them as dates.
    package let times: ItemTimes
    /// Counts the item's values, from 1.
    public let version: Int
    /// Names this state of the item. Any change of the item gives it another one, and a state that is gone never comes back.
    public let revision: String
    /// The enrolled fingers that the value is bound to; nil if it is bound to none.
    package internal(set) var biometrySet: String?
    /// The item's fields. ``FieldName/secret`` comes first, if the item has it.
    public let fields: [Field]
    /// When the item was put into the bin; nil for one that is not there. Applications never see those.
    package internal(set) var deleted: Moment?

    package init(
        id: String, name: ItemName, label: String? = nil, comment: String? = nil, attributes: [String: String] = [:],
        access: AccessControl = .whenUnlocked, times: ItemTimes, version: Int, revision: String,
        fields: [Field]? = nil
    ) {
        self.id = id
        self.name = name
        self.label = label
        self.comment = comment
        self.attributes = attributes
        self.access = access
        self.times = times
        self.version = version
        self.revision = revision
        self.fields = fields ?? [Field(.secret, .secret, setAt: times.modified)]
    }

    /// The service of ``name``.
    public var service: String { name.service }
    /// The account of ``name``.
    public var account: String { name.account }
}

/// An item with its value.
///
/// ```swift
/// let item = try await keychain.item(for: "token", reason: "Show your token")
/// print(item.value.count, item.attributes.modified)
/// ```
public struct Item: Sendable, Hashable {
    /// The secret: at most 1 MiB.
    public let value: [UInt8]
    /// Everything else about the item.
    public let attributes: ItemAttributes

    /// For backends. Applications get items from ``Keychain/item(for:reason:applicationPassword:)``.
    public init(value: [UInt8], attributes: ItemAttributes) {
        self.value = value
        self.attributes = attributes
    }
}

extension Item: CustomStringConvertible, CustomReflectable {
    /// Never shows the value.
    public var description: String { "\(attributes.name): [REDACTED]" }

    /// Never shows the value.
    public var customMirror: Mirror { Mirror(self, children: ["attributes": attributes, "value": "[REDACTED]"]) }
}

/// The name of ``ItemKind`` that follows Apple's `kSecClass`.
///
/// ```swift
/// for itemClass in ItemClass.allCases { print(itemClass.rawValue) }
/// ```
public typealias ItemClass = ItemKind

/// A value that an item had before, without the value itself. See ``Keychain/history(of:)``.
///
/// ```swift
/// if let former = try await keychain.history(of: "token").first {
///     try await keychain.restore("token", version: former.version)
/// }
/// ```
public struct ItemVersion: Sendable, Hashable {
    /// The number to restore it by.
    public let version: Int
    /// When the value was set. Applications have this and the next one as dates.
    package let setAt: Moment
    /// When the value is dropped.
    package let droppedAt: Moment
    /// What reading the value takes: the item's access control of that time.
    public let access: AccessControl
    /// The field that had it.
    public let field: FieldName

    package init(
        version: Int, setAt: Moment, droppedAt: Moment, access: AccessControl, field: FieldName = .secret
    ) {
        self.field = field
        self.version = version
        self.setAt = setAt
        self.droppedAt = droppedAt
        self.access = access
    }
}
