/// Fields: an item can have more than one value, such as a password, the seed of its one-time codes and notes.
extension Keychain {
    /// The same items, and another field of them: everything that reads or stores a value then reads and stores that of the
    /// field.
    /// ```swift
    /// try await keychain.set("s3cret", for: "octo")
    /// try await keychain.field(.notes).set("Ask for Mona", for: "octo")
    /// let notes = try await keychain.field(.notes).string(for: "octo")
    /// ```
    /// Storing a field keeps the item's others. All fields of an item have one access control and one application
    /// password. If they have one, storing a field takes it, and prompts if reading another field does.
    public func field(_ name: FieldName) -> Keychain {
        Keychain(
            service: service, vault: vault, itemClass: itemClass, prompts: prompts, backend: backend, field: name)
    }

    /// Reads several fields of an account's item with one prompt, which names them.
    /// - Parameters:
    ///   - fields: each once; nil for all fields of the item.
    ///   - reason: why the program asks, in its own words.
    /// - Throws: `.notFound` if the item or a field is not there, and as ``authenticate(for:reason:)``. Either all fields are
    ///   read, or none.
    public func values(
        of account: String, fields: [FieldName]? = nil, reason: String? = nil
    ) async throws(KeychainError) -> FieldValues {
        let name = name(account)
        let wanted: [FieldName]
        if let fields {
            wanted = fields
        } else {
            wanted = try await backend.attributes(of: name, in: vault).fields.map(\.name)
        }
        guard Set(wanted).count == wanted.count, !wanted.isEmpty else {
            throw KeychainError(.invalidArgument, "a field is named twice, or none is")
        }
        let items = try await backend.read(wanted, of: name, request(reason), in: vault)
        guard items.count == wanted.count else {
            throw KeychainError(.protocolViolation, "the broker gave another number of values")
        }
        return FieldValues(name, Dictionary(uniqueKeysWithValues: zip(wanted, items.map(\.value))))
    }

    /// Removes a field of an account's item. Nobody is asked. Its value becomes a former one.
    /// - Throws: `.notFound` if the item or the field is not there, `.invalidArgument` for an item's only field.
    @discardableResult
    public func removeField(_ field: FieldName, of account: String) async throws(KeychainError) -> ItemAttributes {
        var edit = ItemEdit()
        edit.removedFields = [field]
        return try await backend.edit(name(account), edit, request(nil), in: vault)
    }
}
