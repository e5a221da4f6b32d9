/// Secrets that end by themselves.
extension Keychain {
    /// Stores text on this device only, for some time. After that it is not given out, and is removed later.
    /// ```swift
    /// try await keychain.setTemporary("s3cret", for: "upload", lifetime: .seconds(600))
    /// ```
    /// - Parameters:
    ///   - lifetime: more than zero.
    ///   - access: who can read it, besides that it opens on this device only.
    /// - Throws: `.invalidArgument`, and as `set` does.
    @discardableResult
    public func setTemporary(
        _ text: String, for account: String, lifetime: Duration, access: AccessControl = .whenUnlocked
    ) async throws(KeychainError) -> ItemAttributes {
        try await setTemporary(Array(text.utf8), for: account, lifetime: lifetime, access: access)
    }

    /// Stores bytes on this device only, for some time, as ``setTemporary(_:for:lifetime:access:)`` stores text.
    @discardableResult
    public func setTemporary(
        _ bytes: [UInt8], for account: String, lifetime: Duration, access: AccessControl = .whenUnlocked
    ) async throws(KeychainError) -> ItemAttributes {
        guard lifetime > .zero else {
            throw KeychainError(.invalidArgument, "a lifetime is more than zero")
        }
        return try await set(bytes, for: account, access: access.thisDeviceOnly, expires: .after(lifetime))
    }
}
