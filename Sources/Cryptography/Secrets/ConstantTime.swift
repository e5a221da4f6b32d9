import COpenSSL

/// Compares in a time that does not depend on where the bytes differ.
public enum ConstantTime {
    /// Whether both have the same bytes. Lengths are not secret.
    public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe libcrypto.CRYPTO_memcmp(left, right, left.count) == 0
    }
}
