import FoundationEssentials

/// Stores and removes items. Nobody is asked, and the vault may be locked, with two exceptions. Making the user's vault
/// prompts. And if the item has other fields with an application password, `set` opens one of them to check the
/// password. That prompts as reading it does.
extension Keychain {
    /// Stores text for an account: makes the item, or replaces its value, in one request.
    ///
    /// What the call does not name stays as it is, above all the access control.
    /// ```swift
    /// try await keychain.set("s3cret", for: "me", access: .whenUnlocked.requiring(.userPresence))
    /// ```
    /// - Parameters:
    ///   - access: nil keeps that of an existing item. A new one gets ``AccessControl/whenUnlocked``.
    ///   - expires: nil keeps that of an existing item. A new one never expires.
    ///   - condition: what must be true of the item.
    /// - Returns: the stored item.
    /// - Throws: `.limitExceeded` for more than 1 MiB, `.biometryNotAvailable` or `.biometryNotEnrolled` if fingers are required but cannot be asked for, and as the condition says.
    ///   If other fields of the item have an application password, as reading one of them does.
    @discardableResult
    public func set(
        _ text: String, for account: String, access: AccessControl? = nil, label: String? = nil,
        attributes: [String: String]? = nil, expires: Expiry? = nil, applicationPassword: String? = nil,
        if condition: ItemChange.Condition = .none
    ) async throws(KeychainError) -> ItemAttributes {
        try await set(
            Array(text.utf8), for: account, access: access, label: label, attributes: attributes, expires: expires,
            applicationPassword: applicationPassword, if: condition)
    }

    /// Stores bytes for an account, as ``set(_:for:access:label:attributes:expires:applicationPassword:if:)`` stores text.
    @discardableResult
    public func set(
        _ bytes: [UInt8], for account: String, access: AccessControl? = nil, label: String? = nil,
        attributes: [String: String]? = nil, expires: Expiry? = nil, applicationPassword: String? = nil,
        if condition: ItemChange.Condition = .none
    ) async throws(KeychainError) -> ItemAttributes {
        var item = NewItem(
            value: bytes, access: try access?.checked, label: label, attributes: attributes, expiry: expires,
            applicationPassword: applicationPassword.map { Array($0.utf8) })
        item.field = field ?? .secret
        return try await backend.set(name(account), to: item, if: condition, prompts: prompts, in: vault)
    }

    /// Stores a `Codable` value for an account, as JSON.
    @discardableResult
    public func set<Value: Encodable>(
        value: Value, for account: String, access: AccessControl? = nil, label: String? = nil,
        attributes: [String: String]? = nil, expires: Expiry? = nil, applicationPassword: String? = nil,
        if condition: ItemChange.Condition = .none
    ) async throws(KeychainError) -> ItemAttributes {
        try await set(
            try ItemCoding.encode(value), for: account, access: access, label: label, attributes: attributes,
            expires: expires, applicationPassword: applicationPassword, if: condition)
    }

    /// Deletes an account's item. An absent item is fine. To delete several items, use ``apply(_:protection:)``.
    /// - Parameter protection: when nobody can undo this any longer with an older copy of the vault's file.
    /// - Returns: whether there was one.
    /// - Throws: `.changedMeanwhile` if the condition is not met; `.invalidArgument` for one field of items
    ///   (``Keychain/field(_:)``).
    @discardableResult
    public func delete(
        _ account: String, if condition: ItemChange.Condition = .none, protection: RollbackProtection = .soon
    ) async throws(KeychainError) -> Bool {
        guard field == nil else {
            throw KeychainError(
                .invalidArgument, "this would delete all fields of the item",
                advice: "remove one field with removeField, or delete the item by its keychain")
        }
        let change = ItemChange(name(account), .delete, if: condition)
        return try await apply([change], protection: protection).first?.existedBefore ?? false
    }

    /// Makes several changes in one transaction: all of them, or none.
    /// ```swift
    /// try await keychain.apply([
    ///     ItemChange(keychain.name("accessToken"), .set(NewItem(value: Array("a".utf8)))),
    ///     ItemChange(keychain.name("refreshToken"), .set(NewItem(value: Array("r".utf8)))),
    ///     ItemChange(keychain.name("oldToken"), .delete),
    /// ])
    /// ```
    /// Nothing is opened for this. So it stores no field of an item whose other fields have an application password:
    /// use `set` for that.
    /// - Parameters:
    ///   - changes: at most 128, of any service and class, with values of about 1.5 MiB and 16 application passwords
    ///     together. They are made in their order.
    ///   - protection: when nobody can undo them any longer with an older copy of the vault's file.
    /// - Throws: the error of the first change that cannot be made, `.invalidArgument` for such a field. Nothing is changed
    ///   then.
    @discardableResult
    public func apply(
        _ changes: [ItemChange], protection: RollbackProtection = .soon
    ) async throws(KeychainError) -> [ChangeOutcome] {
        guard !changes.isEmpty else { return [] }
        for case .set(let item) in changes.map(\.action) { _ = try item.access?.checked }
        return try await backend.apply(changes, protection: protection, prompts: prompts, in: vault)
    }

    /// Deletes all items of the service that have the keychain's class, in one transaction.
    /// - Returns: how many there were.
    @discardableResult
    public func deleteAll() async throws(KeychainError) -> Int {
        try await backend.deleteItems(of: service, itemClass: itemClass, in: vault)
    }

    /// Deletes all items of the service, of every class but settings, in one transaction. Use it when a user closes their account.
    /// - Returns: how many there were.
    @discardableResult
    public func deleteEverything() async throws(KeychainError) -> Int {
        try await backend.deleteItems(of: service, itemClass: nil, in: vault)
    }

    /// Changes an item without its value.
    /// - Parameter applicationPassword: the item's own password, if it requires one. Only for a change of access control. An item keeps its password if
    ///   it requires one afterwards; to give it another one, store it again.
    /// - Throws: `.notFound`. A change of access control prompts and throws as reading does.
    @discardableResult
    public func edit(
        _ account: String, _ changes: ItemEdit, reason: String? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) -> ItemAttributes {
        _ = try changes.access?.checked
        return try await backend.edit(
            name(account), changes, request(reason, applicationPassword: applicationPassword), in: vault)
    }

    /// Gives an item another account name. If it has requirements, this prompts as reading does, because prompts show names.
    /// - Parameter applicationPassword: the item's own password, if it requires one.
    /// - Throws: `.notFound`, `.alreadyExists`; as ``bytes(for:reason:applicationPassword:)``.
    @discardableResult
    public func rename(
        _ account: String, to newAccount: String, reason: String? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) -> ItemAttributes {
        try await backend.rename(
            name(account), to: name(newAccount), request(reason, applicationPassword: applicationPassword), in: vault)
    }
}
