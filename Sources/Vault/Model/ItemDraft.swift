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

extension Limits {
    static func check(_ draft: ItemDraft) throws(VaultError) {
        guard draft.value.count <= value else {
            throw VaultError(
                .limitExceeded, "the value has \(draft.value.count) bytes, but an item holds \(value) (1 MiB) at most")
        }
        try check(service: draft.service, account: draft.account)
        try check(label: draft.label, comment: draft.comment, attributes: draft.attributes ?? [:])
    }

    static func check(service: String, account: String) throws(VaultError) {
        guard !service.isEmpty else { throw VaultError(.invalidArgument, "the service is empty", advice: "name one") }
        try check("service", service, name)
        try check("account", account, name)
    }

    static func check(_ metadata: Metadata) throws(VaultError) {
        try check(label: metadata.label, comment: metadata.comment, attributes: metadata.attributes)
    }

    private static func check(label: String?, comment: String?, attributes: [String: String]) throws(VaultError) {
        try check("label", label ?? "", self.label)
        try check("comment", comment ?? "", self.comment)
        guard attributes.count <= self.attributes else {
            throw VaultError(
                .limitExceeded, "there are \(attributes.count) attributes, but an item has \(self.attributes) at most")
        }
        for (name, value) in attributes {
            guard !name.isEmpty else { throw VaultError(.invalidArgument, "an attribute has no name") }
            guard name.utf8.count + value.utf8.count <= attribute else {
                throw VaultError(
                    .limitExceeded, "an attribute is too long: name and value have \(attribute) bytes at most")
            }
        }
    }

    private static func check(_ what: String, _ text: String, _ limit: Int) throws(VaultError) {
        guard text.utf8.count <= limit else {
            throw VaultError(.limitExceeded, "the \(what) has \(text.utf8.count) bytes, but may have \(limit) at most")
        }
    }
}
