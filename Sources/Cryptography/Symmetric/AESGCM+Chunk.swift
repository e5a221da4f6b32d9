import COpenSSL

/// One message with a nonce that the caller chose, for streams that count. Arrays go in and come out, because a stream's
/// content is not kept in secret memory.
extension AESGCM {
    /// - Returns: ciphertext ‖ tag.
    static func sealChunk(
        _ plain: [UInt8], key: SecretBytes, nonce: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        try check(key: key, lengths: plain.count)
        let context = try newContext()
        let started = unsafe key.withUnsafeBytes {
            unsafe EVP_EncryptInit_ex2(
                context.pointer, Fetched.aesGCM?.pointer ?? EVP_aes_256_gcm(),
                $0.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, nil)
        }
        try OpenSSL.check(started, "start AES-GCM")
        var sealed = [UInt8](repeating: 0, count: plain.count + tagCount)
        var written: Int32 = 0
        if !plain.isEmpty {
            try OpenSSL.check(
                unsafe EVP_EncryptUpdate(context.pointer, &sealed, &written, plain, Int32(plain.count)), "encrypt")
        }
        guard Int(written) == plain.count else { throw OpenSSL.failure("encrypt everything") }
        var spare = [UInt8](repeating: 0, count: 16)
        try OpenSSL.check(unsafe EVP_EncryptFinal_ex(context.pointer, &spare, &written), "finish encrypting")
        let tagged = unsafe sealed.withUnsafeMutableBytes {
            unsafe EVP_CIPHER_CTX_ctrl(
                context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), $0.baseAddress.map { unsafe $0 + plain.count })
        }
        try OpenSSL.check(tagged, "make a tag")
        return sealed
    }

    /// - Parameter sealed: ciphertext ‖ tag.
    static func openChunk(
        _ sealed: [UInt8], key: SecretBytes, nonce: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        try check(key: key, lengths: sealed.count)
        guard sealed.count >= tagCount else {
            throw CryptographyError(code: .authenticationFailed, reason: "too short to have been sealed")
        }
        let context = try newContext()
        let started = unsafe key.withUnsafeBytes {
            unsafe EVP_DecryptInit_ex2(
                context.pointer, Fetched.aesGCM?.pointer ?? EVP_aes_256_gcm(),
                $0.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, nil)
        }
        try OpenSSL.check(started, "start AES-GCM")
        let count = sealed.count - tagCount
        var tag = Array(sealed[count...])
        try OpenSSL.check(
            unsafe EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag), "set a tag")
        var plain = [UInt8](repeating: 0, count: count)
        var written: Int32 = 0
        if count > 0 {
            try OpenSSL.check(
                unsafe EVP_DecryptUpdate(context.pointer, &plain, &written, sealed, Int32(count)), "decrypt")
        }
        guard Int(written) == count else { throw OpenSSL.failure("decrypt everything") }
        var spare = [UInt8](repeating: 0, count: 16)
        guard unsafe EVP_DecryptFinal_ex(context.pointer, &spare, &written) == 1 else {
            let raw = OpenSSL.failure("decrypt").openSSLCode
            // Nobody has vouched for these bytes.
            unsafe plain.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
            throw CryptographyError(
                code: .authenticationFailed, reason: "key, place or bytes are not those that were sealed",
                openSSLCode: raw)
        }
        return plain
    }
}
