import FoundationEssentials

/// What a person is signed in with. ``CredentialSession`` stores it.
///
/// Every part may be missing. The description never shows a secret.
///
/// ```swift
/// try await session.save(Credentials(accessToken: "a1", refreshToken: "r1", userID: "42"))
/// ```
public struct Credentials: Sendable, Hashable {
    /// What requests to the server carry.
    public var accessToken: String?
    /// From then on the access token is not given out. nil: it does not expire.
    public var accessTokenExpires: Date?
    /// What a new access token is fetched with.
    public var refreshToken: String?
    /// The server's identifier of the user.
    public var userID: String?
    /// The name that the person signs in with.
    public var userName: String?
    /// The password that the person signs in with.
    public var password: String?
    /// A key that the server gave out for programs.
    public var apiKey: String?

    /// Credentials with the parts that are known.
    /// ```swift
    /// let credentials = Credentials(accessToken: "a1", refreshToken: "r1", userID: "42")
    /// ```
    public init(
        accessToken: String? = nil, accessTokenExpires: Date? = nil, refreshToken: String? = nil,
        userID: String? = nil, userName: String? = nil, password: String? = nil, apiKey: String? = nil
    ) {
        self.accessToken = accessToken
        self.accessTokenExpires = accessTokenExpires
        self.refreshToken = refreshToken
        self.userID = userID
        self.userName = userName
        self.password = password
        self.apiKey = apiKey
    }

    /// Whether the access token has expired. One without a time of expiry, or none at all, has not.
    public func isExpired(at now: Date = Date()) -> Bool { accessTokenExpires.map { $0 <= now } ?? false }

    subscript(part: CredentialPart) -> String? {
        get { self[keyPath: part.place] }
        set { self[keyPath: part.place] = newValue }
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable {
    /// Names the parts that are there.
    public var description: String {
        "credentials: \(CredentialPart.allCases.filter { self[$0] != nil }.map(\.rawValue).joined(separator: ", "))"
    }

    /// Names the parts that are there, without their values.
    public var customMirror: Mirror {
        Mirror(self, children: CredentialPart.allCases.filter { self[$0] != nil }.map { ($0.rawValue, "[REDACTED]") })
    }
}

/// What a server gives at a login, and again for a refresh token.
///
/// ```swift
/// let tokens = SessionTokens(accessToken: "a2", expires: Date(timeIntervalSinceNow: 3600))
/// ```
public struct SessionTokens: Sendable, Hashable {
    /// What requests to the server carry.
    public var accessToken: String
    /// nil at a refresh: the server did not replace the refresh token.
    public var refreshToken: String?
    /// When the access token expires. nil: it does not.
    public var expires: Date?

    /// What a server answered.
    /// ```swift
    /// let tokens = SessionTokens(accessToken: "a2", expires: Date(timeIntervalSinceNow: 3600))
    /// ```
    public init(accessToken: String, refreshToken: String? = nil, expires: Date? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expires = expires
    }
}

extension SessionTokens: CustomStringConvertible, CustomReflectable {
    /// Never shows a token.
    public var description: String { "session tokens: [REDACTED]" }

    /// Never shows a token.
    public var customMirror: Mirror { Mirror(self, children: ["tokens": "[REDACTED]"]) }
}

/// One part of ``Credentials``. Each is an item of its own, so that each has its own access control.
///
/// ```swift
/// let session = CredentialSession(keychain: keychain, access: [.refreshToken: .whenUnlocked.thisDeviceOnly])
/// ```
public enum CredentialPart: String, Sendable, Hashable, CaseIterable {
    /// The access token.
    case accessToken = "access-token"
    /// The refresh token.
    case refreshToken = "refresh-token"
    /// The server's identifier of the user.
    case userID = "user-id"
    /// The user name.
    case userName = "user-name"
    /// The password.
    case password
    /// The API key.
    case apiKey = "api-key"

    /// What ``CredentialSession/clearSession()`` removes.
    static let session: [CredentialPart] = [.accessToken, .refreshToken, .userID]
    /// What ``CredentialSession/clearLogin()`` removes.
    static let login: [CredentialPart] = [.userName, .password]

    fileprivate var place: WritableKeyPath<Credentials, String?> {
        switch self {
        case .accessToken: \.accessToken
        case .refreshToken: \.refreshToken
        case .userID: \.userID
        case .userName: \.userName
        case .password: \.password
        case .apiKey: \.apiKey
        }
    }
}
