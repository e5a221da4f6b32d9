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
        switch CRYPTO_secure_malloc_init(bytes, smallestPiece) {
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

    /// What a secret takes of the heap, in bytes: OpenSSL gives out powers of two. What is too large for it lies elsewhere and takes nothing.
    ///
    /// - Parameter count: the secret's bytes.
    public static func room(for count: Int) -> Int {
        guard count <= SecretStorage.largestInSecureHeap else { return 0 }
        var room = smallestPiece
        while room < count { room *= 2 }
        return room
    }

    private static let smallestPiece = 32

    /// Bytes that are in use, with what is lost by their being powers of two.
    public static var used: Int { CRYPTO_secure_used() }

    /// Whether `activate` succeeded in this process.
    public static var isActive: Bool { CRYPTO_secure_malloc_initialized() == 1 }
}
