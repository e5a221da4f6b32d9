import Authorization
import Cryptography
import Item

/// The key of one version of an item that asks nobody. With it, the item's value opens without its class key.
public struct ItemKey: Sendable {
    public let item: ItemID
    /// Whose class key opens the item: this key may not stay longer than that one.
    public let accessibility: AccessControl.Accessibility
    private let vault: VaultID
    private let version: UInt64
    let key: SecretBytes

    init(_ key: SecretBytes, of item: StoredItem, in vault: VaultID) {
        self.item = item.summary.id
        accessibility = item.record.access.accessibility
        self.vault = vault
        version = item.record.version
        self.key = key
    }

    /// The size of its secret, in bytes.
    public static let count = AESGCM.keyCount

    /// Whether it is the key of just this version.
    func opens(_ item: StoredItem, in vault: VaultID) -> Bool {
        self.item == item.summary.id && version == item.record.version
            && accessibility == item.record.access.accessibility && self.vault == vault
    }
}

/// Keeps the keys of items that ask nobody, beside the class keys that open them.
public protocol ItemKeyKeeper: Sendable {
    func itemKey(of item: ItemID) -> ItemKey?

    /// Keeps a key as long as its class key is there.
    func keep(_ key: ItemKey)
}

extension StoredItem {
    /// Whether the item's key may be kept. An expired item is opened by nothing that was kept before, because the keys
    /// of items that expire are never kept.
    var hasKeptKey: Bool { record.access.requirements.isEmpty && summary.metadata.expires == nil }
}
