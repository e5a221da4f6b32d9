import COpenSSL

/// HKDF of RFC 5869 with SHA-256, extract and expand.
public enum HKDF {
    /// The longest `info`, in bytes. OpenSSL 3.0 takes no more.
    public static let largestInfo = 1024

    /// Derives `count` bytes, 1…8160.
    ///
    /// - Throws: `.invalidLength`, `.outOfMemory`, `.library`.
    public static func derive(
        _ inputKey: SecretBytes, salt: [UInt8], info: [UInt8], count: Int
    ) throws(CryptographyError) -> SecretBytes {
        guard (1...255 * SHA256.count).contains(count), info.count <= largestInfo, !inputKey.isEmpty else {
            throw CryptographyError(code: .invalidLength, reason: "HKDF does not take inputs of these lengths")
        }
        let context = try newContext()
        var digestName = Array("SHA256".utf8CString)
        var salt = salt
        var info = info
        return try unsafe SecretBytes(unsafeCapacity: count) { (output) throws(CryptographyError) in
            let result = unsafe inputKey.withUnsafeBytes { key in
                unsafe digestName.withUnsafeMutableBufferPointer { digestName in
                    unsafe salt.withUnsafeMutableBytes { salt in
                        unsafe info.withUnsafeMutableBytes { info in
                            let parameters = unsafe [
                                libcrypto.OSSL_PARAM_construct_utf8_string(
                                    ParameterName.digest.pointer, digestName.baseAddress, 0),
                                libcrypto.OSSL_PARAM_construct_octet_string(
                                    ParameterName.key.pointer, UnsafeMutableRawPointer(mutating: key.baseAddress),
                                    key.count),
                                libcrypto.OSSL_PARAM_construct_octet_string(
                                    ParameterName.salt.pointer, salt.baseAddress, salt.count),
                                libcrypto.OSSL_PARAM_construct_octet_string(
                                    ParameterName.info.pointer, info.baseAddress, info.count),
                                libcrypto.OSSL_PARAM_construct_end(),
                            ]
                            return unsafe libcrypto.EVP_KDF_derive(
                                context.pointer, output.baseAddress?.assumingMemoryBound(to: UInt8.self), count,
                                parameters)
                        }
                    }
                }
            }
            try OpenSSL.check(result, "derive a key with HKDF")
            return count
        }
    }

    private static func newContext() throws(CryptographyError) -> Handle {
        if let method = Fetched.hkdf { return try unsafe context(method.pointer) }
        let method = try unsafe Handle(libcrypto.EVP_KDF_fetch(nil, "HKDF", nil), "find HKDF") {
            unsafe libcrypto.EVP_KDF_free($0)
        }
        return try unsafe context(method.pointer)
    }

    private static func context(_ method: OpaquePointer) throws(CryptographyError) -> Handle {
        try unsafe Handle(libcrypto.EVP_KDF_CTX_new(method), "start HKDF") { unsafe libcrypto.EVP_KDF_CTX_free($0) }
    }
}
