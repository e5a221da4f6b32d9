import COpenSSL

/// The ciphers that a stream's chunks can be sealed with: AEADs with keys of 32, nonces of 12 and tags of 16 bytes.
public enum ChunkCipher: Sendable {
    /// AES-256-GCM (NIST SP 800-38D).
    case aesGCM
    /// ChaCha20-Poly1305 (RFC 8439), as age uses it.
    case chaChaPoly

    private var fetched: Fetched? {
        switch self {
        case .aesGCM: Fetched.aesGCM
        case .chaChaPoly: Fetched.chaChaPoly
        }
    }

    private var pointer: OpaquePointer? {
        if let fetched { return unsafe fetched.pointer }
        return switch self {
        case .aesGCM: libcrypto.EVP_aes_256_gcm()
        case .chaChaPoly: libcrypto.EVP_chacha20_poly1305()
        }
    }
}

/// One message with a nonce that the caller chose, for streams that count and for keys that are used once. Arrays go in
/// and come out, because a stream's content is not kept in secret memory.
extension ChunkCipher {
    /// Seals with the caller's nonce. Using a nonce twice with one key reveals both messages.
    ///
    /// - Returns: ciphertext ‖ tag.
    /// - Throws: `.invalidKey`, `.invalidLength`, `.outOfMemory`, `.library`.
    public func seal(
        _ plain: [UInt8], key: SecretBytes, nonce: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        try check(key, nonce, length: plain.count)
        let context = try AESGCM.newContext()
        let started = unsafe key.withUnsafeBytes {
            unsafe libcrypto.EVP_EncryptInit_ex2(
                context.pointer, pointer,
                $0.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, nil)
        }
        try OpenSSL.check(started, "start a cipher")
        var sealed = [UInt8](repeating: 0, count: plain.count + AESGCM.tagCount)
        var written: Int32 = 0
        if !plain.isEmpty {
            try OpenSSL.check(
                unsafe libcrypto.EVP_EncryptUpdate(context.pointer, &sealed, &written, plain, Int32(plain.count)),
                "encrypt")
        }
        guard Int(written) == plain.count else { throw OpenSSL.failure("encrypt everything") }
        var spare = [UInt8](repeating: 0, count: 16)
        try OpenSSL.check(unsafe libcrypto.EVP_EncryptFinal_ex(context.pointer, &spare, &written), "finish encrypting")
        let tagged = unsafe sealed.withUnsafeMutableBytes {
            unsafe libcrypto.EVP_CIPHER_CTX_ctrl(
                context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(AESGCM.tagCount),
                $0.baseAddress.map { unsafe $0 + plain.count })
        }
        try OpenSSL.check(tagged, "make a tag")
        return sealed
    }

    /// - Parameter sealed: ciphertext ‖ tag.
    /// - Throws: `.authenticationFailed` if the key, the nonce or any byte differs; `.invalidKey`, `.invalidLength`,
    ///   `.outOfMemory`, `.library`.
    public func open(
        _ sealed: [UInt8], key: SecretBytes, nonce: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        try check(key, nonce, length: sealed.count)
        guard sealed.count >= AESGCM.tagCount else {
            throw CryptographyError(code: .authenticationFailed, reason: "too short to have been sealed")
        }
        let context = try AESGCM.newContext()
        let started = unsafe key.withUnsafeBytes {
            unsafe libcrypto.EVP_DecryptInit_ex2(
                context.pointer, pointer,
                $0.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, nil)
        }
        try OpenSSL.check(started, "start a cipher")
        let count = sealed.count - AESGCM.tagCount
        var tag = Array(sealed[count...])
        try OpenSSL.check(
            unsafe libcrypto.EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(AESGCM.tagCount), &tag),
            "set a tag")
        var plain = [UInt8](repeating: 0, count: count)
        var written: Int32 = 0
        if count > 0 {
            try OpenSSL.check(
                unsafe libcrypto.EVP_DecryptUpdate(context.pointer, &plain, &written, sealed, Int32(count)), "decrypt")
        }
        guard Int(written) == count else { throw OpenSSL.failure("decrypt everything") }
        var spare = [UInt8](repeating: 0, count: 16)
        guard unsafe libcrypto.EVP_DecryptFinal_ex(context.pointer, &spare, &written) == 1 else {
            let raw = OpenSSL.failure("decrypt").openSSLCode
            // Nobody has vouched for these bytes.
            unsafe plain.withUnsafeMutableBytes { unsafe libcrypto.OPENSSL_cleanse($0.baseAddress, $0.count) }
            throw CryptographyError(
                code: .authenticationFailed, reason: "key, place or bytes are not those that were sealed",
                openSSLCode: raw)
        }
        return plain
    }

    private func check(_ key: SecretBytes, _ nonce: [UInt8], length: Int) throws(CryptographyError) {
        try AESGCM.check(key: key, lengths: length)
        guard nonce.count == AESGCM.nonceCount else {
            throw CryptographyError(code: .invalidLength, reason: "the nonce of a chunk has 12 bytes")
        }
    }
}
