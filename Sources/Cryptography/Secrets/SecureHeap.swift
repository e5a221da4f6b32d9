import COpenSSL
import Glibc

/// OpenSSL's secure heap. It is locked into memory, kept out of core files, and lies between guard pages.
public enum SecureHeap {
    /// Makes the heap. Call this once, when a program starts, before its first secret.
    ///
    /// - Parameter bytes: its size, a power of two.
    /// - Throws: `.outOfMemory` if it cannot be made *or cannot be locked*, for example under a small `RLIMIT_MEMLOCK`.
    ///   `.invalidLength` if the size is not a power of two.
    public static func activate(bytes: Int) throws(CryptographyError) {
        guard bytes > 0, bytes.nonzeroBitCount == 1 else {
            throw CryptographyError(code: .invalidLength, reason: "the secure heap's size must be a power of two")
        }
        // The library is open before errno is cleared, which opening it may change.
        let functions = libcrypto
        errno = 0
        switch functions.CRYPTO_secure_malloc_init(bytes, smallestPiece) {
        case 1:
            return
        case 2:
            // The heap was made, but is not locked or not guarded. A secret could be swapped out, so this counts as a
            // failure.
            let cause = errno
            _ = functions.CRYPTO_secure_malloc_done()
            throw CryptographyError(
                code: .outOfMemory,
                reason: "the secure heap of \(bytes) bytes could not be locked in memory: \(why(cause))")
        default:
            throw OpenSSL.failure("make the secure heap", code: .outOfMemory)
        }
    }

    /// Two causes are usual, and the kernel's number does not always tell them apart.
    private static func why(_ cause: Int32) -> String {
        var limit = rlimit()
        let isKnown = unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0
        let allowed = limit.rlim_cur == UInt.max ? "no limit" : "\(limit.rlim_cur) bytes"
        let words = unsafe String(cString: strerror_l(cause, uselocale(nil)))
        return """
            \(words) (errno \(cause)). Either LimitMEMLOCK is too small (it is \(isKnown ? allowed : "not known")), \
            or something forbids locking memory, such as a container without CAP_IPC_LOCK or a SystemCallFilter without @memlock
            """
    }

    /// How many bytes of the heap a secret takes. OpenSSL allocates powers of two. A secret too large for the heap
    /// takes none.
    ///
    /// - Parameter count: the secret's bytes.
    public static func room(for count: Int) -> Int {
        guard count <= SecretStorage.largestInSecureHeap else { return 0 }
        var room = smallestPiece
        while room < count { room *= 2 }
        return room
    }

    private static let smallestPiece = 32

    /// The bytes in use, including those lost by rounding up to powers of two.
    public static var used: Int { libcrypto.CRYPTO_secure_used() }

    /// Whether `activate` succeeded in this process.
    public static var isActive: Bool { libcrypto.CRYPTO_secure_malloc_initialized() == 1 }
}
