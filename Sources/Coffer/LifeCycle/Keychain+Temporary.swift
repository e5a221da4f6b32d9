/// Secrets that end by themselves.
extension Keychain {
    /// Stores text on this device only, for some time. After that it is not given out, and is removed later.
    /// ```swift
    /// try await keychain.setTemporary("s3cret", for: "upload", lifetime: .seconds(600))
    /// ```
    /// - Parameters:
    ///   - lifetime: more than zero.
    ///   - access: who can read it, besides that it opens on this device only. nil keeps what the item has; a new item has `.whenUnlocked`.
    /// - Throws: `.invalidArgument`, and as `set` does; `.changedMeanwhile` if others change the item again and again.
    @discardableResult
    public func setTemporary(
        _ text: String, for account: String, lifetime: Duration, access: AccessControl? = nil
    ) async throws(KeychainError) -> ItemAttributes {
        try await setTemporary(Array(text.utf8), for: account, lifetime: lifetime, access: access)
    }

    /// Stores bytes on this device only, for some time, as ``setTemporary(_:for:lifetime:access:)`` stores text.
    @discardableResult
    public func setTemporary(
        _ bytes: [UInt8], for account: String, lifetime: Duration, access: AccessControl? = nil
    ) async throws(KeychainError) -> ItemAttributes {
        guard lifetime > .zero else {
            throw KeychainError(.invalidArgument, "a lifetime is more than zero")
        }
        if let access {
            return try await set(bytes, for: account, access: access.thisDeviceOnly, expires: .after(lifetime))
        }
        var last = KeychainError(.changedMeanwhile, "\(name(account)) was changed meanwhile", advice: "try again")
        var state = WrittenState()
        for _ in 0..<UpdateLimits.rounds {
            var present: ItemAttributes?
            do throws(KeychainError) { present = try await attributes(of: account) } catch {
                guard error.code == .notFound else { throw error }
            }
            do throws(KeychainError) {
                // It keeps the requirements that the item has: they are not for a routine write to loosen.
                return try await set(
                    bytes, for: account, access: (present?.access ?? .whenUnlocked).thisDeviceOnly,
                    expires: .after(lifetime), if: state.condition(present))
            } catch {
                try state.refused(error)
                last = error
            }
        }
        throw last
    }
}
