/// HMAC of RFC 2104 with SHA-256.
public enum HMACSHA256 {
    /// The length of a code in bytes.
    public static let count = 32

    /// The 32-byte code.
    ///
    /// - Throws: `.library`.
    public static func code(for message: [UInt8], key: SecretBytes) throws(CryptographyError) -> [UInt8] {
        try HMAC.code(for: message, key: key, digest: .sha256)
    }

    /// Whether `code` is the message's code. Compares in constant time.
    ///
    /// - Throws: `.library`.
    public static func isValid(
        _ code: [UInt8], for message: [UInt8], key: SecretBytes
    ) throws(CryptographyError) -> Bool {
        ConstantTime.equal(try self.code(for: message, key: key), code)
    }
}
