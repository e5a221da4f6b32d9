import Coffer
import CofferCaches
import FoundationEssentials

/// The login of an application's user: tokens, user name and password, API key and user id.
///
/// ```swift
/// let session = CredentialSession(
///     keychain: Keychain(service: "com.example.app"),
///     access: [.password: .whenUnlocked.thisDeviceOnly.requiring(.userPresence)])
/// try await session.save(Credentials(accessToken: "a", refreshToken: "r", userID: "42"))
/// if try await session.isLoggedIn {
///     let credentials = try await session.load([.accessToken], reason: "Fetch your mail")
///     await mailServer.fetch(credentials)
/// }
/// try await session.logout()
/// ```
/// Each part is an item of its own, with the part's raw value as its account. Every call that writes makes all of its changes, or none.
/// Only ``load(_:reason:)``, ``accessToken(reason:_:)`` and ``refresh(reason:_:)`` prompt, if a part that they read
/// requires it.
public struct CredentialSession: Sendable {
    /// Where the parts are kept.
    public let keychain: Keychain
    /// Tells several logins of one service apart; nil for the only one.
    public let profile: String?
    /// The access control of the parts. A part that is missing here keeps its item's own, and a new item gets `AccessControl/whenUnlocked`.
    public let access: [CredentialPart: AccessControl]
    let now: @Sendable () -> Date
    let refreshes: Flights<ItemName, SessionTokens>

    /// - Parameters:
    ///   - keychain: the service whose login this is.
    ///   - profile: a name for this login, if the service has several.
    ///   - access: what reading a part takes.
    ///   - now: the time by which tokens expire. Tests give another.
    public init(
        keychain: Keychain, profile: String? = nil, access: [CredentialPart: AccessControl] = [:],
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.keychain = keychain
        self.profile = profile
        self.access = access
        self.now = now
        refreshes = Flights()
    }

    /// The account of a part's item.
    public func account(of part: CredentialPart) -> String {
        profile.map { "\($0)/\(part.rawValue)" } ?? part.rawValue
    }
}

// MARK: Writing

extension CredentialSession {
    /// Stores the whole login in place of the former one. Parts that are nil are removed.
    /// - Throws: as `Keychain/apply(_:protection:)`; `.limitExceeded` if the parts are too large to be loaded together.
    ///   Then the former login is still there, whole.
    public func save(_ credentials: Credentials) async throws(KeychainError) {
        try await write(credentials, CredentialPart.allCases)
    }

    /// Stores the tokens of a new session, and the user's id. User name, password and API key stay.
    /// - Parameter userID: nil removes a former one.
    /// - Throws: as `Keychain/apply(_:protection:)`. Then the former session is still there, whole.
    public func saveSession(_ tokens: SessionTokens, userID: String? = nil) async throws(KeychainError) {
        let credentials = Credentials(
            accessToken: tokens.accessToken, accessTokenExpires: tokens.expires, refreshToken: tokens.refreshToken,
            userID: userID)
        try await write(credentials, CredentialPart.session)
    }

    /// Stores user name and password. Everything else stays.
    public func saveLogin(userName: String, password: String) async throws(KeychainError) {
        try await write(Credentials(userName: userName, password: password), CredentialPart.login)
    }

    /// Stores the API key. Everything else stays.
    public func saveAPIKey(_ key: String) async throws(KeychainError) {
        try await write(Credentials(apiKey: key), [.apiKey])
    }

    /// Removes tokens and user id. User name, password and API key stay. Nobody is asked.
    public func clearSession() async throws(KeychainError) { try await write(Credentials(), CredentialPart.session) }

    /// Removes user name and password. Nobody is asked.
    public func clearLogin() async throws(KeychainError) { try await write(Credentials(), CredentialPart.login) }

    /// Removes the API key. Nobody is asked.
    public func clearAPIKey() async throws(KeychainError) { try await write(Credentials(), [.apiKey]) }

    /// Removes every part in one transaction: the person is signed out, or nothing is changed. Nobody is asked, and settings stay.
    public func logout() async throws(KeychainError) { try await write(Credentials(), CredentialPart.allCases) }

    private func write(_ credentials: Credentials, _ parts: [CredentialPart]) async throws(KeychainError) {
        try await checkSize(of: credentials, parts)
        _ = try await keychain.apply(
            parts.map { part in
                guard let value = credentials[part] else { return ItemChange(name(part), .delete) }
                return set(part, value, expires: part == .accessToken ? credentials.accessTokenExpires : nil)
            })
    }

    /// Finds out whether one call can read the parts again, before the former ones are replaced.
    private func checkSize(of credentials: Credentials, _ parts: [CredentialPart]) async throws(KeychainError) {
        let stored = parts.filter { credentials[$0] != nil }
        let changes = stored.map { set($0, credentials[$0] ?? "", expires: nil) }
        guard try await keychain.canReadTogether(changes) else {
            throw KeychainError(
                .limitExceeded,
                "\(stored.map(\.rawValue).joined(separator: ", ")) are too large to be loaded together",
                advice: "keep the largest of them in a protected file")
        }
    }

    func name(_ part: CredentialPart) -> ItemName { keychain.name(account(of: part)) }

    func set(
        _ part: CredentialPart, _ value: String, expires: Date?, if condition: ItemChange.Condition = .none
    ) -> ItemChange {
        let item = NewItem(
            value: Array(value.utf8), access: access[part], expiry: expires.map(Expiry.at) ?? .never)
        return ItemChange(name(part), .set(item), if: condition)
    }
}
