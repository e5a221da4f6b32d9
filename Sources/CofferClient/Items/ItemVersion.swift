/// A value that an item had before, without the value itself. See ``Keychain/history(of:)``.
///
/// ```swift
/// if let former = try await keychain.history(of: "token").first {
///     try await keychain.restore("token", version: former.version)
/// }
/// ```
public struct ItemVersion: Sendable, Hashable {
    /// The number to restore it by.
    public let version: Int
    /// When the value was set. Applications have this and the next one as dates.
    package let setAt: Moment
    /// When the value is dropped.
    package let droppedAt: Moment
    /// What reading the value takes: the item's access control of that time.
    public let access: AccessControl

    package init(version: Int, setAt: Moment, droppedAt: Moment, access: AccessControl) {
        self.version = version
        self.setAt = setAt
        self.droppedAt = droppedAt
        self.access = access
    }
}
