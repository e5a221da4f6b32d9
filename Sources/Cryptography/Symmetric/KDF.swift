import COpenSSL

/// The key derivations that a TPM uses, from OpenSSL. Coffer's own formats use ``HKDF`` alone.
public enum KDF {
    /// KDFa: the counter mode of NIST SP 800-108 with HMAC-SHA-256. TPM 2.0 Library, Part 1, section 11.4.10.2.
    ///
    /// - Parameters:
    ///   - label: without the zero that ends it.
    ///   - context: both parties' contexts, one after the other.
    ///   - count: 1 to 32 bytes.
    /// - Throws: `.invalidLength`, `.outOfMemory`, `.library`.
    public static func counter(
        _ key: SecretBytes, label: String, context: [UInt8], count: Int
    ) throws(CryptographyError) -> SecretBytes {
        try derive(
            "KBKDF", key, mac: "HMAC", octets: [(.salt, Array(label.utf8)), (.info, context)], count: count)
    }

    /// KDFe: the concatenation of NIST SP 800-56A with SHA-256. TPM 2.0 Library, Part 1, section 11.4.10.3.
    ///
    /// - Parameters:
    ///   - use: without the zero that ends it.
    ///   - parties: what both parties add, one after the other.
    ///   - count: 1 to 32 bytes.
    /// - Throws: `.invalidLength`, `.outOfMemory`, `.library`.
    public static func concatenation(
        _ secret: SecretBytes, use: String, parties: [UInt8], count: Int
    ) throws(CryptographyError) -> SecretBytes {
        try derive("SSKDF", secret, mac: nil, octets: [(.info, Array(use.utf8) + [0] + parties)], count: count)
    }

    private static func derive(
        _ method: String, _ key: SecretBytes, mac: String?, octets: [(name: ParameterName, bytes: [UInt8])], count: Int
    ) throws(CryptographyError) -> SecretBytes {
        guard (1...SHA256.count).contains(count), !key.isEmpty else {
            throw CryptographyError(code: .invalidLength, reason: "\(method) does not take inputs of these lengths")
        }
        let found = try unsafe Handle(libcrypto.EVP_KDF_fetch(nil, method, nil), "find \(method)") {
            unsafe libcrypto.EVP_KDF_free($0)
        }
        let context = try unsafe Handle(libcrypto.EVP_KDF_CTX_new(found.pointer), "start \(method)") {
            unsafe libcrypto.EVP_KDF_CTX_free($0)
        }
        var digestName = Array("SHA256".utf8CString)
        var macName = Array((mac ?? "").utf8CString)
        var all = octets.flatMap(\.bytes)
        return try unsafe SecretBytes(unsafeCapacity: count) { (output) throws(CryptographyError) in
            let result = unsafe key.withUnsafeBytes { key in
                unsafe digestName.withUnsafeMutableBufferPointer { digestName in
                    unsafe macName.withUnsafeMutableBufferPointer { macName in
                        unsafe all.withUnsafeMutableBytes { all in
                            var parameters = unsafe [
                                libcrypto.OSSL_PARAM_construct_utf8_string(
                                    ParameterName.digest.pointer, digestName.baseAddress, 0),
                                libcrypto.OSSL_PARAM_construct_octet_string(
                                    ParameterName.key.pointer, UnsafeMutableRawPointer(mutating: key.baseAddress),
                                    key.count),
                            ]
                            if mac != nil {
                                unsafe parameters.append(
                                    libcrypto.OSSL_PARAM_construct_utf8_string(
                                        ParameterName.mac.pointer, macName.baseAddress, 0))
                            }
                            var start = 0
                            for (name, bytes) in octets {
                                unsafe parameters.append(
                                    libcrypto.OSSL_PARAM_construct_octet_string(
                                        name.pointer, all.baseAddress.map { unsafe $0 + start }, bytes.count))
                                start += bytes.count
                            }
                            unsafe parameters.append(libcrypto.OSSL_PARAM_construct_end())
                            return unsafe libcrypto.EVP_KDF_derive(
                                context.pointer, output.baseAddress?.assumingMemoryBound(to: UInt8.self), count,
                                parameters)
                        }
                    }
                }
            }
            try OpenSSL.check(result, "derive a key with \(method)")
            return count
        }
    }
}
