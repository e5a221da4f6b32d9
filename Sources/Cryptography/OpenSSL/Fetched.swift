import COpenSSL

/// Algorithms that OpenSSL's providers gave out once. Fetched again for each use, they would cost as much as hashing a short message. If one could not
/// be fetched, OpenSSL looks for it at each use.
@safe
struct Fetched: @unchecked Sendable {
    // @unchecked Sendable: OpenSSL's algorithms never change, and may be used by all threads.
    let pointer: OpaquePointer

    private init?(_ pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else {
            libcrypto.ERR_clear_error()
            return nil
        }
        unsafe self.pointer = unsafe pointer
    }

    static let sha256 = unsafe Fetched(libcrypto.EVP_MD_fetch(nil, "SHA256", nil))
    static let aesGCM = unsafe Fetched(libcrypto.EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    static let chaChaPoly = unsafe Fetched(libcrypto.EVP_CIPHER_fetch(nil, "ChaCha20-Poly1305", nil))
    static let hmac = unsafe Fetched(libcrypto.EVP_MAC_fetch(nil, "HMAC", nil))
    static let hkdf = unsafe Fetched(libcrypto.EVP_KDF_fetch(nil, "HKDF", nil))
}
