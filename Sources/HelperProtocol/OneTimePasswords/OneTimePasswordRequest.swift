import JSON

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

extension OneTimePasswordRequest.Algorithm: JSONReadable {}

extension OneTimePasswordRequest: JSONReadable {
    private static let jsonNames = ["algorithm", "counter", "digits", "seed"]

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        var algorithm: Algorithm?
        var digits: Int?
        var counter: UInt64?
        var seed: String?
        var members = try reader.members()
        while let member = try reader.next(&members, of: Self.jsonNames) {
            switch member {
            case 0: algorithm = try reader.read()
            case 1: counter = try reader.read()
            case 2: digits = try reader.read()
            default: seed = try reader.read()
            }
        }
        self.init(
            algorithm: try members.required(algorithm, "algorithm"), digits: try members.required(digits, "digits"),
            counter: try members.required(counter, "counter"), seed: try members.required(seed, "seed"))
    }
}

extension OneTimePasswordAnswer: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("code", code)
        writer.endObject()
    }
}
