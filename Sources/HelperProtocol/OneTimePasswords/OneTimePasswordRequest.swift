/// What `coffer otp` sends to `cofferd helper one-time-password`, as a line of JSON on its standard input.
public struct OneTimePasswordRequest: Codable, Sendable {
    /// The digests of RFC 6238. The raw value is the name in `otpauth://`.
    public enum Algorithm: String, Codable, Sendable, CaseIterable {
        case sha1 = "SHA1"
        case sha256 = "SHA256"
        case sha512 = "SHA512"
    }

    /// The longest request, in bytes.
    public static let longest = 1024
    /// The lengths that a password can have.
    public static let possibleDigits = 6...8

    public var algorithm: Algorithm
    public var digits: Int
    /// The counter of RFC 4226: the number of periods since 1970.
    public var counter: UInt64
    /// In Base64.
    public var seed: String

    public init(algorithm: Algorithm, digits: Int, counter: UInt64, seed: String) {
        self.algorithm = algorithm
        self.digits = digits
        self.counter = counter
        self.seed = seed
    }
}

/// The answer to an ``OneTimePasswordRequest``.
public struct OneTimePasswordAnswer: Codable, Sendable {
    /// The password, with its leading zeros; nil if it could not be computed.
    public var code: String?

    public init(code: String?) { self.code = code }
}
