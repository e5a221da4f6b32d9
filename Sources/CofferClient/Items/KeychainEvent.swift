/// Something that happened to a vault. ``Keychain/changes()`` gives them in their order.
///
/// ```swift
/// for try await event in try await keychain.changes() {
///     if case .updated(let item) = event { print(item.account) }
/// }
/// ```
public enum KeychainEvent: Sendable, Hashable {
    /// There is a new item.
    case added(ItemAttributes)
    /// An item has another value, name, label, access control or expiry.
    case updated(ItemAttributes)
    /// The item is gone. The attributes are the last that it had.
    case deleted(ItemAttributes)
    /// The vault was locked.
    case locked
    /// The vault was unlocked.
    case unlocked
    /// The reader was too slow, and some events were dropped. Look at the items again.
    case missed
}
