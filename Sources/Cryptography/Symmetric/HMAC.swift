import COpenSSL

/// HMAC of RFC 2104 with the digests that one-time passwords use. Coffer's own formats use ``HMACSHA256`` alone.
public enum HMAC {
    /// The digest. The raw value is OpenSSL's name.
    public enum Digest: String, Sendable, CaseIterable {
        case sha1 = "SHA1"
        case sha256 = "SHA256"
        case sha512 = "SHA512"

        /// The length of a code in bytes.
        public var count: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    /// The code, as long as the digest.
    ///
    /// - Throws: `.library`.
    public static func code(
        for message: [UInt8], key: SecretBytes, digest: Digest
    ) throws(CryptographyError) -> [UInt8] {
        let context = try newContext()
        var digestName = Array(digest.rawValue.utf8CString)
        let started = unsafe key.withUnsafeBytes { key in
            unsafe digestName.withUnsafeMutableBufferPointer { digestName in
                let parameters = unsafe [
                    libcrypto.OSSL_PARAM_construct_utf8_string(ParameterName.digest.pointer, digestName.baseAddress, 0),
                    libcrypto.OSSL_PARAM_construct_end(),
                ]
                return unsafe libcrypto.EVP_MAC_init(
                    context.pointer, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, parameters)
            }
        }
        try OpenSSL.check(started, "start an HMAC")
        try OpenSSL.check(unsafe libcrypto.EVP_MAC_update(context.pointer, message, message.count), "compute an HMAC")
        var code = [UInt8](repeating: 0, count: digest.count)
        var written = 0
        try OpenSSL.check(
            unsafe libcrypto.EVP_MAC_final(context.pointer, &code, &written, digest.count), "compute an HMAC")
        guard written == digest.count else { throw OpenSSL.failure("compute an HMAC") }
        return code
    }

    private static func newContext() throws(CryptographyError) -> Handle {
        if let method = Fetched.hmac { return try unsafe context(method.pointer) }
        let method = try unsafe Handle(libcrypto.EVP_MAC_fetch(nil, "HMAC", nil), "find HMAC") {
            unsafe libcrypto.EVP_MAC_free($0)
        }
        return try unsafe context(method.pointer)
    }

    private static func context(_ method: OpaquePointer) throws(CryptographyError) -> Handle {
        try unsafe Handle(libcrypto.EVP_MAC_CTX_new(method), "start an HMAC", code: .outOfMemory) {
            unsafe libcrypto.EVP_MAC_CTX_free($0)
        }
    }
}

/// HMAC of RFC 2104 with SHA-256.
public enum HMACSHA256 {
    /// The length of a code in bytes.
    public static let count = 32

    /// The 32-byte code.
    ///
    /// - Throws: `.library`.
    public static func code(for message: [UInt8], key: SecretBytes) throws(CryptographyError) -> [UInt8] {
        try HMAC.code(for: message, key: key, digest: .sha256)
    }

    /// Whether `code` is the message's code. Compares in constant time.
    ///
    /// - Throws: `.library`.
    public static func isValid(
        _ code: [UInt8], for message: [UInt8], key: SecretBytes
    ) throws(CryptographyError) -> Bool {
        ConstantTime.equal(try self.code(for: message, key: key), code)
    }
}
