/// What git sends to a helper (gitcredentials(7), git-credential(1)). A field that was not sent is nil; one that was sent without a value is empty.
struct GitRequest: Sendable {
    var scheme: [UInt8]?
    /// With the port, if the URL has one.
    var host: [UInt8]?
    /// Without a slash before it.
    var path: [UInt8]?
    var username: [UInt8]?
    var password: SecretField?
    /// A scheme of HTTP authentication, such as `Bearer`.
    var authtype: [UInt8]?
    /// What follows the scheme in the header.
    var credential: SecretField?
    var refreshToken: SecretField?
    /// Seconds since 1970 (UTC).
    var expiry: UInt64?
    /// git understands `authtype` and `credential`.
    var takesAuthtype = false
    /// Must not be stored.
    var isEphemeral = false
    /// One step of an authentication that has more, so there is nothing to store.
    var isPartial = false
}

/// The fields that a helper must know.
enum GitField: String, CaseIterable {
    case scheme = "protocol"
    case host
    case path
    case username
    case password
    case authtype
    case credential
    case refreshToken = "oauth_refresh_token"
    case expiry = "password_expiry_utc"
    case ephemeral
    case partial = "continue"
    case capability = "capability[]"

    /// Whether it is a list. Its name ends in brackets (git-credential(1)).
    var mayRepeat: Bool { self == .capability }

    /// The most bytes of its value.
    var limit: Int {
        switch self {
        case .scheme, .expiry, .ephemeral, .partial, .capability, .authtype: FieldLimits.word
        case .host, .path, .username: FieldLimits.name
        case .password, .credential, .refreshToken: FieldLimits.secret
        }
    }
}
