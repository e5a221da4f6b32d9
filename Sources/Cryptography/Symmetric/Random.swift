import COpenSSL

/// Random bytes that are not secret, such as ids, nonces and salts. Use `SecretBytes.random` for secrets.
public enum Random {
    /// - Throws: `.library`; `.invalidLength` for a negative count.
    public static func bytes(_ count: Int) throws(CryptographyError) -> [UInt8] {
        guard count >= 0 else {
            throw CryptographyError(code: .invalidLength, reason: "a negative number of random bytes")
        }
        var bytes = [UInt8](repeating: 0, count: count)
        try OpenSSL.check(unsafe libcrypto.RAND_bytes_ex(nil, &bytes, count, 256), "make random bytes")
        return bytes
    }
}
