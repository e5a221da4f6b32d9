/// One change of a vault. ``Keychain/apply(_:protection:)`` makes several of them, all or none.
public struct ItemChange: Sendable {
    /// What is done.
    public enum Action: Sendable {
        /// Stores a value. What the new item leaves out stays as it was.
        case set(NewItem)
        /// An absent item is fine, unless ``ItemChange/condition`` says otherwise.
        case delete
    }

    /// The item that is changed.
    public let name: ItemName
    /// What is done to it.
    public let action: Action
    /// What must be true of the item for the change to be made.
    public let condition: Condition
    /// Whether a deleted item goes into the vault's bin, if it has one. It can be had back from there for some days.
    package private(set) var goesIntoBin = false

    /// What must be true of an item for a change to be made.
    public enum Condition: Sendable, Hashable {
        /// Nothing: the change is made in any case.
        case none
        /// There is no such item. Otherwise the error is `.alreadyExists`.
        case isAbsent
        /// There is such an item. Otherwise the error is `.notFound`.
        case isPresent
        /// The item is still in the state that ``ItemAttributes/revision`` names. Otherwise the error is `.changedMeanwhile`.
        case isUnchanged(revision: String)

        /// The item is still as it was when these attributes were read.
        public static func isUnchanged(since attributes: ItemAttributes) -> Condition {
            .isUnchanged(revision: attributes.revision)
        }
    }

    /// One change of a list.
    /// ```swift
    /// let change = ItemChange(ItemName(service: "com.example.app", account: "token"), .delete)
    /// ```
    public init(_ name: ItemName, _ action: Action, if condition: Condition = .none) {
        self.name = name
        self.action = action
        self.condition = condition
    }

    /// Puts an item into the bin, because a person, not a program, has it removed. An absent item is fine.
    package static func putAside(_ name: ItemName, if condition: Condition = .none) -> ItemChange {
        var change = ItemChange(name, .delete, if: condition)
        change.goesIntoBin = true
        return change
    }
}

/// An item to store. What is nil stays as it is in an existing item, above all its access control.
public struct NewItem: Sendable {
    /// The secret: at most 1 MiB.
    public var value: [UInt8]
    /// The field that gets the value. An existing item keeps its other fields.
    public var field = FieldName.secret
    /// nil: an existing field keeps its kind. A new one is a secret; `otp` and `notes` are what they are called.
    /// The field ``FieldName/secret`` is always a secret, and this is ignored for it.
    public var fieldKind: FieldKind?
    /// nil: an existing item keeps its own, and a new one gets ``AccessControl/whenUnlocked``.
    public var access: AccessControl?
    /// Empty: no label.
    public var label: String?
    /// Empty: no comment.
    public var comment: String?
    /// Names and values to search for, instead of those that the item has. nil: they stay.
    public var attributes: [String: String]?
    /// When the item expires; applications have it as `expiry`. nil: that stays as it is.
    package var expires: ItemExpiry?
    /// The item's own password, exactly if it requires ``AccessControl/Requirement/applicationPassword``.
    public var applicationPassword: [UInt8]?
    /// In place of ``access``: only what changes about it.
    package var partialAccess: PartialAccess?

    /// A value and what else changes. What is nil stays as it was; a new item gets the defaults.
    /// ```swift
    /// let item = NewItem(value: Array("s3cret".utf8), access: .whenUnlocked.thisDeviceOnly)
    /// ```
    public init(
        value: [UInt8], access: AccessControl? = nil, label: String? = nil, comment: String? = nil,
        attributes: [String: String]? = nil, applicationPassword: [UInt8]? = nil
    ) {
        self.value = value
        self.access = access
        self.label = label
        self.comment = comment
        self.attributes = attributes
        self.applicationPassword = applicationPassword
    }
}

/// Changes of an item without its value. What is nil stays as it is.
public struct ItemEdit: Sendable {
    /// Tightening or loosening prompts as reading the item does.
    public var access: AccessControl?
    /// Empty: no label.
    public var label: String?
    /// Empty: no comment.
    public var comment: String?
    /// An empty value removes that attribute. Attributes that are not named stay.
    public var attributes: [String: String]?
    /// When the item expires; applications have it as `expiry`. nil: that stays as it is.
    package var expires: ItemExpiry?
    /// Fields to remove. Not together with ``access``.
    public var removedFields: [FieldName] = []
    /// The item's own password from now on; nil if it stays the same.
    package var newApplicationPassword: [UInt8]?

    /// Changes of an item that keep its value. What is nil stays.
    /// ```swift
    /// let edit = ItemEdit(label: "Production")
    /// ```
    public init(
        access: AccessControl? = nil, label: String? = nil, comment: String? = nil,
        attributes: [String: String]? = nil
    ) {
        self.access = access
        self.label = label
        self.comment = comment
        self.attributes = attributes
    }
}

/// What one change did.
///
/// ```swift
/// let outcomes = try await keychain.apply(changes)
/// let replaced = outcomes.filter { $0.existedBefore }.count
/// ```
public struct ChangeOutcome: Sendable, Hashable {
    /// After a `set`: the number of the item's value. Otherwise nil.
    public let version: Int?
    /// After a `set`: names the item's state, as ``ItemAttributes/revision`` does. Otherwise nil.
    public let revision: String?
    /// Whether an item of this name was there before.
    public let existedBefore: Bool

    /// For backends. Applications get outcomes from ``Keychain/apply(_:protection:)``.
    public init(version: Int? = nil, revision: String? = nil, existedBefore: Bool) {
        self.version = version
        self.revision = revision
        self.existedBefore = existedBefore
    }
}

/// When changes are protected against somebody who puts an older copy of the vault's file back.
///
/// ```swift
/// try await keychain.delete("thumbnail-42", protection: .later)
/// ```
public enum RollbackProtection: Sendable, Hashable {
    /// At once, or within 20 seconds if many deletions came before.
    case soon
    /// Within some minutes, as everything that is only written. The call then never waits for the TPM. It is for what an attacker gains nothing by, such as
    /// caches.
    case later
}
