import COpenSSL

/// AES-256-GCM (NIST SP 800-38D) with a random 12-byte nonce for each message. The sealed form is `nonce (12) ‖
/// ciphertext ‖ tag (16)`.
public enum AESGCM {
    public static let keyCount = 32
    public static let nonceCount = 12
    public static let tagCount = 16
    /// How much longer the sealed form is than the plain text, in bytes.
    public static let overhead = nonceCount + tagCount

    /// - Parameter key: 32 bytes.
    /// - Throws: `.invalidKey`, `.invalidLength` for more than 2³¹ − 1 bytes, `.library`.
    public static func seal(
        _ plain: SecretBytes, key: SecretBytes, associatedData: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        try seal(plain, key: key, nonce: Random.bytes(nonceCount), associatedData: associatedData)
    }

    /// Seals with the caller's nonce, for published test vectors only. Using a nonce twice reveals both messages.
    static func seal(
        _ plain: SecretBytes, key: SecretBytes, nonce: [UInt8], associatedData: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        try check(key: key, lengths: plain.count, associatedData.count)
        guard nonce.count == nonceCount else {
            throw CryptographyError(code: .invalidLength, reason: "an AES-GCM nonce has 12 bytes")
        }
        let context = try newContext()
        let started = unsafe key.withUnsafeBytes {
            unsafe libcrypto.EVP_EncryptInit_ex2(
                context.pointer, Fetched.aesGCM?.pointer ?? libcrypto.EVP_aes_256_gcm(),
                $0.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, nil)
        }
        try OpenSSL.check(started, "start AES-GCM")
        var written: Int32 = 0
        try OpenSSL.check(
            unsafe libcrypto.EVP_EncryptUpdate(
                context.pointer, nil, &written, associatedData, Int32(associatedData.count)),
            "authenticate associated data")

        var body = [UInt8](repeating: 0, count: plain.count + 16)
        let encrypted = unsafe plain.withUnsafeBytes {
            unsafe libcrypto.EVP_EncryptUpdate(
                context.pointer, &body, &written, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32($0.count))
        }
        try OpenSSL.check(encrypted, "encrypt")
        guard Int(written) == plain.count else { throw OpenSSL.failure("encrypt everything") }
        var unused = [UInt8](repeating: 0, count: 16)
        try OpenSSL.check(unsafe libcrypto.EVP_EncryptFinal_ex(context.pointer, &unused, &written), "finish encrypting")
        var tag = [UInt8](repeating: 0, count: tagCount)
        try OpenSSL.check(
            unsafe libcrypto.EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), &tag),
            "make a tag")
        return nonce + body.prefix(plain.count) + tag
    }

    /// - Parameter key: 32 bytes.
    /// - Throws: `.authenticationFailed` if the key, the associated data or any byte differs; `.invalidKey`,
    ///   `.invalidLength`, `.library`.
    public static func open(
        _ sealed: [UInt8], key: SecretBytes, associatedData: [UInt8]
    ) throws(CryptographyError) -> SecretBytes {
        guard sealed.count >= overhead else {
            throw CryptographyError(code: .authenticationFailed, reason: "too short to have been sealed")
        }
        let nonce = Array(sealed.prefix(nonceCount))
        let body = Array(sealed[nonceCount..<sealed.count - tagCount])
        var tag = Array(sealed.suffix(tagCount))
        try check(key: key, lengths: body.count, associatedData.count)

        let context = try newContext()
        let started = unsafe key.withUnsafeBytes {
            unsafe libcrypto.EVP_DecryptInit_ex2(
                context.pointer, Fetched.aesGCM?.pointer ?? libcrypto.EVP_aes_256_gcm(),
                $0.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, nil)
        }
        try OpenSSL.check(started, "start AES-GCM")
        var written: Int32 = 0
        try OpenSSL.check(
            unsafe libcrypto.EVP_DecryptUpdate(
                context.pointer, nil, &written, associatedData, Int32(associatedData.count)),
            "authenticate associated data")
        try OpenSSL.check(
            unsafe libcrypto.EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag),
            "set a tag")
        // Unauthenticated plain text stays in secret memory, and is wiped if the tag does not match.
        return try unsafe SecretBytes(unsafeCapacity: body.count) { (output) throws(CryptographyError) in
            var spare = [UInt8](repeating: 0, count: 16)
            if !body.isEmpty {
                try OpenSSL.check(
                    unsafe libcrypto.EVP_DecryptUpdate(
                        context.pointer, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &written, body,
                        Int32(body.count)),
                    "decrypt")
                guard Int(written) == body.count else { throw OpenSSL.failure("decrypt everything") }
            }
            guard unsafe libcrypto.EVP_DecryptFinal_ex(context.pointer, &spare, &written) == 1 else {
                let raw = OpenSSL.failure("decrypt").openSSLCode
                throw CryptographyError(
                    code: .authenticationFailed, reason: "key, associated data or bytes are not those that were sealed",
                    openSSLCode: raw)
            }
            return body.count
        }
    }

    static func newContext() throws(CryptographyError) -> Handle {
        try unsafe Handle(libcrypto.EVP_CIPHER_CTX_new(), "allocate a cipher", code: .outOfMemory) {
            unsafe libcrypto.EVP_CIPHER_CTX_free($0)
        }
    }

    static func check(key: SecretBytes, lengths: Int...) throws(CryptographyError) {
        guard key.count == keyCount else {
            throw CryptographyError(code: .invalidKey, reason: "an AES-256 key has 32 bytes")
        }
        guard lengths.allSatisfy({ $0 <= Int(Int32.max) - 32 }) else {
            throw CryptographyError(code: .invalidLength, reason: "too long for one AES-GCM message")
        }
    }
}
