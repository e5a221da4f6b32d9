import COpenSSL

/// An X.509 certificate (RFC 5280). It shows who vouches for a TPM's key.
public struct Certificate: Sendable, Hashable {
    /// The public key in a certificate.
    public enum SubjectKey: Sendable, Hashable {
        /// Uncompressed, 65 bytes.
        case p256(point: [UInt8])
        /// Big-endian, without leading zeros.
        case rsa(modulus: [UInt8])
        case other
    }

    public let der: [UInt8]
    public let subjectKey: SubjectKey

    /// - Throws: `.invalidKey` for anything except exactly one certificate; `.invalidLength` above 64 KiB.
    public init(der: [UInt8]) throws(CryptographyError) {
        let handle = try Self.parse(der)
        self.der = der
        subjectKey = try Self.key(of: handle)
    }

    /// Whether a chain of signatures leads from this certificate to one of the roots. Times are not checked: a machine
    /// may outlive its TPM's certificate, and its clock may be wrong. Revocation is not checked either, because Coffer
    /// uses no network for this.
    ///
    /// - Throws: `.outOfMemory`, `.library`. An invalid chain is no error.
    public func isIssued(
        under roots: [Certificate], intermediates: [Certificate] = []
    ) throws(CryptographyError) -> Bool {
        let leaf = try Self.parse(der)
        let store = try unsafe Handle(libcrypto.X509_STORE_new(), "allocate a certificate store") {
            unsafe libcrypto.X509_STORE_free($0)
        }
        for root in roots {
            let parsed = try Self.parse(root.der)
            try OpenSSL.check(
                unsafe libcrypto.X509_STORE_add_cert(store.pointer, parsed.pointer), "trust a certificate")
        }
        let chain = try unsafe Handle(libcrypto.OPENSSL_sk_new_null(), "allocate a chain") { stack in
            unsafe libcrypto.OPENSSL_sk_pop_free(stack) { unsafe libcrypto.X509_free(OpaquePointer($0)) }
        }
        for intermediate in intermediates {
            let parsed = try Self.parse(intermediate.der)
            try OpenSSL.check(
                unsafe libcrypto.X509_add_cert(chain.pointer, parsed.pointer, X509_ADD_FLAG_UP_REF),
                "add a certificate")
        }
        let context = try unsafe Handle(libcrypto.X509_STORE_CTX_new(), "allocate a check") {
            unsafe libcrypto.X509_STORE_CTX_free($0)
        }
        try OpenSSL.check(
            unsafe libcrypto.X509_STORE_CTX_init(context.pointer, store.pointer, leaf.pointer, chain.pointer),
            "start a check")
        unsafe libcrypto.X509_STORE_CTX_set_flags(
            context.pointer, UInt(X509_V_FLAG_NO_CHECK_TIME | X509_V_FLAG_PARTIAL_CHAIN))
        let result = unsafe libcrypto.X509_STORE_CTX_verify(context.pointer)
        libcrypto.ERR_clear_error()
        guard result >= 0 else { throw OpenSSL.failure("check a certificate") }
        return result == 1
    }

    /// Whether the certificate lists this purpose for its key. The purpose is a DER-encoded OID with tag and length.
    /// nil if the certificate lists no purposes.
    public func isFor(purpose: [UInt8]) throws(CryptographyError) -> Bool? {
        let handle = try Self.parse(der)
        let index = unsafe libcrypto.X509_get_ext_by_NID(handle.pointer, NID_ext_key_usage, -1)
        guard index >= 0 else { return nil }
        let value = unsafe libcrypto.X509_EXTENSION_get_data(libcrypto.X509_get_ext(handle.pointer, index))
        let count = Int(unsafe libcrypto.ASN1_STRING_length(value))
        guard count > 0, let start = unsafe libcrypto.ASN1_STRING_get0_data(value) else { return false }
        let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
        guard bytes.count >= purpose.count else { return false }
        return (0...(bytes.count - purpose.count)).contains { bytes[$0..<$0 + purpose.count].elementsEqual(purpose) }
    }

    private static func parse(_ der: [UInt8]) throws(CryptographyError) -> Handle {
        guard (1...1 << 16).contains(der.count) else {
            throw CryptographyError(code: .invalidLength, reason: "a certificate has at most 64 KiB")
        }
        var consumed = 0
        let pointer = unsafe der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            let certificate = unsafe libcrypto.d2i_X509(nil, &position, bytes.count)
            consumed = unsafe bytes.baseAddress.map { unsafe (position ?? $0) - $0 } ?? 0
            return unsafe certificate
        }
        let handle = try unsafe Handle(pointer, "read a certificate", code: .invalidKey) {
            unsafe libcrypto.X509_free($0)
        }
        guard consumed == der.count else {
            throw CryptographyError(code: .invalidKey, reason: "a certificate has bytes left over")
        }
        return handle
    }

    private static func key(of certificate: borrowing Handle) throws(CryptographyError) -> SubjectKey {
        guard let key = unsafe libcrypto.X509_get0_pubkey(certificate.pointer) else {
            libcrypto.ERR_clear_error()
            return .other
        }
        if unsafe libcrypto.EVP_PKEY_is_a(key, "EC") == 1 {
            var point = [UInt8](repeating: 0, count: 133)
            var count = 0
            guard
                unsafe libcrypto.EVP_PKEY_get_octet_string_param(key, "encoded-pub-key", &point, point.count, &count)
                    == 1,
                count == P256.pointCount, P256.isOnCurve([UInt8](point[..<count]))
            else {
                libcrypto.ERR_clear_error()
                return .other
            }
            return .p256(point: [UInt8](point[..<count]))
        }
        guard unsafe libcrypto.EVP_PKEY_is_a(key, "RSA") == 1 else { return .other }
        var number: OpaquePointer?
        try OpenSSL.check(unsafe libcrypto.EVP_PKEY_get_bn_param(key, "n", &number), "read a certificate's key")
        let modulus = try unsafe Handle(number, "read a certificate's key") { unsafe libcrypto.BN_free($0) }
        var bytes = [UInt8](repeating: 0, count: (Int(unsafe libcrypto.BN_num_bits(modulus.pointer)) + 7) / 8)
        guard unsafe libcrypto.BN_bn2bin(modulus.pointer, &bytes) == bytes.count else {
            throw OpenSSL.failure("read a certificate's key")
        }
        return .rsa(modulus: bytes)
    }
}
