import Coffer
import FoundationEssentials
import HelperProtocol

/// What makes one-time passwords: a seed and how it is used (RFC 6238). It is stored as the site gives it, an `otpauth://` address or the seed in
/// Base32. No error repeats any of it.
struct OneTimeSeed: Equatable {
    typealias Algorithm = OneTimePasswordRequest.Algorithm

    let bytes: [UInt8]
    var algorithm = Algorithm.sha1
    var digits = 6
    /// In seconds.
    var period = 30

    /// Why a text is no seed.
    struct Mistake: Error, Equatable {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    init(reading value: [UInt8]) throws(Mistake) {
        guard value.count <= OneTimeLimits.text else { throw Mistake("it is longer than a seed can be") }
        guard let text = String(validating: value, as: UTF8.self) else { throw Mistake("it is not text") }
        let trimmed = text.trimmingBlanks
        // Every address has a colon, and no Base32 has one.
        if trimmed.contains(":") {
            try self.init(address: trimmed)
        } else {
            self.init(bytes: try Base32.decode(trimmed))
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// `otpauth://totp/LABEL?secret=BASE32&algorithm=…&digits=…&period=…`. Other parameters, such as the issuer, do not change the password.
    private init(address: Substring) throws(Mistake) {
        let scheme = "otpauth://"
        guard address.lowercased().hasPrefix(scheme) else {
            throw Mistake("it is an address, but not an otpauth:// one")
        }
        let rest = address.dropFirst(scheme.count)
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

/// A one-time password and its time.
struct OneTimePassword {
    let code: String
    /// For how many seconds it is still good.
    let secondsLeft: Int

    /// Computes the password of a moment, in seconds since 1970.
    static func make(_ seed: OneTimeSeed, at seconds: Int64) throws(KeychainError) -> OneTimePassword {
        let period = Int64(seed.period)
        guard seconds >= 0 else { throw KeychainError(.invalidArgument, "there are no one-time passwords before 1970") }
        var helper = try HelperConversation([Helper.oneTimePassword])
        let request = OneTimePasswordRequest(
            algorithm: seed.algorithm, digits: seed.digits, counter: UInt64(seconds / period),
            seed: Data(seed.bytes).base64EncodedString())
        let answer: OneTimePasswordAnswer
        do {
            answer = try helper.ask(Array(JSONEncoder().encode(request)), limit: HelperLimits.oneTimePassword)
        } catch let error as KeychainError {
            throw error
        } catch {
            throw KeychainError(.failed, "the one-time password could not be computed")
        }
        guard let code = answer.code else {
            throw KeychainError(
                .failed, "the one-time password could not be computed",
                advice: "install coffer and cofferd of the same version")
        }
        return OneTimePassword(code: code, secondsLeft: Int(period - seconds % period))
    }
}

/// Base32 of RFC 4648, as sites show it: in upper or lower case, in groups, with or without padding.
enum Base32 {
    static func decode(_ text: some StringProtocol) throws(OneTimeSeed.Mistake) -> [UInt8] {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var held = 0
        var digits = 0
        var isPadding = false
        for character in text.utf8 {
            let digit: UInt8
            switch character {
            case UInt8(ascii: " "), UInt8(ascii: "-"): continue
            case UInt8(ascii: "="):
                isPadding = true
                continue
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = character - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = character - UInt8(ascii: "a")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): digit = character - UInt8(ascii: "2") + 26
            default: throw OneTimeSeed.Mistake("it has characters other than the letters A to Z and the digits 2 to 7")
            }
            guard !isPadding else { throw OneTimeSeed.Mistake("it continues after its end (=)") }
            digits += 1
            bits = bits << 5 | UInt32(digit)
            held += 5
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
                bits &= (1 << UInt32(held)) - 1
            }
        }
        // Five bits or more that make no byte mean that a character is missing.
        guard held < 5 else { throw OneTimeSeed.Mistake("its length is wrong, so a character is missing or too many") }
        guard OneTimeLimits.seed.contains(bytes.count) else {
            throw OneTimeSeed.Mistake(digits == 0 ? "it is empty" : "it is too short or too long")
        }
        return bytes
    }
}

/// Percent-encoding of RFC 3986.
enum PercentEncoding {
    /// - Returns: nil if two hexadecimal digits do not follow each percent sign, or if the result is not UTF-8.
    static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.popFirst() {
            guard first == UInt8(ascii: "%") else {
                bytes.append(first)
                continue
            }
            guard rest.count >= 2, let high = Character(Unicode.Scalar(rest.removeFirst())).hexDigitValue,
                let low = Character(Unicode.Scalar(rest.removeFirst())).hexDigitValue
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return String(validating: bytes, as: UTF8.self)
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
