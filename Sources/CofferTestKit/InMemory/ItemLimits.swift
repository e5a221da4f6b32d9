import Coffer

/// The limits of the broker's vaults (docs/broker-protocol.md, "Limits"). Sizes are in bytes of UTF-8.
enum ItemLimits {
    static let value = 1 << 20
    /// The service and the account, each.
    static let name = 1 << 10
    static let label = 1 << 10
    static let comment = 4 << 10
    static let attributes = 64
    /// An attribute's name and value together.
    static let attribute = 4 << 10
    static let applicationPassword = 1 << 10
    static let reason = 512
    /// The items of one vault.
    static let items = 10_000
    /// The changes of one call.
    static let changes = 128
    /// The items that one call reads.
    static let reads = 32
    /// The former values of one item.
    static let formerValues = 3
    /// How long a former value is kept, in milliseconds.
    static let formerTime: Int64 = 30 * 86_400_000
    /// The events that wait for one reader.
    static let events = 256

    static func check(_ name: ItemName) throws(KeychainError) {
        guard !name.service.isEmpty else {
            throw KeychainError(.invalidArgument, "the service is empty", advice: "name one")
        }
        try check("service", name.service, Self.name)
        try check("account", name.account, Self.name)
    }

    static func check(label: String?, comment: String?, attributes: [String: String]) throws(KeychainError) {
        try check("label", label ?? "", Self.label)
        try check("comment", comment ?? "", Self.comment)
        guard attributes.count <= Self.attributes else {
            throw KeychainError(
                .limitExceeded, "there are \(attributes.count) attributes, but an item has \(Self.attributes) at most")
        }
        for (name, value) in attributes {
            guard !name.isEmpty else { throw KeychainError(.invalidArgument, "an attribute has no name") }
            guard name.utf8.count + value.utf8.count <= attribute else {
                throw KeychainError(
                    .limitExceeded, "an attribute is too long: name and value have \(attribute) bytes at most")
            }
        }
    }

    static func check(value: [UInt8]) throws(KeychainError) {
        guard value.count <= Self.value else {
            throw KeychainError(
                .limitExceeded, "the value has \(value.count) bytes, but an item holds \(Self.value) (1 MiB) at most")
        }
    }

    static func check(applicationPassword password: [UInt8]) throws(KeychainError) {
        guard !password.isEmpty else { throw KeychainError(.invalidArgument, "the application password is empty") }
        guard password.count <= applicationPassword else {
            throw KeychainError(
                .limitExceeded,
                "the application password has \(password.count) bytes, but may have \(applicationPassword) at most")
        }
    }

    static func check(version: Int) throws(KeychainError) {
        guard version > 0 else { throw KeychainError(.invalidArgument, "an item's versions count from 1") }
    }

    static func check(reason: String?) throws(KeychainError) {
        guard (reason?.utf8.count ?? 0) <= Self.reason else {
            throw KeychainError(.invalidArgument, "a reason may have at most \(Self.reason) bytes")
        }
    }

    private static func check(_ what: String, _ text: String, _ limit: Int) throws(KeychainError) {
        guard text.utf8.count <= limit else {
            throw KeychainError(
                .limitExceeded, "the \(what) has \(text.utf8.count) bytes, but may have \(limit) at most")
        }
    }
}
