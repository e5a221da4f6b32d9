/// What kind of thing an item is. Items of different kinds never collide, even with the same service and account.
/// The names follow `kSecClass` of Apple's Security framework. The raw values are those of the wire and of the vault's
/// file.
///
/// ```swift
/// let keys = keychain.items(ofClass: .key)
/// ```
public enum ItemKind: String, Codable, Sendable, Hashable, CaseIterable {
    /// A password, token or other secret of a service.
    case genericPassword = "generic"
    /// A password for a server on the network. See `InternetServer`.
    case internetPassword = "internet"
    /// A private or symmetric key.
    case key
    /// A certificate.
    case certificate
    /// The key of a protected file.
    case file
    /// A setting that all machines of a circle share (`SyncedSettings`). It is no secret: its access control is always
    /// ``AccessControl/afterFirstUnlock``, and only a search that names this class finds it.
    case setting
}

extension ItemKind {
    /// What a search finds that names no kind: all but settings.
    package static let foundUnnamed = allCases.filter { $0 != .setting }

    /// Whether a search finds items of this kind.
    ///
    /// - Parameter wanted: nil if it names no kind.
    package func isFound(by wanted: ItemKind?) -> Bool { wanted.map { $0 == self } ?? (self != .setting) }
}
