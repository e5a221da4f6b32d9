/// What an application wants to store. ``StorageAdvice/store(for:size:)`` says where.
///
/// ```swift
/// let advice = StorageAdvice.store(for: .document, size: picture.count)
/// ```
public enum DataKind: String, Sendable, Hashable, CaseIterable {
    /// A login: tokens, user name and password, API key.
    case credentials
    /// Any other password, token, code or short secret text.
    case secret
    /// A private or symmetric key, or a certificate.
    case key
    /// A secret that ends by itself, such as a token for one upload.
    case temporarySecret
    /// What a person chose in the application, and no secret: a theme, a window's size.
    case setting
    /// What a person made, or what is about them: notes, pictures, health data.
    case document
    /// What the application needs to work, such as a model or an index.
    case support
    /// What was fetched or computed, and can be again.
    case cached
    /// Data for the time of the session, such as an export that is being sent.
    case temporary
    /// Many records that are searched and joined.
    case records
}

/// Where to store some data, and why.
///
/// ```swift
/// let advice = StorageAdvice.store(for: .document, size: picture.count)
/// print(advice.store, advice.reason)   // protectedFile …
/// ```
public struct StorageAdvice: Sendable, Hashable {
    /// The stores of Coffer, and the one that it does not have.
    public enum Store: String, Sendable, Hashable, CaseIterable {
        /// An item of the keychain. See ``Keychain`` and `CredentialSession`.
        case keychainItem
        /// `Settings`: plain text in a file of the user's.
        case settings
        /// A file of `ProtectedFiles`, under a key of its own that the vault has.
        case protectedFile
        /// `LRUCache`, `TTLCache` or `KeychainCache`.
        case cache
        /// A database that the application brings. Coffer keeps its key.
        case database
    }

    /// Where such data belongs.
    public let store: Store
    /// What to call, as code.
    public let use: String
    /// A sentence.
    public let reason: String
    /// The largest value that this is for, in bytes; nil: any.
    public let limit: Int?

    /// Where to store a value.
    /// - Parameter size: of one value, in bytes.
    public static func store(for kind: DataKind, size: Int = 0) -> StorageAdvice {
        let advice = all(for: kind)
        return advice.first { advice in advice.limit.map { size <= $0 } ?? true } ?? advice[advice.count - 1]
    }

    /// All advice for a kind of data, by size. The last one is for any size.
    public static func all(for kind: DataKind) -> [StorageAdvice] {
        switch kind {
        case .credentials:
            [item("CredentialSession", "Its parts are saved and removed together."), largeSecret]
        case .secret:
            [item("Keychain.set", "The vault gives it out by its access control, and logs each read."), largeSecret]
        case .key:
            [
                item(
                    "Keychain.items(ofClass: .key)", "Its class keeps it apart from a password of the same name."),
                largeSecret,
            ]
        case .temporarySecret:
            [
                item("Keychain.setTemporary", "It opens on this device only, and ends by itself."),
                file("directory: .temporary", "It is too large for an item."),
            ]
        case .setting:
            [
                StorageAdvice(
                    store: .settings, use: "Settings", reason: "It is no secret, and other tools may read it.",
                    limit: StorageLimits.setting),
                file("directory: .support", "It is too large for a setting."),
            ]
        case .document: [file("directory: .documents", "It is encrypted, and read in parts of bounded size.")]
        case .support:
            [file("directory: .support", "It stays when caches are emptied.")]
        case .cached:
            [
                StorageAdvice(
                    store: .cache, use: "TTLCache, KeychainCache",
                    reason: "It leaves memory on lock, or waits in the vault until it expires.",
                    limit: StorageLimits.item),
                file("directory: .caches", "It is too large for an item."),
            ]
        case .temporary: [file("directory: .temporary", "It ends with the session.")]
        case .records:
            [
                StorageAdvice(
                    store: .database, use: "Keychain.items(ofClass: .key)",
                    reason:
                        "No store of Coffer searches in values. Bring a database that encrypts; this keeps its key.",
                    limit: nil)
            ]
        }
    }

    private static let largeSecret = file(
        "directory: .support", "It is too large for an item. The file's key is an item, with the same access control.")

    private static func item(_ use: String, _ reason: String) -> StorageAdvice {
        StorageAdvice(store: .keychainItem, use: use, reason: reason, limit: StorageLimits.item)
    }

    private static func file(_ use: String, _ reason: String) -> StorageAdvice {
        StorageAdvice(store: .protectedFile, use: "ProtectedFiles, \(use)", reason: reason, limit: nil)
    }
}

/// The sizes that the stores take, in bytes.
///
/// ```swift
/// let fits = picture.count <= StorageLimits.item
/// ```
public enum StorageLimits {
    /// The value of an item: 1 MiB.
    public static let item = ItemLimits.value
    /// A setting, as JSON: 256 KiB.
    public static let setting = 256 << 10
}
