import COpenSSL

/// Converts between bytes and OpenSSL's keys.
extension P256 {
    /// EVP_PKEY_PUBLIC_KEY is a macro that Swift does not import.
    private static let publicHalf =
        OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY

    static func publicHandle(_ point: [UInt8]) throws(CryptographyError) -> Handle {
        guard point.count == pointCount, point[0] == 0x04 else {
            throw CryptographyError(code: .invalidKey, reason: "a P-256 point has 65 bytes and starts with 04")
        }
        var name = Array(groupName.utf8CString)
        var point = point
        let pointer = unsafe name.withUnsafeMutableBufferPointer { name in
            unsafe point.withUnsafeMutableBytes { point in
                var parameters = unsafe [
                    libcrypto.OSSL_PARAM_construct_utf8_string(ParameterName.group.pointer, name.baseAddress, 0),
                    libcrypto.OSSL_PARAM_construct_octet_string(
                        ParameterName.publicKey.pointer, point.baseAddress, point.count),
                    libcrypto.OSSL_PARAM_construct_end(),
                ]
                return unsafe key(publicHalf, &parameters)
            }
        }
        let handle = try unsafe Handle(pointer, "read a point: it is not on P-256", code: .invalidKey) {
            unsafe libcrypto.EVP_PKEY_free($0)
        }
        // Reading the point checks the curve's equation. This call also checks range and order (SP 800-56A, 5.6.2.3.3).
        let context = try unsafe Handle(libcrypto.EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil), "check a point")
        {
            unsafe libcrypto.EVP_PKEY_CTX_free($0)
        }
        try OpenSSL.check(
            unsafe libcrypto.EVP_PKEY_public_check(context.pointer), "use a point: it is not on P-256",
            code: .invalidKey)
        return handle
    }

    static func privateHandle(scalar: SecretBytes, point: [UInt8]) throws(CryptographyError) -> Handle {
        var name = Array(groupName.utf8CString)
        var point = point
        let native = try nativeEndian(scalar)
        let pointer = unsafe native.withUnsafeBytes { native in
            unsafe name.withUnsafeMutableBufferPointer { name in
                unsafe point.withUnsafeMutableBytes { point in
                    var parameters = unsafe [
                        libcrypto.OSSL_PARAM_construct_utf8_string(ParameterName.group.pointer, name.baseAddress, 0),
                        libcrypto.OSSL_PARAM_construct_BN(
                            ParameterName.privateKey.pointer,
                            UnsafeMutablePointer(mutating: native.baseAddress?.assumingMemoryBound(to: UInt8.self)),
                            native.count),
                        libcrypto.OSSL_PARAM_construct_octet_string(
                            ParameterName.publicKey.pointer, point.baseAddress, point.count),
                        libcrypto.OSSL_PARAM_construct_end(),
                    ]
                    return unsafe key(publicHalf | OSSL_KEYMGMT_SELECT_PRIVATE_KEY, &parameters)
                }
            }
        }
        // Range and point were checked when this key was made, so the only cause left is a lack of memory.
        return try unsafe Handle(pointer, "read a private key", code: .outOfMemory) {
            unsafe libcrypto.EVP_PKEY_free($0)
        }
    }

    /// Computes the point of a scalar, and checks the scalar's range.
    static func point(of scalar: SecretBytes) throws(CryptographyError) -> [UInt8] {
        guard scalar.count == scalarCount else {
            throw CryptographyError(code: .invalidKey, reason: "a P-256 private key has 32 bytes")
        }
        let group = try unsafe Handle(libcrypto.EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), "find P-256") {
            unsafe libcrypto.EC_GROUP_free($0)
        }
        let point = try unsafe Handle(libcrypto.EC_POINT_new(group.pointer), "allocate a point") {
            unsafe libcrypto.EC_POINT_clear_free($0)
        }
        let number = try unsafe Handle(libcrypto.BN_secure_new(), "allocate a number", code: .outOfMemory) {
            unsafe libcrypto.BN_clear_free($0)
        }
        _ = try unsafe OpenSSL.require(
            scalar.withUnsafeBytes {
                unsafe libcrypto.BN_bin2bn(
                    $0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32($0.count), number.pointer)
            }, "read a private key", code: .outOfMemory)
        guard unsafe libcrypto.BN_is_zero(number.pointer) == 0,
            unsafe libcrypto.BN_cmp(number.pointer, libcrypto.EC_GROUP_get0_order(group.pointer)) < 0
        else {
            throw CryptographyError(code: .invalidKey, reason: "a P-256 private key lies between 1 and n − 1")
        }
        unsafe libcrypto.BN_set_flags(number.pointer, BN_FLG_CONSTTIME)
        try OpenSSL.check(
            unsafe libcrypto.EC_POINT_mul(group.pointer, point.pointer, number.pointer, nil, nil, nil),
            "compute a public key")
        var bytes = [UInt8](repeating: 0, count: pointCount)
        let written = unsafe libcrypto.EC_POINT_point2oct(
            group.pointer, point.pointer, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
        guard written == pointCount else { throw OpenSSL.failure("write a public key") }
        return bytes
    }

    /// The scalar of a P-256 key pair. Refuses any other key.
    static func scalar(of key: borrowing Handle) throws(CryptographyError) -> SecretBytes {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        try OpenSSL.check(
            unsafe libcrypto.EVP_PKEY_get_utf8_string_param(key.pointer, "group", &name, name.count, &length),
            "find the curve of a key", code: .invalidKey)
        guard name.prefix(length).elementsEqual(groupName.utf8.map { CChar(bitPattern: $0) }) else {
            throw CryptographyError(code: .invalidKey, reason: "not a P-256 key")
        }
        var number: OpaquePointer?
        try OpenSSL.check(
            unsafe libcrypto.EVP_PKEY_get_bn_param(key.pointer, "priv", &number), "find the private half of a key",
            code: .invalidKey)
        let scalar = try unsafe Handle(number, "read a private key") { unsafe libcrypto.BN_clear_free($0) }
        return try unsafe SecretBytes(unsafeCapacity: scalarCount) { (output) throws(CryptographyError) in
            let start = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard unsafe libcrypto.BN_bn2binpad(scalar.pointer, start, Int32(scalarCount)) == Int32(scalarCount) else {
                throw OpenSSL.failure("write a private key")
            }
            return scalarCount
        }
    }

    private static func key(_ selection: Int32, _ parameters: UnsafeMutablePointer<OSSL_PARAM>) -> OpaquePointer? {
        guard let context = unsafe libcrypto.EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { unsafe libcrypto.EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe libcrypto.EVP_PKEY_fromdata_init(context) == 1,
            unsafe libcrypto.EVP_PKEY_fromdata(context, &key, selection, parameters) == 1
        else { return nil }
        return unsafe key
    }

    /// OSSL_PARAM expects integers in the machine's byte order.
    private static func nativeEndian(_ scalar: SecretBytes) throws(CryptographyError) -> SecretBytes {
        try unsafe SecretBytes(unsafeCapacity: scalar.count) { (output) throws(CryptographyError) in
            #if _endian(little)
            scalar.withBytes { bytes in
                for index in 0..<bytes.count { unsafe output[bytes.count - 1 - index] = bytes[index] }
            }
            #else
            unsafe scalar.withUnsafeBytes { unsafe output.copyMemory(from: $0) }
            #endif
            return scalar.count
        }
    }
}

