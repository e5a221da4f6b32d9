import COpenSSL

/// EVP_PKEY_derive, the same for all curves.
enum KeyAgreement {
    /// - Parameter failure: the error code if OpenSSL could read the public key but derives nothing from it.
    static func derive(
        _ privateKey: borrowing Handle, _ publicKey: borrowing Handle, count: Int, failure: CryptographyError.Code
    ) throws(CryptographyError) -> SecretBytes {
        let context = try unsafe Handle(
            libcrypto.EVP_PKEY_CTX_new_from_pkey(nil, privateKey.pointer, nil), "start a key agreement"
        ) { unsafe libcrypto.EVP_PKEY_CTX_free($0) }
        try OpenSSL.check(unsafe libcrypto.EVP_PKEY_derive_init(context.pointer), "start a key agreement")
        try OpenSSL.check(
            unsafe libcrypto.EVP_PKEY_derive_set_peer(context.pointer, publicKey.pointer), "agree with this public key")
        let secret = try unsafe SecretBytes(unsafeCapacity: count) { (output) throws(CryptographyError) in
            var length = count
            try OpenSSL.check(
                unsafe libcrypto.EVP_PKEY_derive(
                    context.pointer, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &length),
                "agree with this public key", code: failure)
            return length
        }
        // RFC 7748, section 6.1: a point of small order gives zeros, a "shared" secret that everybody knows.
        guard secret.count == count, secret != (try SecretBytes.zeros(count: count)) else {
            throw CryptographyError(code: .invalidKey, reason: "this public key gives no shared secret")
        }
        return secret
    }
}
