/// One item of a keychain, with the type of its value. It holds no secret. ``KeychainItem`` makes a property of it.
///
/// ```swift
/// let token = KeychainHandle<String>("token", in: keychain)
/// try await token.set("s3cret")
/// let value = try await token.value(reason: "Show your token")
/// ```
public struct KeychainHandle<Value: Sendable>: Sendable {
    /// Where the item is.
    public let keychain: Keychain
    /// The account of the item.
    public let account: String
    /// The access control that ``set(_:applicationPassword:)`` stores with the value. nil: an existing item keeps its own.
    public let access: AccessControl?
    private let encode: @Sendable (Value) throws(KeychainError) -> [UInt8]
    private let decode: @Sendable ([UInt8], ItemName) throws(KeychainError) -> Value

    private init(
        _ account: String, _ keychain: Keychain, _ access: AccessControl?,
        encode: @escaping @Sendable (Value) throws(KeychainError) -> [UInt8],
        decode: @escaping @Sendable ([UInt8], ItemName) throws(KeychainError) -> Value
    ) {
        self.account = account
        self.keychain = keychain
        self.access = access
        self.encode = encode
        self.decode = decode
    }

    /// The item's name in the vault.
    public var name: ItemName { keychain.name(account) }

    /// Reads the value. It prompts if the item requires it.
    /// - Parameters:
    ///   - reason: why the program asks, in its own words. The prompt shows it.
    ///   - applicationPassword: the item's own password, if it requires one.
    /// - Throws: `.notFound`; `.notText` or `.notDecodable` if the value is of another type; and as ``Keychain/bytes(for:reason:applicationPassword:)``.
    public func value(
        reason: String? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) -> Value {
        let bytes = try await keychain.bytes(for: account, reason: reason, applicationPassword: applicationPassword)
        return try decode(bytes, name)
    }

    /// Stores a value: makes the item, or replaces its value. Nobody is asked, unless there is no vault yet.
    /// - Parameter applicationPassword: the item's own password from then on, exactly if it requires one.
    @discardableResult
    public func set(
        _ value: Value, applicationPassword: String? = nil
    ) async throws(KeychainError) -> ItemAttributes {
        try await keychain.set(
            try encode(value), for: account, access: access, applicationPassword: applicationPassword)
    }

    /// Deletes the item. An absent one is fine.
    /// - Returns: whether there was one.
    @discardableResult
    public func delete() async throws(KeychainError) -> Bool { try await keychain.delete(account) }

    /// Whether there is such an item. Nobody is asked.
    public func exists() async throws(KeychainError) -> Bool { try await keychain.exists(account) }

    /// What happens to this item and to the vault from now on, by any program.
    /// ```swift
    /// for try await event in try await account.token.changes() {
    ///     if case .deleted = event { signOut() }
    /// }
    /// ```
    /// - Throws: the sequence throws ``KeychainError`` when the broker can no longer be heard.
    public func changes() async throws(KeychainError) -> some AsyncSequence<KeychainEvent, any Error> & Sendable {
        let name = name
        return try await keychain.changes().filter { event in
            switch event {
            case .added(let item), .updated(let item), .deleted(let item): item.name == name
            case .locked, .unlocked, .sharing, .missed: true
            }
        }
    }
}

extension KeychainHandle where Value == String {
    /// An item whose value is text.
    public init(_ account: String, in keychain: Keychain, access: AccessControl? = nil) {
        self.init(
            account, keychain, access, encode: { text in Array(text.utf8) },
            decode: { (bytes, name) throws(KeychainError) in try ItemCoding.string(bytes, name) })
    }
}

extension KeychainHandle where Value == [UInt8] {
    /// An item whose value is bytes.
    public init(_ account: String, in keychain: Keychain, access: AccessControl? = nil) {
        self.init(account, keychain, access, encode: { bytes in bytes }, decode: { bytes, _ in bytes })
    }
}

extension KeychainHandle where Value: Codable {
    /// An item whose value is stored as JSON.
    public init(_ account: String, in keychain: Keychain, access: AccessControl? = nil) {
        self.init(
            account, keychain, access, encode: { (value) throws(KeychainError) in try ItemCoding.encode(value) },
            decode: { (bytes, name) throws(KeychainError) in try ItemCoding.decode(Value.self, bytes, name) })
    }
}
