import COpenSSL

/// OpenSSL's secure heap: locked into memory, kept out of core files, between guard pages.
public enum SecureHeap {
    /// Makes the heap; once, at the start of a program, before its first secret.
    ///
    /// - Parameter bytes: its size, a power of two.
    /// - Throws: `.outOfMemory` where it cannot be made *or cannot be locked*, for instance under a small `RLIMIT_MEMLOCK`.
    public static func activate(bytes: Int) throws(CryptographyError) {
        guard bytes > 0, bytes.nonzeroBitCount == 1 else {
            throw CryptographyError(code: .invalidLength, reason: "the secure heap's size must be a power of two")
        }
        switch CRYPTO_secure_malloc_init(bytes, 32) {
        case 1:
            return
        case 2:
            // Made, but not locked or not guarded: a secret could be swapped out, which was not what was asked for.
            CRYPTO_secure_malloc_done()
            throw CryptographyError(
                code: .outOfMemory,
                reason: "the secure heap of \(bytes) bytes could not be locked in memory: raise LimitMEMLOCK")
        default:
            throw OpenSSL.failure("make the secure heap", code: .outOfMemory)
        }
    }

    /// Whether `activate` succeeded in this process.
    public static var isActive: Bool { CRYPTO_secure_malloc_initialized() == 1 }
}
