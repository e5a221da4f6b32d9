import COpenSSL

/// Comparison that takes the same time wherever the bytes differ.
public enum ConstantTime {
    /// Whether both hold the same bytes. Lengths are not secret.
    public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }
}