/// Private keys as unencrypted PKCS#8 in PEM (RFC 7468), for a key file that only its owner can read.
extension P256.PrivateKey {
    /// - Throws: `.invalidKey` for anything except one unencrypted P-256 private key; `.invalidLength` above 64 KiB.
    public init(pem: SecretBytes) throws(CryptographyError) {
        guard pem.count <= 1 << 16 else {
            throw CryptographyError(code: .invalidLength, reason: "too long for a private key in PEM")
        }
        let key = try unsafe pem.withUnsafeBytes { (bytes) throws(CryptographyError) in
            let input = try unsafe Handle(
                libcrypto.BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)), "read a PEM file"
            ) {
                _ = unsafe libcrypto.BIO_free($0)
            }
            // Without this callback, OpenSSL would ask for an encrypted key's password at the terminal.
            return try unsafe Handle(
                libcrypto.PEM_read_bio_PrivateKey_ex(input.pointer, nil, { _, _, _, _ in -1 }, nil, nil, nil),
                "read a private key from PEM", code: .invalidKey
            ) { unsafe libcrypto.EVP_PKEY_free($0) }
        }
        try self.init(rawRepresentation: P256.scalar(of: key))
    }

    /// - Throws: `.outOfMemory`, `.library`.
    public func pem() throws(CryptographyError) -> SecretBytes {
        let key = try handle()
        let output = try unsafe Handle(libcrypto.BIO_new(libcrypto.BIO_s_secmem()), "write a PEM file") {
            _ = unsafe libcrypto.BIO_free($0)
        }
        try OpenSSL.check(
            unsafe libcrypto.PEM_write_bio_PKCS8PrivateKey(output.pointer, key.pointer, nil, nil, 0, nil, nil),
            "write a private key as PEM")
        var start: UnsafeMutableRawPointer?
        let count = unsafe libcrypto.BIO_ctrl(output.pointer, BIO_CTRL_INFO, 0, &start)
        guard count > 0, let start = unsafe start else { throw OpenSSL.failure("write a private key as PEM") }
        return try unsafe SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: count))
    }
}
