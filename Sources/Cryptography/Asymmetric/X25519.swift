import COpenSSL

/// Key agreement on Curve25519, RFC 7748.
public enum X25519 {
    /// The length of public keys, private keys and shared secrets in bytes.
    public static let count = 32

    public struct PrivateKey: Sendable {
        /// 32 bytes, not clamped. RFC 7748 clamps when the key is used.
        public let rawRepresentation: SecretBytes
        /// 32 bytes.
        public let publicKey: [UInt8]

        /// - Throws: `.invalidKey` unless there are 32 bytes; `.outOfMemory`, `.library`.
        public init(rawRepresentation: SecretBytes) throws(CryptographyError) {
            let key = try PrivateKey.handle(rawRepresentation)
            var publicKey = [UInt8](repeating: 0, count: X25519.count)
            var length = X25519.count
            try OpenSSL.check(
                unsafe libcrypto.EVP_PKEY_get_raw_public_key(key.pointer, &publicKey, &length), "compute a public key")
            self.rawRepresentation = rawRepresentation
            self.publicKey = publicKey
        }

        /// - Throws: `.outOfMemory`, `.library`.
        public static func generate() throws(CryptographyError) -> PrivateKey {
            try PrivateKey(rawRepresentation: .random(count: X25519.count))
        }

        /// The 32-byte shared secret.
        ///
        /// - Throws: `.invalidKey` for a public key of another length or of small order; `.outOfMemory`, `.library`.
        public func sharedSecret(with publicKey: [UInt8]) throws(CryptographyError) -> SecretBytes {
            guard publicKey.count == X25519.count else {
                throw CryptographyError(code: .invalidKey, reason: "an X25519 public key has 32 bytes")
            }
            let mine = try handle()
            // Any 32 bytes are a valid key, public or private, so the only cause of a failure is a lack of memory.
            let theirs = try unsafe Handle(
                libcrypto.EVP_PKEY_new_raw_public_key_ex(nil, "X25519", nil, publicKey, publicKey.count),
                "read a public key",
                code: .outOfMemory
            ) { unsafe libcrypto.EVP_PKEY_free($0) }
            return try KeyAgreement.derive(
                mine, theirs, count: X25519.count,
                // The point has small order. Agreeing allocates no memory.
                failure: .invalidKey)
        }

        /// Both halves for OpenSSL, which would compute the public one again and take as long as for the agreement.
        private func handle() throws(CryptographyError) -> Handle {
            let context = try unsafe Handle(
                libcrypto.EVP_PKEY_CTX_new_from_name(nil, "X25519", nil), "read a private key"
            ) {
                unsafe libcrypto.EVP_PKEY_CTX_free($0)
            }
            try OpenSSL.check(unsafe libcrypto.EVP_PKEY_fromdata_init(context.pointer), "read a private key")
            var point = publicKey
            var key: OpaquePointer?
            let result = unsafe rawRepresentation.withUnsafeBytes { raw in
                unsafe point.withUnsafeMutableBytes { point in
                    var parameters = unsafe [
                        libcrypto.OSSL_PARAM_construct_octet_string(
                            ParameterName.privateKey.pointer, UnsafeMutableRawPointer(mutating: raw.baseAddress),
                            raw.count),
                        libcrypto.OSSL_PARAM_construct_octet_string(
                            ParameterName.publicKey.pointer, point.baseAddress, point.count),
                        libcrypto.OSSL_PARAM_construct_end(),
                    ]
                    return unsafe libcrypto.EVP_PKEY_fromdata(
                        context.pointer, &key, OSSL_KEYMGMT_SELECT_PRIVATE_KEY | OSSL_KEYMGMT_SELECT_PUBLIC_KEY,
                        &parameters)
                }
            }
            // Both halves were read before, so the only cause left is a lack of memory.
            try OpenSSL.check(result, "read a private key", code: .outOfMemory)
            return try unsafe Handle(key, "read a private key", code: .outOfMemory) {
                unsafe libcrypto.EVP_PKEY_free($0)
            }
        }

        private static func handle(_ raw: SecretBytes) throws(CryptographyError) -> Handle {
            guard raw.count == X25519.count else {
                throw CryptographyError(code: .invalidKey, reason: "an X25519 private key has 32 bytes")
            }
            let pointer = unsafe raw.withUnsafeBytes {
                unsafe libcrypto.EVP_PKEY_new_raw_private_key_ex(
                    nil, "X25519", nil, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count)
            }
            return try unsafe Handle(pointer, "read a private key", code: .outOfMemory) {
                unsafe libcrypto.EVP_PKEY_free($0)
            }
        }
    }
}
