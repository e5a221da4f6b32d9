import FoundationEssentials

/// Base64 of what is no secret: nonces, hashes, signatures, public keys.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// - Returns: nil for anything but whole, padded base64.
    static func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map(Array.init) }
}
