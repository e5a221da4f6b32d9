import FoundationEssentials

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
    /// When the value was set.
    public let set: Date
    /// When the value is dropped.
    public let keptUntil: Date
    /// What reading the value takes: the item's access control of that time.
    public let access: AccessControl

    /// For backends. Applications get versions from ``Keychain/history(of:)``.
    public init(version: Int, set: Date, keptUntil: Date, access: AccessControl) {
        self.version = version
        self.set = set
        self.keptUntil = keptUntil
        self.access = access
    }
}
