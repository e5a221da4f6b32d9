import Authorization
import Cryptography

/// Why a text is no invitation. The error tells nothing of it.
package enum InvitationError: Error, Sendable, Equatable {
    case form
    case noMemory
}

/// What lets machines join a circle without a person at them (docs/sync-format.md, “Invitation”). Who has it may knock, so it
/// is a secret until it ends.
package struct Invitation: Sendable {
    /// The length of its text in bytes.
    package static let textCount = prefix.count + 2 * StatementName.count + 1 + 2 * P256.scalarCount

    /// The circle that it leads to, and no other.
    package let circle: StatementName
    private let secret: P256.PrivateKey

    private static let prefix = Array("coffer-invitation-1:".utf8)

    /// A new one.
    ///
    /// - Throws: `.outOfMemory`, `.library`.
    package init(to circle: StatementName) throws(CryptographyError) {
        (self.circle, secret) = (circle, try P256.PrivateKey.generate())
    }

    /// Reads the text of one, with or without an end of line.
    ///
    /// - Throws: ``InvitationError``.
    package init(reading text: SecretBytes) throws(InvitationError) {
        let (prefix, circleEnd) = (Self.prefix, Self.prefix.count + 2 * StatementName.count)
        let count = Self.textCount
        let isWhole = text.withBytes { bytes in
            let end = bytes.count > count ? UInt8(ascii: "\n") : nil
            return (count...count + 1).contains(bytes.count) && prefix.indices.allSatisfy { bytes[$0] == prefix[$0] }
                && bytes[circleEnd] == UInt8(ascii: ":") && (end == nil || bytes[count] == end)
        }
        guard isWhole else { throw .form }
        let name = text.withBytes { bytes in (prefix.count..<circleEnd).map { bytes[$0] } }
        guard let circle = Hex.decode(String(decoding: name, as: UTF8.self)).flatMap(StatementName.init) else {
            throw .form
        }
        let read: P256.PrivateKey?
        do throws(CryptographyError) {
            read = try Self.scalar(text, from: circleEnd + 1).map { (scalar) throws(CryptographyError) in
                try P256.PrivateKey(rawRepresentation: scalar)
            }
        } catch { throw error.code == .invalidKey ? .form : .noMemory }
        guard let read else { throw .form }
        (self.circle, secret) = (circle, read)
    }

    /// As it is kept in a file, in ASCII, without an end of line.
    ///
    /// - Throws: `.outOfMemory`, `.library`.
    package var text: SecretBytes {
        get throws(CryptographyError) {
            let digits = Array("0123456789abcdef".utf8)
            let name = Array((Hex.encode(circle.bytes) + ":").utf8)
            let scalar = secret.rawRepresentation
            return try .concatenating([
                SecretBytes(copying: Self.prefix + name),
                SecretBytes(
                    copying: scalar.withBytes { bytes in
                        bytes.indices.flatMap { [digits[Int(bytes[$0] >> 4)], digits[Int(bytes[$0] & 15)]] }
                    }),
            ])
        }
    }

    /// What the admin keeps of it.
    package var key: InvitationKey { InvitationKey(circle: circle, checkedPoint: secret.publicKey) }

    /// The file by which a machine shows that it is invited.
    ///
    /// - Parameter code: of the request.
    /// - Throws: `.hash`, `.length` if a library fails.
    package func knock(_ request: JoinRequest, code: JoinCode) throws(CircleFormError) -> (
        path: StorePath, bytes: [UInt8]
    ) {
        try library { () throws(CryptographyError) in
            let signed = try secret.signature(for: Knock.signedBytes(circle: circle, request: request))
            let content = try Knock.content(circle: circle, code: code, signature: SignedStatement.lower(signed))
            let path = StorePath.knock(circle: circle, try key.place, try code.place)
            let sealed = try AESGCM.seal(content, key: try key.sealing, associatedData: Array(path.text.utf8))
            return (path, sealed)
        }
    }

    /// - Returns: nil for anything but the digits of 32 bytes, in lower case.
    private static func scalar(_ text: SecretBytes, from start: Int) throws(CryptographyError) -> SecretBytes? {
        func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        let bytes = text.withBytes { bytes in
            (0..<P256.scalarCount).compactMap { index -> UInt8? in
                guard let high = digit(bytes[start + 2 * index]), let low = digit(bytes[start + 2 * index + 1]) else {
                    return nil
                }
                return high << 4 | low
            }
        }
        return bytes.count == P256.scalarCount ? try SecretBytes(copying: bytes) : nil
    }
}
