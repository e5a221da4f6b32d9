import FoundationEssentials

/// Base64 for values that are not secret: nonces, hashes, signatures, public keys.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// - Returns: nil unless the text is complete, padded base64.
    static func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map(Array.init) }
}
