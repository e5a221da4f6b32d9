/// The name of an item in a vault: its kind, service and account. No two items of a vault have the same name.
///
/// Service and account have at most 1 KiB each, in UTF-8. The service is not empty.
public struct ItemName: Sendable, Hashable {
    /// The application or the place that the item belongs to.
    public let service: String
    /// Tells the items of a service apart. It may be empty.
    public let account: String
    /// Generic passwords, internet passwords, keys and certificates have names of their own.
    public let itemClass: ItemKind

    /// A name. The broker checks its lengths.
    /// ```swift
    /// let name = ItemName(service: "com.example.app", account: "token")
    /// ```
    public init(service: String, account: String, itemClass: ItemKind = .genericPassword) {
        self.service = service
        self.account = account
        self.itemClass = itemClass
    }

    /// Compares bytes, because two different names can be equal in Unicode.
    public static func == (one: ItemName, other: ItemName) -> Bool {
        one.itemClass == other.itemClass && one.service.utf8.elementsEqual(other.service.utf8)
            && one.account.utf8.elementsEqual(other.account.utf8)
    }

    /// Hashes what `==` compares: the kind and the bytes of both texts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(itemClass)
        for text in [service, account] {
            for byte in text.utf8 { hasher.combine(byte) }
            hasher.combine(UInt8.max)
        }
    }
}

extension ItemName: CustomStringConvertible {
    /// The name as sentences show it: `github/me`.
    public var description: String { VisibleText.name(service: service, account: account) }
}
