/// What makes one-time passwords: a seed and how it is used (RFC 6238). Every program and every importer reads seeds by this type, so none of them
/// takes what another refuses. No error repeats any of it.
public struct OneTimeSeed: Sendable, Equatable {
    public typealias Algorithm = OneTimePasswordRequest.Algorithm

    public let bytes: [UInt8]
    public private(set) var algorithm = Algorithm.sha1
    public private(set) var digits = 6
    /// In seconds.
    public private(set) var period = 30
    /// The address that it was read from, without blanks around it; nil for Base32.
    private var written: String?

    /// Why a text is no seed.
    public struct Mistake: Error, Equatable {
        public let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// Reads what a site shows: an `otpauth://` address, or the seed in Base32.
    public init(reading value: [UInt8]) throws(Mistake) {
        let text = try Self.text(value)
        // Every address has a colon, and no Base32 has one.
        if text.contains(":") {
            try self.init(address: text)
        } else {
            let digits = text.utf8.count { !Base32.isSeparator($0) }
            guard digits >= OneTimeLimits.digits || digits == 0 else { throw Mistake("it is too short") }
            self.init(bytes: try Base32.decode(text))
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a secret that was stored as a seed: an `otpauth://` address. Letters and digits may as well be a password.
    public init(stored value: [UInt8]) throws(Mistake) {
        let text = try Self.text(value)
        guard text.lowercased().hasPrefix(Self.scheme) else { throw Mistake("it is not an otpauth:// address") }
        try self.init(address: text)
    }

    /// The address under which it is stored. An address stays as it was written.
    public func address(issuer: String, account: String) -> String {
        if let written { return written }
        let label = PercentEncoding.encode(issuer) + (account.isEmpty ? "" : ":\(PercentEncoding.encode(account))")
        return "\(Self.scheme)totp/\(label)?secret=\(Base32.encode(bytes))"
            + (issuer.isEmpty ? "" : "&issuer=\(PercentEncoding.encode(issuer))")
    }

    public static func == (one: OneTimeSeed, other: OneTimeSeed) -> Bool {
        one.bytes == other.bytes && one.algorithm == other.algorithm && one.digits == other.digits
            && one.period == other.period
    }

    private static let scheme = "otpauth://"

    private static func text(_ value: [UInt8]) throws(Mistake) -> Substring {
        guard value.count <= OneTimeLimits.text else { throw Mistake("it is longer than a seed can be") }
        guard let text = String(validating: value, as: UTF8.self) else { throw Mistake("it is not text") }
        return text.trimmingBlanks
    }

    /// `otpauth://totp/LABEL?secret=BASE32&algorithm=…&digits=…&period=…`. Other parameters, such as the issuer, do not change the password.
    private init(address: Substring) throws(Mistake) {
        guard !address.lowercased().hasPrefix("otpauth-migration:") else {
            throw Mistake("it is what Google Authenticator exports, several seeds in one code")
        }
        guard address.lowercased().hasPrefix(Self.scheme) else {
            throw Mistake("it is an address, but not an otpauth:// one")
        }
        let rest = address.dropFirst(Self.scheme.count)
        let type = rest.prefix { $0 != "/" && $0 != "?" }
        guard type.lowercased() != "hotp" else {
            throw Mistake("it counts its uses (hotp); Coffer makes only passwords that follow the time (totp)")
        }
        guard type.lowercased() == "totp" else { throw Mistake("its type is not totp") }
        guard let question = rest.firstIndex(of: "?") else { throw Mistake("it has no secret") }
        var values: [String: String] = [:]
        for pair in rest[rest.index(after: question)...].prefix(while: { $0 != "#" }).split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else { continue }
            guard let name = PercentEncoding.decode(halves[0]), let value = PercentEncoding.decode(halves[1]) else {
                throw Mistake("a part of it is wrongly encoded")
            }
            guard values.updateValue(value, forKey: name.lowercased()) == nil else {
                throw Mistake("it names a parameter twice")
            }
        }
        guard let secret = values["secret"] else { throw Mistake("it has no secret") }
        // Steam's passwords have letters. A number made from the same seed would be wrong each time.
        guard values["encoder"] == nil else {
            throw Mistake("its passwords are no numbers (encoder); Coffer makes only those of RFC 6238")
        }
        bytes = try Base32.decode(secret.trimmingBlanks)
        written = String(address)
        if let name = values["algorithm"] {
            guard let known = Algorithm(rawValue: name.uppercased()) else {
                throw Mistake("its algorithm is none of SHA1, SHA256 and SHA512")
            }
            algorithm = known
        }
        if let text = values["digits"] {
            guard let number = Int(text), OneTimePasswordRequest.possibleDigits.contains(number) else {
                throw Mistake("its number of digits is not 6, 7 or 8")
            }
            digits = number
        }
        if let text = values["period"] {
            guard let number = Int(text), OneTimeLimits.period.contains(number) else {
                throw Mistake(
                    "its period is not \(OneTimeLimits.period.lowerBound) to \(OneTimeLimits.period.upperBound) seconds"
                )
            }
            period = number
        }
    }
}

extension StringProtocol {
    /// The text without blanks and line breaks at its ends.
    fileprivate var trimmingBlanks: Substring {
        let start = Substring(self).drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start.prefix(0) }
        return start[...last]
    }
}

/// What seeds of one-time passwords may be.
public enum OneTimeLimits {
    /// The longest `otpauth://` address, in bytes.
    public static let text = 4096
    /// The seed, in bytes. The longest digest has blocks of 128.
    public static let seed = 1...128
    /// The fewest letters and digits of a seed that is not in an address. No site shows fewer.
    public static let digits = 8
    /// The period, in seconds.
    public static let period = 1...3600
}
