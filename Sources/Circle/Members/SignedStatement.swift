import Cryptography

/// A statement with its signer's signature.
package struct SignedStatement: Sendable {
    /// The length of a signature in bytes: r and s of ECDSA, 32 bytes each, largest byte first.
    package static let signatureCount = 64

    package let statement: Statement
    package let signature: [UInt8]

    package init(_ statement: Statement, signature: [UInt8]) {
        (self.statement, self.signature) = (statement, signature)
    }

    /// The signature, and the statement: what a record has.
    package var bytes: [UInt8] { signature + statement.bytes }

    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        guard bytes.count <= CircleLimits.statement else { throw .length }
        var rest = bytes[...]
        let signature = try rest.take(Self.signatureCount)
        self.init(try Statement(decoding: Array(rest)), signature: signature)
    }

    /// Half of the order of P-256, rounded down. Of the two signatures (r, s) and (r, n − s), only the one with the
    /// smaller second number counts.
    private static let half: [UInt8] = [
        0x7f, 0xff, 0xff, 0xff, 0x80, 0x00, 0x00, 0x00, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xde, 0x73, 0x7d, 0x56, 0xd3, 0x8b, 0xcf, 0x42, 0x79, 0xdc, 0xe5, 0x61, 0x7e, 0x31, 0x92, 0xa8,
    ]

    /// The order of P-256.
    private static let order: [UInt8] = [
        0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ]

    /// Of (r, s) and (r, n − s), the signature that counts. Signers give either.
    package static func lower(_ signature: [UInt8]) -> [UInt8] {
        signature.count == signatureCount && half.lexicographicallyPrecedes(signature[32...])
            ? other(signature) : signature
    }

    /// - Parameter signature: (r, s), 64 bytes.
    /// - Returns: (r, n − s), which fits the same bytes and key.
    package static func other(_ signature: [UInt8]) -> [UInt8] {
        var result = signature
        var borrow = 0
        for index in (0..<32).reversed() {
            let digit = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = digit < 0 ? 1 : 0
            result[32 + index] = UInt8(truncatingIfNeeded: digit)
        }
        return result
    }

    /// Whether the device with these keys has signed it.
    package func isSigned(by keys: MemberKeys) -> Bool {
        keys.device == statement.signer && Self.isValid(signature, for: statement.bytes, by: keys.membership)
    }

    /// - Parameter keys: the signer's.
    /// - Throws: `.signature`.
    func check(by keys: MemberKeys) throws(CircleFormError) {
        guard isSigned(by: keys) else { throw .signature }
    }

    /// - Parameter key: a P-256 point of 65 bytes.
    package static func isValid(_ signature: [UInt8], for bytes: [UInt8], by key: [UInt8]) -> Bool {
        guard signature.count == Self.signatureCount, !Self.half.lexicographicallyPrecedes(signature[32...]) else {
            return false
        }
        do {
            return try P256.isValid(signature: signature, for: bytes, publicKey: key)
        } catch {
            // A point off the curve, too: nobody can have signed with it.
            return false
        }
    }
}
