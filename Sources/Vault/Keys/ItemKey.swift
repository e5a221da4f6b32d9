import Authorization
import Cryptography
import Item

/// The key of one value of an item that asks nobody. With it, the item's value opens without its class key.
public struct ItemKey: Sendable {
    public let item: ItemID
    /// Whose class key opens the item: this key may not stay longer than that one.
    public let accessibility: AccessControl.Accessibility
    private let vault: VaultID
    private let revision: RevisionID
    let key: SecretBytes

    init(_ key: SecretBytes, of value: ItemValue, in vault: VaultID) {
        item = value.item.id
        accessibility = value.field.access.accessibility
        self.vault = vault
        revision = value.field.revision
        self.key = key
    }

    /// The size of its secret, in bytes.
    public static let count = AESGCM.keyCount

    /// Whether it is the key of just this value.
    func opens(_ value: ItemValue, in vault: VaultID) -> Bool {
        item == value.item.id && revision == value.field.revision
            && accessibility == value.field.access.accessibility && self.vault == vault
    }
}

/// Keeps the keys of items that ask nobody, beside the class keys that open them.
public protocol ItemKeyKeeper: Sendable {
    func itemKey(of item: ItemID) -> ItemKey?

    /// Keeps a key as long as its class key is there.
    func keep(_ key: ItemKey)
}

extension ItemValue {
    /// Whether the value's key may be kept. An expired item is opened by nothing that was kept before, because the keys
    /// of items that expire are never kept.
    var hasKeptKey: Bool { field.access.requirements.isEmpty && item.metadata.expires == nil }
}
