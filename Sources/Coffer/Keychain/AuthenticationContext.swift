import FoundationEssentials

/// Several items that were read with one prompt. See ``Keychain/authenticate(for:reason:)``.
///
/// ```swift
/// let context = try await keychain.authenticate(for: ["user", "password"], reason: "Sign in")
/// let password = try context.string(for: "password")
/// ```
public struct AuthenticationContext: Sendable {
    private let keychain: Keychain
    private let items: [ItemName: Item]

    init(keychain: Keychain, items: [Item]) {
        self.keychain = keychain
        self.items = Dictionary(items.map { ($0.attributes.name, $0) }) { first, _ in first }
    }

    /// The accounts that the person was asked for, sorted.
    public var accounts: [String] { items.keys.map(\.account).sorted() }

    /// An item of the context.
    /// - Throws: `.notFound` for an account that the prompt did not name.
    public func item(for account: String) throws(KeychainError) -> Item {
        let name = keychain.name(account)
        guard let item = items[name] else {
            throw KeychainError(
                .notFound, "\(name) is not among the items that were asked for",
                advice: "name it in the call of authenticate")
        }
        return item
    }

    /// - Throws: as ``item(for:)``.
    public func bytes(for account: String) throws(KeychainError) -> [UInt8] { try item(for: account).value }

    /// - Throws: `.notText` if the value is not UTF-8, and as ``item(for:)``.
    public func string(for account: String) throws(KeychainError) -> String {
        let item = try item(for: account)
        return try ItemCoding.string(item.value, item.attributes.name)
    }

    /// - Throws: `.notDecodable` if the value is another type's, and as ``item(for:)``.
    public func value<Value: Decodable>(_ type: Value.Type, for account: String) throws(KeychainError) -> Value {
        let item = try item(for: account)
        return try ItemCoding.decode(type, item.value, item.attributes.name)
    }
}
