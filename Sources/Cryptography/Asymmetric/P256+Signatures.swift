import COpenSSL

/// ECDSA with SHA-256. Signatures are `r ‖ s`, 64 bytes, as in TPM and JOSE. OpenSSL's DER form never leaves this file.
extension P256.PrivateKey {
    /// - Throws: `.library`, `.outOfMemory`.
    public func signature(for message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let key = try handle()
        let context = try unsafe Handle(libcrypto.EVP_MD_CTX_new(), "allocate a digest") {
            unsafe libcrypto.EVP_MD_CTX_free($0)
        }
        try OpenSSL.check(
            unsafe libcrypto.EVP_DigestSignInit_ex(context.pointer, nil, "SHA256", nil, nil, key.pointer, nil),
            "start to sign")
        var der = [UInt8](repeating: 0, count: 80)
        var length = der.count
        try OpenSSL.check(
            unsafe libcrypto.EVP_DigestSign(context.pointer, &der, &length, message, message.count), "sign")
        return try P256.fromDER(Array(der.prefix(length)))
    }

    /// The same for a message whose SHA-256 is at hand, as a TPM signs.
    ///
    /// - Throws: `.invalidLength` unless the digest has 32 bytes; `.library`, `.outOfMemory`.
    public func signature(forDigest digest: [UInt8]) throws(CryptographyError) -> [UInt8] {
        guard digest.count == SHA256.count else {
            throw CryptographyError(code: .invalidLength, reason: "a digest to sign has 32 bytes")
        }
        let key = try handle()
        let context = try unsafe Handle(libcrypto.EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), "start to sign") {
            unsafe libcrypto.EVP_PKEY_CTX_free($0)
        }
        try OpenSSL.check(unsafe libcrypto.EVP_PKEY_sign_init(context.pointer), "start to sign")
        var der = [UInt8](repeating: 0, count: 80)
        var length = der.count
        try OpenSSL.check(
            unsafe libcrypto.EVP_PKEY_sign(context.pointer, &der, &length, digest, digest.count), "sign")
        return try P256.fromDER(Array(der.prefix(length)))
    }
}

extension P256 {
    /// Whether the key's holder signed this message.
    ///
    /// - Throws: `.invalidKey` for a point off the curve, `.invalidSignature` unless there are 64 bytes, `.library`.
    public static func isValid(
        signature: [UInt8], for message: [UInt8], publicKey: [UInt8]
    ) throws(CryptographyError) -> Bool {
        let key = try publicHandle(publicKey)
        let der = try toDER(signature)
        let context = try unsafe Handle(libcrypto.EVP_MD_CTX_new(), "allocate a digest") {
            unsafe libcrypto.EVP_MD_CTX_free($0)
        }
        try OpenSSL.check(
            unsafe libcrypto.EVP_DigestVerifyInit_ex(context.pointer, nil, "SHA256", nil, nil, key.pointer, nil),
            "start to check a signature")
        let result = unsafe libcrypto.EVP_DigestVerify(context.pointer, der, der.count, message, message.count)
        if result == 1 { return true }
        let failure = OpenSSL.failure("check a signature")
        // 0 means a wrong signature. A negative result means another failure, which must not pass for a wrong
        // signature.
        guard result == 0 else { throw failure }
        return false
    }

    private static func fromDER(_ der: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let parsed = unsafe der.withUnsafeBufferPointer { der in
            var start = der.baseAddress
            return unsafe libcrypto.d2i_ECDSA_SIG(nil, &start, der.count)
        }
        let signature = try unsafe Handle(parsed, "read a signature", code: .invalidSignature) {
            unsafe libcrypto.ECDSA_SIG_free($0)
        }
        var bytes = [UInt8](repeating: 0, count: signatureCount)
        let written = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            unsafe libcrypto.BN_bn2binpad(
                libcrypto.ECDSA_SIG_get0_r(signature.pointer), bytes.baseAddress, Int32(scalarCount))
                + libcrypto.BN_bn2binpad(
                    libcrypto.ECDSA_SIG_get0_s(signature.pointer), bytes.baseAddress?.advanced(by: scalarCount),
                    Int32(scalarCount))
        }
        guard written == signatureCount else {
            throw OpenSSL.failure("write a signature", code: .invalidSignature)
        }
        return bytes
    }

    private static func toDER(_ signature: [UInt8]) throws(CryptographyError) -> [UInt8] {
        guard signature.count == signatureCount else {
            throw CryptographyError(code: .invalidSignature, reason: "a P-256 signature has 64 bytes")
        }
        let first = Array(signature.prefix(scalarCount))
        let second = Array(signature.suffix(scalarCount))
        let parsed = try unsafe Handle(libcrypto.ECDSA_SIG_new(), "allocate a signature") {
            unsafe libcrypto.ECDSA_SIG_free($0)
        }
        let r = unsafe libcrypto.BN_bin2bn(first, Int32(first.count), nil)
        let s = unsafe libcrypto.BN_bin2bn(second, Int32(second.count), nil)
        // On success the signature owns both numbers.
        guard unsafe libcrypto.ECDSA_SIG_set0(parsed.pointer, r, s) == 1 else {
            unsafe libcrypto.BN_free(r)
            unsafe libcrypto.BN_free(s)
            throw OpenSSL.failure("read a signature", code: .outOfMemory)
        }
        let length = unsafe libcrypto.i2d_ECDSA_SIG(parsed.pointer, nil)
        guard length > 0 else { throw OpenSSL.failure("encode a signature", code: .invalidSignature) }
        var der = [UInt8](repeating: 0, count: Int(length))
        let written = unsafe der.withUnsafeMutableBufferPointer { der in
            var start = der.baseAddress
            return unsafe libcrypto.i2d_ECDSA_SIG(parsed.pointer, &start)
        }
        guard written == length else { throw OpenSSL.failure("encode a signature", code: .invalidSignature) }
        return der
    }
}
