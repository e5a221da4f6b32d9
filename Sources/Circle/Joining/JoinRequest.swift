import Authorization
import Cryptography
import Recovery

/// What a new device shows of itself before it is a member (docs/sync-format.md, “Request”).
package struct JoinRequest: Hashable, Sendable {
    package let keys: MemberKeys
    /// What the answer's keys are sealed to: an X25519 key of 32 bytes.
    package let oneTimeKey: [UInt8]
    package let protection: KeyProtection
    package let name: MachineName
    /// Milliseconds since 1970-01-01 UTC.
    package let time: UInt64
    package let bytes: [UInt8]
    /// The SHA-256 of the bytes.
    package let digest: [UInt8]

    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.request".utf8))

    /// - Throws: `.length`, `.range`, `.hash`.
    package init(
        keys: MemberKeys, oneTimeKey: [UInt8], protection: KeyProtection, name: MachineName, time: UInt64
    ) throws(CircleFormError) {
        guard oneTimeKey.count == X25519.count else { throw .length }
        guard time <= PartStamp.last else { throw .range }
        (self.keys, self.oneTimeKey, self.protection) = (keys, oneTimeKey, protection)
        (self.name, self.time) = (name, time)
        bytes =
            Self.domain + BigEndian.bytes(CircleLimits.version) + keys.bytes + oneTimeKey + [protection.rawValue]
            + name.bytes + BigEndian.bytes(time)
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
        guard let protection = KeyProtection(rawValue: try rest.integer()) else { throw .kind }
        let name = try MachineName(from: &rest)
        let time = try rest.time()
        try rest.end()
        try self.init(
            keys: keys, oneTimeKey: oneTimeKey, protection: protection, name: name, time: time)
    }

    /// Whether a statement adds exactly what a person's code stands for. The authenticator asks this before it signs, so
    /// that no broker can put in other keys.
    ///
    /// - Throws: `.hash`.
    package func isAdded(by statement: Statement, code: JoinCode) throws(CircleFormError) -> Bool {
        guard case .addition(keys, _, _) = statement.content else { return false }
        return try code.isCode(of: self)
    }
}

/// The words that both machines of a joining show (docs/sync-format.md, “Check words”).
package enum CheckWords {
    /// The length of the list of words.
    package static let listCount: UInt64 = 1296
    package static let count = 5

    /// The words as people see them, with blanks between them.
    ///
    /// - Throws: `.hash`.
    package static func text(circle: StatementName, request: JoinRequest) throws(CircleFormError) -> String {
        try places(circle: circle, request: request).map { String(WordList.all[$0]) }.joined(separator: " ")
    }

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
