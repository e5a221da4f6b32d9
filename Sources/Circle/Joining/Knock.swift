import Authorization
import Cryptography

/// What an invited machine writes, so that an admin finds its request (docs/sync-format.md, “Invitation”).
package struct Knock: Sendable {
    /// The code of its request.
    package let code: JoinCode
    private let circle: StatementName
    private let signature: [UInt8]

    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.knock".utf8))
    /// The length of a code in bytes, with all that people see of it.
    private static let code = 64

    static func content(
        circle: StatementName, code: JoinCode, signature: [UInt8]
    ) throws(CryptographyError) -> SecretBytes {
        let text = try code.text
        return try .concatenating([
            SecretBytes(
                copying: domain + BigEndian.bytes(CircleLimits.version) + circle.bytes
                    + BigEndian.bytes(UInt32(text.count))),
            text, SecretBytes(copying: signature),
        ])
    }

    static func signedBytes(circle: StatementName, request: JoinRequest) -> [UInt8] {
        domain + circle.bytes + request.digest
    }

    /// - Throws: `CircleFormError`.
    init(decoding opened: SecretBytes, circle: StatementName) throws(CircleFormError) {
        // The code opens a request and its answer, which hold public keys and what is sealed to one of them.
        let bytes = opened.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        var rest = bytes[...]
        try rest.domain(Self.domain)
        try rest.version()
        guard try rest.circle() == circle else { throw .place }
        let text = try rest.prefixed(upTo: Self.code)
        signature = try rest.take(P256.signatureCount)
        try rest.end()
        self.circle = circle
        let typed = try library { () throws(CryptographyError) in try SecretBytes(copying: text) }
        let code: JoinCode
        do throws(JoinCodeError) { code = try JoinCode(reading: typed) } catch { throw .form }
        // Each knock has one form.
        let spelled = try library { () throws(CryptographyError) -> SecretBytes in try code.text }
        guard spelled == typed else { throw .form }
        self.code = code
    }

    /// Whether somebody with the invitation has made it for this request.
    package func isFor(_ request: JoinRequest, by key: InvitationKey) throws(CircleFormError) -> Bool {
        let isSigned = SignedStatement.isValid(
            signature, for: Self.signedBytes(circle: circle, request: request), by: key.point)
        guard isSigned else { return false }
        return try code.isCode(of: request)
    }
}
