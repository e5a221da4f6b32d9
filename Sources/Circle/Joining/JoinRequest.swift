import Authorization
import Cryptography

/// What a new device shows of itself before it is a member (docs/sync-format.md, “Request”).
package struct JoinRequest: Hashable, Sendable {
    /// Where the device says that its private halves are. Nobody has checked that.
    package enum Protection: UInt8, Sendable {
        case tpm = 1
        case software = 2
    }

    package let keys: MemberKeys
    /// What the answer's keys are sealed to: an X25519 key of 32 bytes.
    package let oneTimeKey: [UInt8]
    package let protection: Protection
    /// What the machine is called. Only ASCII letters and digits, `.`, `_` and `-`, so that no two names look alike by
    /// characters that nobody sees.
    package let name: String
    /// Milliseconds since 1970-01-01 UTC.
    package let time: UInt64
    package let bytes: [UInt8]
    /// The SHA-256 of the bytes.
    package let digest: [UInt8]

    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.request".utf8))

    /// - Throws: `.length`, `.form` for a name that no machine may have, `.range`, `.hash`.
    package init(
        keys: MemberKeys, oneTimeKey: [UInt8], protection: Protection, name: String, time: UInt64
    ) throws(CircleFormError) {
        let letters = Array(name.utf8)
        guard oneTimeKey.count == X25519.count, (1...CircleLimits.name).contains(letters.count) else { throw .length }
        guard letters.allSatisfy({ Self.isLetter($0) || "._-".utf8.contains($0) }), Self.isLetter(letters[0]) else {
            throw .form
        }
        guard time <= PartStamp.last else { throw .range }
        (self.keys, self.oneTimeKey, self.protection) = (keys, oneTimeKey, protection)
        (self.name, self.time) = (name, time)
        bytes =
            Self.domain + BigEndian.bytes(CircleLimits.version) + keys.bytes + oneTimeKey + [protection.rawValue]
            + LengthPrefixed.encode(letters) + BigEndian.bytes(time)
        digest = try CircleDigest.of(bytes)
    }

    /// Reads canonical bytes. Each request has one form.
    ///
    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        guard bytes.count <= CircleLimits.request else { throw .length }
        var rest = bytes[...]
        try rest.domain(Self.domain)
        try rest.version()
        let keys = try MemberKeys(bytes: try rest.take(MemberKeys.count))
        let oneTimeKey = try rest.take(X25519.count)
        guard let protection = Protection(rawValue: try rest.integer()) else { throw .kind }
        let letters = try rest.prefixed(upTo: CircleLimits.name)
        let time = try rest.time()
        try rest.end()
        try self.init(
            keys: keys, oneTimeKey: oneTimeKey, protection: protection,
            name: String(decoding: letters, as: UTF8.self), time: time)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Whether a statement adds exactly what a person's code stands for. The authenticator asks this before it signs, so
    /// that no broker can put in other keys.
    ///
    /// - Throws: `.hash`.
    package func isAdded(by statement: Statement, code: JoinCode) throws(CircleFormError) -> Bool {
        guard case .addition(keys, _) = statement.content else { return false }
        return try code.isCode(of: self)
    }
}

/// The words that both machines of a joining show (docs/sync-format.md, “Check words”).
package enum CheckWords {
    /// The length of the list of words.
    package static let listCount: UInt64 = 1296
    package static let count = 5

    /// - Returns: the places of five words in the list.
    /// - Throws: `.hash`.
    package static func places(circle: StatementName, request: JoinRequest) throws(CircleFormError) -> [Int] {
        let digest = try CircleDigest.of(
            LengthPrefixed.encode(Array("org.coffer.circle.check".utf8)) + circle.bytes + request.digest)
        var number = BigEndian.integer(digest[0..<8])
        var places: [Int] = []
        for _ in 0..<count {
            places.append(Int(number % listCount))
            number /= listCount
        }
        return places.reversed()
    }
}
