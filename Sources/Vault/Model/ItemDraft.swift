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
    public var kind: ItemKind
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
        service: String, account: String, kind: ItemKind = .generic, value: SecretBytes,
        access: AccessControl = .whenUnlocked, label: String? = nil, comment: String? = nil,
        attributes: [String: String]? = nil, expires: UInt64? = nil,
        applicationPassword: StretchedPassword? = nil
    ) {
        self.service = service
        self.account = account
        self.kind = kind
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

/// An application password after scrypt: one part of a slot's key. Stretching takes some tenths of a second and 128
/// MiB, so it is done apart from reading and storing.
public struct StretchedPassword: Sendable {
    /// The salt of the one slot that the key is for.
    let salt: [UInt8]
    let key: SecretBytes

    /// The length of the stretched key in bytes.
    public static let keyCount = 32

    /// Stretches a password for storing an item, with a fresh salt. Blocks.
    ///
    /// - Throws: `.invalidArgument` for an empty password, `.limitExceeded` for one longer than
    ///   `Limits.applicationPassword`.
    public init(_ password: SecretBytes) throws(VaultError) {
        let salt: [UInt8]
        do throws(CryptographyError) { salt = try Random.bytes(Slot.saltCount) } catch { throw VaultError(error) }
        try self.init(password, salt: salt)
    }

    /// Stretches a password for reading an item. Blocks.
    ///
    /// - Parameter salt: the read plan's.
    /// - Throws: `.invalidArgument` for an empty password, `.limitExceeded` for one longer than
    ///   `Limits.applicationPassword`.
    public init(_ password: SecretBytes, salt: [UInt8]) throws(VaultError) {
        guard !password.isEmpty else { throw VaultError(.invalidArgument, "the application password is empty") }
        guard password.count <= Limits.applicationPassword else {
            throw VaultError(
                .limitExceeded,
                "the application password has \(password.count) bytes, but may have \(Limits.applicationPassword) at most"
            )
        }
        self.salt = salt
        do throws(CryptographyError) {
            key = try Scrypt.derive(password: password, salt: salt, cost: .standard, count: Self.keyCount)
        } catch { throw VaultError(error) }
    }
}
