import COpenSSL

/// SHA-256 of FIPS 180-4.
public enum SHA256 {
    /// The length of a digest in bytes.
    public static let count = 32

    /// The 32-byte digest.
    ///
    /// - Throws: `.library`.
    public static func digest(_ bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        var written: UInt32 = 0
        try OpenSSL.check(
            unsafe libcrypto.EVP_Digest(
                bytes, bytes.count, &digest, &written, Fetched.sha256?.pointer ?? libcrypto.EVP_sha256(), nil),
            "hash")
        return digest
    }
}
