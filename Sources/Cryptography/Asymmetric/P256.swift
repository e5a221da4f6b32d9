import COpenSSL

/// NIST P-256 (FIPS 186-4): ECDH and ECDSA with SHA-256. Points are uncompressed, `04 ‖ X ‖ Y`, 65 bytes.
public enum P256 {
    /// The length of a scalar or a coordinate in bytes.
    public static let scalarCount = 32
    /// The length of a point in bytes.
    public static let pointCount = 65
    /// The length of a signature `r ‖ s` in bytes.
    public static let signatureCount = 64

    static let groupName = "prime256v1"

    /// Whether the bytes are an uncompressed point on the curve, 65 bytes, and not infinity.
    public static func isOnCurve(_ point: [UInt8]) -> Bool {
        do throws(CryptographyError) {
            _ = try publicHandle(point)
            return true
        } catch {
            return false
        }
    }

    public struct PrivateKey: Sendable {
        /// The scalar, 32 bytes, big-endian.
        public let rawRepresentation: SecretBytes
        /// The point, 65 bytes.
        public let publicKey: [UInt8]

        /// - Throws: `.invalidKey` unless the scalar has 32 bytes and lies in 1…n−1; `.library`.
        public init(rawRepresentation: SecretBytes) throws(CryptographyError) {
            publicKey = try P256.point(of: rawRepresentation)
            self.rawRepresentation = rawRepresentation
        }

        /// - Throws: `.outOfMemory`, `.library`.
        public static func generate() throws(CryptographyError) -> PrivateKey {
            let context = try unsafe Handle(
                libcrypto.EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "start a key generation"
            ) {
                unsafe libcrypto.EVP_PKEY_CTX_free($0)
            }
            try OpenSSL.check(unsafe libcrypto.EVP_PKEY_keygen_init(context.pointer), "start a key generation")
            try OpenSSL.check(unsafe libcrypto.EVP_PKEY_CTX_set_group_name(context.pointer, groupName), "choose P-256")
            var pointer: OpaquePointer?
            try OpenSSL.check(unsafe libcrypto.EVP_PKEY_generate(context.pointer, &pointer), "generate a key")
            let key = try unsafe Handle(pointer, "generate a key") { unsafe libcrypto.EVP_PKEY_free($0) }
            return try PrivateKey(rawRepresentation: P256.scalar(of: key))
        }

        /// The shared secret's X coordinate, 32 bytes.
        ///
        /// - Throws: `.invalidKey` for a point that is not on the curve; `.library`.
        public func sharedSecret(with point: [UInt8]) throws(CryptographyError) -> SecretBytes {
            try KeyAgreement.derive(
                // The point was checked, so the only cause left is a lack of memory.
                handle(), P256.publicHandle(point), count: scalarCount, failure: .library)
        }

        func handle() throws(CryptographyError) -> Handle {
            try P256.privateHandle(scalar: rawRepresentation, point: publicKey)
        }
    }
}
