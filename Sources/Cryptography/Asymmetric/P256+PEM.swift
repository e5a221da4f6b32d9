import COpenSSL

/// Private keys as unencrypted PKCS#8 in PEM (RFC 7468), for a key file that only its owner can read.
extension P256.PrivateKey {
    /// - Throws: `.invalidKey` for anything except one unencrypted P-256 private key; `.invalidLength` above 64 KiB.
    public init(pem: SecretBytes) throws(CryptographyError) {
        guard pem.count <= 1 << 16 else {
            throw CryptographyError(code: .invalidLength, reason: "too long for a private key in PEM")
        }
        let key = try unsafe pem.withUnsafeBytes { (bytes) throws(CryptographyError) in
            let input = try unsafe Handle(BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)), "read a PEM file") {
                unsafe BIO_free($0)
            }
            // Without this callback, OpenSSL would ask for an encrypted key's password at the terminal.
            return try unsafe Handle(
                PEM_read_bio_PrivateKey_ex(input.pointer, nil, { _, _, _, _ in -1 }, nil, nil, nil),
                "read a private key from PEM", code: .invalidKey
            ) { unsafe EVP_PKEY_free($0) }
        }
        try self.init(rawRepresentation: P256.scalar(of: key))
    }

    /// - Throws: `.outOfMemory`, `.library`.
    public func pem() throws(CryptographyError) -> SecretBytes {
        let key = try handle()
        let output = try unsafe Handle(BIO_new(BIO_s_secmem()), "write a PEM file") { unsafe BIO_free($0) }
        try OpenSSL.check(
            unsafe PEM_write_bio_PKCS8PrivateKey(output.pointer, key.pointer, nil, nil, 0, nil, nil),
            "write a private key as PEM")
        var start: UnsafeMutableRawPointer?
        let count = unsafe BIO_ctrl(output.pointer, BIO_CTRL_INFO, 0, &start)
        guard count > 0, let start = unsafe start else { throw OpenSSL.failure("write a private key as PEM") }
        return try unsafe SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: count))
    }
}
