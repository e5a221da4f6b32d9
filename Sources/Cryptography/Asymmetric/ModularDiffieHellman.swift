import COpenSSL

/// Diffie-Hellman in the 1024-bit group of RFC 2409, section 6.2 (“Second Oakley Group”), for the Secret Service's sessions.
/// A group of this size keeps nobody out for good. It is for protocols that leave no choice.
public enum ModularDiffieHellman {
    /// The length of public keys and shared secrets in bytes.
    public static let count = 128

    static let prime: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xC9, 0x0F, 0xDA, 0xA2, 0x21, 0x68, 0xC2, 0x34,
        0xC4, 0xC6, 0x62, 0x8B, 0x80, 0xDC, 0x1C, 0xD1, 0x29, 0x02, 0x4E, 0x08, 0x8A, 0x67, 0xCC, 0x74,
        0x02, 0x0B, 0xBE, 0xA6, 0x3B, 0x13, 0x9B, 0x22, 0x51, 0x4A, 0x08, 0x79, 0x8E, 0x34, 0x04, 0xDD,
        0xEF, 0x95, 0x19, 0xB3, 0xCD, 0x3A, 0x43, 0x1B, 0x30, 0x2B, 0x0A, 0x6D, 0xF2, 0x5F, 0x14, 0x37,
        0x4F, 0xE1, 0x35, 0x6D, 0x6D, 0x51, 0xC2, 0x45, 0xE4, 0x85, 0xB5, 0x76, 0x62, 0x5E, 0x7E, 0xC6,
        0xF4, 0x4C, 0x42, 0xE9, 0xA6, 0x37, 0xED, 0x6B, 0x0B, 0xFF, 0x5C, 0xB6, 0xF4, 0x06, 0xB7, 0xED,
        0xEE, 0x38, 0x6B, 0xFB, 0x5A, 0x89, 0x9F, 0xA5, 0xAE, 0x9F, 0x24, 0x11, 0x7C, 0x4B, 0x1F, 0xE6,
        0x49, 0x28, 0x66, 0x51, 0xEC, 0xE6, 0x53, 0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    ]
    static let generator: [UInt8] = [2]

    /// One side's key, made for one agreement. OpenSSL has its private half, and wipes it with this value.
    public struct PrivateKey: ~Copyable {
        private let handle: Handle
        /// 128 bytes, the highest first.
        public let publicKey: [UInt8]

        /// - Throws: `.outOfMemory`, `.library`.
        public static func generate() throws(CryptographyError) -> PrivateKey {
            let parameters = try ModularDiffieHellman.key(publicKey: nil)
            let context = try unsafe Handle(
                libcrypto.EVP_PKEY_CTX_new_from_pkey(nil, parameters.pointer, nil), "start making a key"
            ) { unsafe libcrypto.EVP_PKEY_CTX_free($0) }
            try OpenSSL.check(unsafe libcrypto.EVP_PKEY_keygen_init(context.pointer), "start making a key")
            var made: OpaquePointer?
            try OpenSSL.check(unsafe libcrypto.EVP_PKEY_keygen(context.pointer, &made), "make a key")
            return try PrivateKey(unsafe Handle(made, "make a key") { unsafe libcrypto.EVP_PKEY_free($0) })
        }

        private init(_ handle: consuming Handle) throws(CryptographyError) {
            var number: OpaquePointer?
            try OpenSSL.check(
                unsafe libcrypto.EVP_PKEY_get_bn_param(handle.pointer, ParameterName.publicKey.pointer, &number),
                "read a public key")
            let held = try unsafe Handle(number, "read a public key") { unsafe libcrypto.BN_free($0) }
            var bytes = [UInt8](repeating: 0, count: ModularDiffieHellman.count)
            guard unsafe libcrypto.BN_bn2binpad(held.pointer, &bytes, Int32(bytes.count)) == bytes.count else {
                throw OpenSSL.failure("write a public key")
            }
            publicKey = bytes
            self.handle = handle
        }

        /// The shared secret of 128 bytes, with zeros at its beginning if it is shorter.
        /// - Parameter publicKey: the other side's, the highest byte first. There may be more zeros at its beginning, or none.
        /// - Throws: `.invalidKey` unless it is above 1 and below p − 1: the others give a secret that everybody knows.
        public func sharedSecret(with publicKey: [UInt8]) throws(CryptographyError) -> SecretBytes {
            let padded = try ModularDiffieHellman.checked(publicKey)
            let theirs = try ModularDiffieHellman.key(publicKey: padded)
            let context = try unsafe Handle(
                libcrypto.EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil), "start a key agreement"
            ) { unsafe libcrypto.EVP_PKEY_CTX_free($0) }
            try OpenSSL.check(unsafe libcrypto.EVP_PKEY_derive_init(context.pointer), "start a key agreement")
            try OpenSSL.check(
                unsafe libcrypto.EVP_PKEY_CTX_set_dh_pad(context.pointer, 1), "ask for a secret of full length")
            try OpenSSL.check(
                unsafe libcrypto.EVP_PKEY_derive_set_peer(context.pointer, theirs.pointer),
                "agree with this public key",
                code: .invalidKey)
            let secret = try unsafe SecretBytes(unsafeCapacity: ModularDiffieHellman.count) {
                (output) throws(CryptographyError) in
                var length = ModularDiffieHellman.count
                try OpenSSL.check(
                    unsafe libcrypto.EVP_PKEY_derive(
                        context.pointer, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &length),
                    "agree with this public key", code: .invalidKey)
                return length
            }
            guard secret.count == ModularDiffieHellman.count else { throw OpenSSL.failure("agree on a whole secret") }
            return secret
        }
    }

    /// Pads a public key, which must be above 1 and below p − 1.
    static func checked(_ publicKey: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let digits = Array(publicKey.drop { $0 == 0 })
        var highest = prime
        highest[count - 1] -= 1
        let padded = [UInt8](repeating: 0, count: max(0, count - digits.count)) + digits
        // A public key is no secret, so the comparison may take any time.
        guard digits.count <= count, digits.count > 1 || (digits.first ?? 0) > 1,
            padded.lexicographicallyPrecedes(highest)
        else {
            throw CryptographyError(code: .invalidKey, reason: "this is not a public key of the group")
        }
        return padded
    }

    /// A key with or without its public half. Without one, it only holds the group.
    private static func key(publicKey: [UInt8]?) throws(CryptographyError) -> Handle {
        let builder = try unsafe Handle(libcrypto.OSSL_PARAM_BLD_new(), "describe a key", code: .outOfMemory) {
            unsafe libcrypto.OSSL_PARAM_BLD_free($0)
        }
        // The builder keeps pointers to the numbers, so they live until the key is made.
        let prime = try number(Self.prime)
        let generator = try number(Self.generator)
        let point = try number(publicKey ?? [])
        try OpenSSL.check(
            unsafe libcrypto.OSSL_PARAM_BLD_push_BN(builder.pointer, ParameterName("p").pointer, prime.pointer),
            "describe a key")
        try OpenSSL.check(
            unsafe libcrypto.OSSL_PARAM_BLD_push_BN(builder.pointer, ParameterName("g").pointer, generator.pointer),
            "describe a key")
        if publicKey != nil {
            try OpenSSL.check(
                unsafe libcrypto.OSSL_PARAM_BLD_push_BN(
                    builder.pointer, ParameterName.publicKey.pointer, point.pointer),
                "describe a key")
        }
        guard let parameters = unsafe libcrypto.OSSL_PARAM_BLD_to_param(builder.pointer) else {
            throw OpenSSL.failure("describe a key", code: .outOfMemory)
        }
        defer { unsafe libcrypto.OSSL_PARAM_free(parameters) }
        let context = try unsafe Handle(libcrypto.EVP_PKEY_CTX_new_from_name(nil, "DH", nil), "read a key") {
            unsafe libcrypto.EVP_PKEY_CTX_free($0)
        }
        try OpenSSL.check(unsafe libcrypto.EVP_PKEY_fromdata_init(context.pointer), "read a key")
        var made: OpaquePointer?
        let selection =
            publicKey == nil
            ? OSSL_KEYMGMT_SELECT_ALL_PARAMETERS : OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
        try OpenSSL.check(
            unsafe libcrypto.EVP_PKEY_fromdata(context.pointer, &made, Int32(selection), parameters), "read a key",
            code: .invalidKey)
        _ = (unsafe prime.pointer, unsafe generator.pointer, unsafe point.pointer)
        return try unsafe Handle(made, "read a key", code: .outOfMemory) { unsafe libcrypto.EVP_PKEY_free($0) }
    }

    private static func number(_ bytes: [UInt8]) throws(CryptographyError) -> Handle {
        try unsafe Handle(libcrypto.BN_bin2bn(bytes, Int32(bytes.count), nil), "read a number", code: .outOfMemory) {
            unsafe libcrypto.BN_free($0)
        }
    }
}
