import Cryptography

/// The limits of one item, in bytes of UTF-8 (docs/vault-format.md).
public enum Limits {
    public static let value = 1 << 20
    /// The limit of the service and of the account. The service needs at least one byte.
    public static let name = 1 << 10
    public static let label = 1 << 10
    public static let applicationPassword = 1 << 10
    /// The limit of one group of a recovery code, in any spelling.
    public static let recoveryCodePart = 64
    public static let comment = 4 << 10
    public static let attributes = 64
    /// The limit of an attribute's name and value together. The name needs at least one byte.
    public static let attribute = 4 << 10
    /// The limit of the reason that a program gives for reading.
    public static let reason = 512

    static func check(_ draft: ItemDraft) throws(VaultError) {
        guard draft.value.count <= value else {
            throw VaultError(
                .limitExceeded, "the value has \(draft.value.count) bytes; an item holds \(value) (1 MiB) at most")
        }
        try check(service: draft.service, account: draft.account)
        try check(label: draft.label, comment: draft.comment, attributes: draft.attributes ?? [:])
    }

    static func check(service: String, account: String) throws(VaultError) {
        guard !service.isEmpty else { throw VaultError(.invalidArgument, "the service is empty: name one") }
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
                .limitExceeded, "there are \(attributes.count) attributes; an item has \(self.attributes) at most")
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
            throw VaultError(.limitExceeded, "the \(what) has \(text.utf8.count) bytes; it has \(limit) at most")
        }
    }
}
