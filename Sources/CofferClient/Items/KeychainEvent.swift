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
    /// The vault has given something out to other machines or taken something in, or it shares its items with others than before.
    /// See ``Keychain/sharing()`` and ``Keychain/conflicts()``.
    case sharing
    /// The reader was too slow, and some events were dropped. Look at the items again.
    case missed
}
