import FoundationEssentials

/// Finds items without their values. These calls never prompt, and work while the vault is locked.
extension Keychain {
    /// Whether an account has an item that has not expired. With ``Keychain/field(_:)``, whether it has that field.
    public func exists(_ account: String) async throws(KeychainError) -> Bool {
        guard try await backend.exists(name(account), in: vault) else { return false }
        guard let field else { return true }
        do throws(KeychainError) {
            return try await backend.attributes(of: name(account), in: vault).fields.contains { $0.name == field }
        } catch {
            // It was deleted meanwhile.
            guard error.code == .notFound else { throw error }
            return false
        }
    }

    /// Everything about an account's item except its value.
    /// - Throws: `.notFound`.
    public func attributes(of account: String) async throws(KeychainError) -> ItemAttributes {
        try await backend.attributes(of: name(account), in: vault)
    }

    /// The accounts of the service, sorted.
    public func accounts() async throws(KeychainError) -> [String] { try await list().map(\.account) }

    /// The items of the service, sorted by account.
    public func list() async throws(KeychainError) -> [ItemAttributes] {
        try await backend.items(matching: ItemQuery(service: service, itemClass: itemClass), in: vault)
    }

    /// The items of the service that have all of the attributes and contain the text.
    /// ```swift
    /// let work = try await keychain.search(attributes: ["profile": "work"])
    /// ```
    /// - Parameter text: service, account, label or comment contains it, in upper or lower case.
    public func search(
        _ text: String? = nil, attributes: [String: String] = [:]
    ) async throws(KeychainError) -> [ItemAttributes] {
        try await backend.items(
            matching: ItemQuery(service: service, itemClass: itemClass, text: text, attributes: attributes), in: vault)
    }

    /// The values that an account's item had before, the newest first, without the values themselves.
    public func history(of account: String) async throws(KeychainError) -> [ItemVersion] {
        try await backend.history(of: name(account), in: vault)
    }

    /// A value that an account's item had before. It prompts as that value requires.
    /// - Parameter applicationPassword: the password that the item had at that time, if it required one.
    /// - Throws: `.notFound` if the value is no longer kept, and as ``bytes(for:reason:applicationPassword:)``.
    public func bytes(
        for account: String, version: Int, reason: String? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) -> [UInt8] {
        try await item(
            name(account), request(reason, applicationPassword: applicationPassword, version: version)
        ).value
    }

    /// Makes a former value the present one, with the access control that it had. That is never looser than the present one.
    /// It prompts as that value requires.
    /// - Parameter applicationPassword: the password that the item had at that time, if it required one. It has this password again.
    /// - Throws: `.notFound` if the value is no longer kept, and as ``bytes(for:reason:applicationPassword:)``.
    @discardableResult
    public func restore(
        _ account: String, version: Int, reason: String? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) -> ItemAttributes {
        try await backend.restore(
            name(account), version: version, request(reason, applicationPassword: applicationPassword), in: vault)
    }

    /// The state of the vault.
    public func status() async throws(KeychainError) -> VaultStatus { try await backend.status(of: vault) }

    /// Locks the vault at once.
    public func lock() async throws(KeychainError) { try await backend.lock(vault) }

    /// Opens the vault, which asks the person. If there is none, it is made.
    public func unlock() async throws(KeychainError) { try await backend.unlock(vault, prompts: prompts) }

    /// Whether fingers can be asked for, and why not.
    public func biometrics() async throws(KeychainError) -> Biometrics { try await backend.biometrics() }

    /// What happens to the service's items and to the vault from now on, by any program.
    /// ```swift
    /// for try await event in try await keychain.changes() {
    ///     if case .locked = event { hideSecrets() }
    /// }
    /// ```
    /// If the reader is too slow, some events are dropped, and ``KeychainEvent/missed`` says so.
    /// - Throws: `.limitExceeded` if the user's programs have 16 such sequences already. The sequence throws
    ///   ``KeychainError`` when the broker can no longer be heard: `.brokerUnreachable` if it stops, as at an upgrade.
    ///   Then listen again.
    public func changes() async throws(KeychainError) -> AsyncThrowingStream<KeychainEvent, any Error> {
        try await backend.events(of: service, in: vault)
    }
}
