/// A property that stands for an item of a keychain.
///
/// The property is a ``KeychainHandle``: it holds no secret, and reads and writes when its methods are called.
/// ```swift
/// struct Account {
///     @KeychainItem("token", in: keychain, access: .whenUnlocked.requiring(.userPresence))
///     var token: KeychainHandle<String>
///     @KeychainItem("profile", in: keychain) var profile: KeychainHandle<Profile>   // struct Profile: Codable
/// }
///
/// let token = try await account.token.value(reason: "Show your token")
/// try await account.token.set("s3cret")
/// ```
@propertyWrapper
public struct KeychainItem<Value: Sendable>: Sendable {
    /// The handle. Only its methods read or write.
    public let wrappedValue: KeychainHandle<Value>

    /// The item of a handle.
    public init(_ handle: KeychainHandle<Value>) { wrappedValue = handle }
}

extension KeychainItem where Value == String {
    /// An item whose value is text.
    /// - Parameter access: what ``KeychainHandle/set(_:applicationPassword:)`` stores with the value. nil: an existing item keeps its own.
    public init(_ account: String, in keychain: Keychain, access: AccessControl? = nil) {
        self.init(KeychainHandle(account, in: keychain, access: access))
    }
}

extension KeychainItem where Value == [UInt8] {
    /// An item whose value is bytes.
    public init(_ account: String, in keychain: Keychain, access: AccessControl? = nil) {
        self.init(KeychainHandle(account, in: keychain, access: access))
    }
}

extension KeychainItem where Value: Codable {
    /// An item whose value is stored as JSON.
    public init(_ account: String, in keychain: Keychain, access: AccessControl? = nil) {
        self.init(KeychainHandle(account, in: keychain, access: access))
    }
}
