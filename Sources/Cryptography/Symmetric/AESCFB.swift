import COpenSSL

/// AES-128-CFB (NIST SP 800-38A), as a TPM encrypts what it is sent. It hides, but does not authenticate.
public enum AESCFB {
    public static let keyCount = 16

    /// Encrypts under a key that is used once, so its vector is zeros. TPM 2.0 Library, Part 1, section 24.4.
    ///
    /// - Parameter key: 16 bytes.
    /// - Throws: `.invalidKey`, `.invalidLength` above 1 KiB, `.outOfMemory`, `.library`.
    public static func encryptOnce(_ plain: SecretBytes, key: SecretBytes) throws(CryptographyError) -> [UInt8] {
        guard key.count == keyCount else {
            throw CryptographyError(code: .invalidKey, reason: "an AES-128 key has 16 bytes")
        }
        guard (1...1024).contains(plain.count) else {
            throw CryptographyError(code: .invalidLength, reason: "AES-CFB does not take an input of this length")
        }
        let context = try AESGCM.newContext()
        let vector = [UInt8](repeating: 0, count: 16)
        let started = unsafe key.withUnsafeBytes {
            unsafe libcrypto.EVP_CipherInit_ex2(
                context.pointer, libcrypto.EVP_aes_128_cfb128(), $0.baseAddress?.assumingMemoryBound(to: UInt8.self),
                vector, 1,
                nil)
        }
        try OpenSSL.check(started, "start AES-CFB")
        var encrypted = [UInt8](repeating: 0, count: plain.count)
        var written: Int32 = 0
        let updated = unsafe plain.withUnsafeBytes {
            unsafe libcrypto.EVP_CipherUpdate(
                context.pointer, &encrypted, &written, $0.baseAddress?.assumingMemoryBound(to: UInt8.self),
                Int32($0.count))
        }
        try OpenSSL.check(updated, "use AES-CFB")
        guard Int(written) == plain.count else { throw OpenSSL.failure("use AES-CFB") }
        return encrypted
    }
}
