import COpenSSL

/// AES-128-CBC (NIST SP 800-38A) with the padding of PKCS #7, for the Secret Service's sessions.
/// It hides, but does not authenticate. It is for protocols that leave no choice.
public enum AESCBC {
    public static let keyCount = 16
    public static let blockCount = 16

    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - vector: 16 bytes, new for each message.
    /// - Throws: `.invalidKey`, `.invalidLength`, `.outOfMemory`, `.library`.
    public static func encrypt(
        _ plain: SecretBytes, key: SecretBytes, vector: [UInt8]
    ) throws(CryptographyError) -> SecretBytes {
        try transform(plain, key: key, vector: vector, encrypts: true)
    }

    /// - Throws: `.authenticationFailed` if the padding is wrong; otherwise as ``encrypt(_:key:vector:)``.
    public static func decrypt(
        _ encrypted: SecretBytes, key: SecretBytes, vector: [UInt8]
    ) throws(CryptographyError) -> SecretBytes {
        guard !encrypted.isEmpty, encrypted.count % blockCount == 0 else {
            throw CryptographyError(code: .invalidLength, reason: "AES-CBC makes whole blocks")
        }
        return try transform(encrypted, key: key, vector: vector, encrypts: false)
    }

    private static func transform(
        _ input: SecretBytes, key: SecretBytes, vector: [UInt8], encrypts: Bool
    ) throws(CryptographyError) -> SecretBytes {
        guard key.count == keyCount else {
            throw CryptographyError(code: .invalidKey, reason: "an AES-128 key has 16 bytes")
        }
        guard vector.count == blockCount, input.count <= Int(Int32.max) - 2 * blockCount else {
            throw CryptographyError(code: .invalidLength, reason: "AES-CBC does not take inputs of these lengths")
        }
        let context = try AESGCM.newContext()
        let started = unsafe key.withUnsafeBytes {
            unsafe libcrypto.EVP_CipherInit_ex2(
                context.pointer, libcrypto.EVP_aes_128_cbc(), $0.baseAddress?.assumingMemoryBound(to: UInt8.self),
                vector,
                encrypts ? 1 : 0, nil)
        }
        try OpenSSL.check(started, "start AES-CBC")
        return try unsafe SecretBytes(unsafeCapacity: input.count + blockCount) { (output) throws(CryptographyError) in
            let start = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var written: Int32 = 0
            let updated = unsafe input.withUnsafeBytes {
                unsafe libcrypto.EVP_CipherUpdate(
                    context.pointer, start, &written, $0.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    Int32($0.count))
            }
            try OpenSSL.check(updated, "use AES-CBC")
            var rest: Int32 = 0
            try OpenSSL.check(
                unsafe libcrypto.EVP_CipherFinal_ex(context.pointer, start.map { unsafe $0 + Int(written) }, &rest),
                "finish AES-CBC", code: encrypts ? .library : .authenticationFailed)
            return Int(written) + Int(rest)
        }
    }
}
