import FoundationEssentials

/// Reads values. These calls prompt if an item requires it.
extension Keychain {
    /// The value of an account's item, as it was stored.
    /// - Parameters:
    ///   - reason: why the program asks, in its own words. The prompt shows it. At most 512 bytes in UTF-8.
    ///   - applicationPassword: the item's own password, if it requires one.
    /// - Throws: `.notFound`, `.locked`, `.authenticationNeeded` if nobody can be asked, `.cancelled`, and the errors of authentication.
    public func bytes(
        for account: String, reason: String? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) -> [UInt8] {
        try await item(name(account), request(reason, applicationPassword: applicationPassword)).value
    }

    /// Uses the value of an account's item, and keeps no copy of it.
    ///
    /// The value is there as long as the closure runs. After that its memory is overwritten, and that of the message and the
    /// base64 in which it came. So nothing of it stays, unless the closure copies it.
    /// ```swift
    /// let length = try await keychain.withBytes(for: "signingKey", reason: "Sign the report") { key in key.count }
    /// ```
    /// - Throws: as ``bytes(for:reason:applicationPassword:)``, and what the closure throws.
    public func withBytes<Result: Sendable>(
        for account: String, reason: String? = nil, applicationPassword: String? = nil,
        _ body: sending (Span<UInt8>) throws(KeychainError) -> Result
    ) async throws(KeychainError) -> Result {
        try await backend.withValue(
            of: name(account), request(reason, applicationPassword: applicationPassword), in: vault, body)
    }

    /// The value of an account's item as text.
    /// ```swift
    /// let token = try await keychain.string(for: "accessToken", reason: "Show your token")
    /// ```
    /// - Throws: `.notText` if the value is not UTF-8, and as ``bytes(for:reason:applicationPassword:)``.
    public func string(
        for account: String, reason: String? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) -> String {
        let bytes = try await bytes(for: account, reason: reason, applicationPassword: applicationPassword)
        return try ItemCoding.string(bytes, name(account))
    }

    /// The value of an account's item that was stored as a `Codable` value.
    /// - Throws: `.notDecodable` if it is another type's, and as ``bytes(for:reason:applicationPassword:)``.
    public func value<Value: Decodable>(
        _ type: Value.Type, for account: String, reason: String? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) -> Value {
        let bytes = try await bytes(for: account, reason: reason, applicationPassword: applicationPassword)
        return try ItemCoding.decode(type, bytes, name(account))
    }

    /// An item with its value.
    /// - Throws: as ``bytes(for:reason:applicationPassword:)``.
    public func item(
        for account: String, reason: String? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) -> Item {
        try await item(name(account), request(reason, applicationPassword: applicationPassword))
    }

    func item(_ name: ItemName, _ request: ReadRequest) async throws(KeychainError) -> Item {
        guard let item = try await backend.read([name], request, in: vault).first else {
            throw KeychainError(.protocolViolation, "the broker gave no item")
        }
        return item
    }

    /// Reads several items with one prompt, which names all of them.
    /// ```swift
    /// let context = try await keychain.authenticate(for: ["accessToken", "refreshToken"], reason: "Sign you in")
    /// let access = try context.string(for: "accessToken")
    /// let refresh = try context.string(for: "refreshToken")
    /// ```
    /// - Parameter accounts: at most 32, each once. Their values have about 1.5 MiB together.
    /// - Throws: as ``bytes(for:reason:applicationPassword:)``; `.invalidArgument` if one of several items takes an application password;
    ///   `.limitExceeded`. Either all items are read, or none.
    public func authenticate(
        for accounts: [String], reason: String? = nil
    ) async throws(KeychainError) -> AuthenticationContext {
        let items = try await backend.read(accounts.map(name), request(reason), in: vault)
        return AuthenticationContext(keychain: self, items: items)
    }

    /// Changes a value that depends on the former one. If another program changes the item meanwhile, the closure runs again with the value of that program.
    /// So no change is lost.
    /// ```swift
    /// try await keychain.update(for: "counter") { old in
    ///     String((Int(old ?? "") ?? 0) + 1)
    /// }
    /// ```
    /// - Parameters:
    ///   - access: the item's access control from then on; nil keeps it.
    ///   - applicationPassword: the item's own password, if it requires one. It keeps this password.
    ///   - change: gets the present value, or nil if there is no item, which is then made.
    /// - Throws: as ``string(for:reason:applicationPassword:)``; `.changedMeanwhile` if others change the item again and again.
    @discardableResult
    public func update(
        for account: String, access: AccessControl? = nil, reason: String? = nil, applicationPassword: String? = nil,
        _ change: @Sendable (String?) throws(KeychainError) -> String
    ) async throws(KeychainError) -> ItemAttributes {
        let name = name(account)
        return try await updateBytes(
            for: account, access: access, reason: reason, applicationPassword: applicationPassword
        ) { (old) throws(KeychainError) in
            let text = try old.map { (bytes) throws(KeychainError) in try ItemCoding.string(bytes, name) }
            return Array(try change(text).utf8)
        }
    }

    /// Changes a `Codable` value that depends on the former one, as ``update(for:access:reason:applicationPassword:_:)`` does.
    @discardableResult
    public func update<Value: Codable>(
        _ type: Value.Type, for account: String, access: AccessControl? = nil, reason: String? = nil,
        applicationPassword: String? = nil,
        _ change: @Sendable (Value?) throws(KeychainError) -> Value
    ) async throws(KeychainError) -> ItemAttributes {
        let name = name(account)
        return try await updateBytes(
            for: account, access: access, reason: reason, applicationPassword: applicationPassword
        ) { (old) throws(KeychainError) in
            let value = try old.map { (bytes) throws(KeychainError) in try ItemCoding.decode(type, bytes, name) }
            return try ItemCoding.encode(try change(value))
        }
    }

    private func updateBytes(
        for account: String, access: AccessControl?, reason: String?, applicationPassword: String?,
        _ change: ([UInt8]?) throws(KeychainError) -> [UInt8]
    ) async throws(KeychainError) -> ItemAttributes {
        let (name, access) = (name(account), try access?.checked)
        var last = KeychainError(.changedMeanwhile, "\(name) was changed meanwhile", advice: "try again")
        var state = WrittenState()
        for _ in 0..<UpdateLimits.rounds {
            let present: Item?
            var former: ItemAttributes?
            do throws(KeychainError) {
                present = try await item(name, request(reason, applicationPassword: applicationPassword))
                former = present?.attributes
            } catch {
                guard error.code == .notFound else { throw error }
                // An item need not have the field that is asked for, and none need have `secret`.
                former = try await itemWithoutField(name)
                // It has expired, or it was stored since the read. The broker's clock decides which: only an expired
                // item can be set as an absent one.
                if former?.fields.contains(where: { $0.name == field ?? .secret }) ?? false { former = nil }
                present = nil
            }
            var new = NewItem(
                value: try change(present?.value), access: access,
                applicationPassword: applicationPassword.map { Array($0.utf8) })
            new.field = field ?? .secret
            do throws(KeychainError) {
                return try await backend.set(name, to: new, if: state.condition(former), prompts: prompts, in: vault)
            } catch {
                try state.refused(error)
                last = error
            }
        }
        throw last
    }
}

extension Keychain {
    /// The item that has not the field that is about to be added; nil if there is no item.
    fileprivate func itemWithoutField(_ name: ItemName) async throws(KeychainError) -> ItemAttributes? {
        do throws(KeychainError) { return try await backend.attributes(of: name, in: vault) } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}

enum UpdateLimits {
    /// How often an update begins again because another program changed the item.
    static let rounds = 1000
}
