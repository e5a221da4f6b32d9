/// Something that happened to a vault. ``Keychain/changes()`` gives them in their order.
public enum KeychainEvent: Sendable, Hashable {
    case added(ItemAttributes)
    case updated(ItemAttributes)
    /// The item is gone. The attributes are the last that it had.
    case deleted(ItemAttributes)
    case locked
    case unlocked
    /// The reader was too slow, and some events were dropped. Look at the items again.
    case missed
}
