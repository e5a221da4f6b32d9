import Cryptography

/// An item to be stored.
public struct ItemDraft: Sendable {
    /// What to do if an item of this name exists, or does not.
    public enum Mode: Sendable {
        case replace
        case new
        case existing
    }

    public var service: String
    public var account: String
    public var value: SecretBytes
    public var access: AccessControl
    /// nil: an existing item keeps its label. Empty: no label. Comment and attributes work the same way.
    public var label: String?
    public var comment: String?
    public var attributes: [String: String]?
    /// Milliseconds since 1970-01-01 UTC. 0: never. nil: an existing item keeps its expiry.
    public var expires: UInt64?
    /// Given only with the constraint `applicationPassword`, otherwise nil.
    public var applicationPassword: StretchedPassword?

    public init(
        service: String, account: String, value: SecretBytes, access: AccessControl = .whenUnlocked,
        label: String? = nil,
        comment: String? = nil, attributes: [String: String]? = nil, expires: UInt64? = nil,
        applicationPassword: StretchedPassword? = nil
    ) {
        self.service = service
        self.account = account
        self.value = value
        self.access = access
        self.label = label
        self.comment = comment
        self.attributes = attributes
        self.expires = expires
        self.applicationPassword = applicationPassword
    }
}
