import COpenSSL

extension SecretStorage {
    /// Larger secrets, in bytes, go to the ordinary heap. The secure heap is small and meant for keys.
    static let largestInSecureHeap = 512
}

/// Allocates secret memory.
@safe
struct SecretAllocator: Sendable {
    let allocate: @Sendable (Int) -> UnsafeMutableRawPointer?
    let free: @Sendable (UnsafeMutableRawPointer, Int) -> Void

    /// Uses OpenSSL's secure heap if it is active and the secret is small; otherwise OpenSSL's ordinary heap.
    static let openSSL = unsafe SecretAllocator(
        allocate: { count in
            count <= SecretStorage.largestInSecureHeap
                ? unsafe libcrypto.CRYPTO_secure_malloc(count, #fileID, #line)
                : unsafe libcrypto.CRYPTO_malloc(count, #fileID, #line)
        },
        free: { pointer, count in unsafe libcrypto.CRYPTO_secure_clear_free(pointer, count, #fileID, #line) }
    )
}

/// The memory of a secret. It is written once, before anybody shares it, and wiped over its whole capacity on release.
// @unchecked Sendable: `pointer` is written only in `init`, before the instance is shared.
@safe
final class SecretStorage: @unchecked Sendable {
    let count: Int
    private let capacity: Int
    private let pointer: UnsafeMutableRawPointer
    private let allocator: SecretAllocator

    /// - Parameter initialize: returns how many bytes it wrote. If it throws, they are wiped too.
    init(
        capacity requested: Int, allocator: SecretAllocator = .openSSL,
        initialize: (UnsafeMutableRawBufferPointer) throws(CryptographyError) -> Int
    ) throws(CryptographyError) {
        guard requested >= 0 else {
            throw CryptographyError(code: .invalidLength, reason: "a secret cannot have a negative length")
        }
        // Allocating 0 bytes may return NULL, which would look like a failure.
        let capacity = max(requested, 1)
        guard let pointer = unsafe allocator.allocate(capacity) else {
            throw OpenSSL.failure("allocate memory for a secret", code: .outOfMemory)
        }
        unsafe memset(pointer, 0, capacity)
        do throws(CryptographyError) {
            let written = try unsafe initialize(UnsafeMutableRawBufferPointer(start: pointer, count: requested))
            guard (0...requested).contains(written) else {
                throw CryptographyError(code: .invalidLength, reason: "a secret was longer than announced")
            }
            count = written
        } catch {
            unsafe libcrypto.OPENSSL_cleanse(pointer, capacity)
            unsafe allocator.free(pointer, capacity)
            throw error
        }
        self.capacity = capacity
        unsafe self.pointer = unsafe pointer
        self.allocator = allocator
    }

    var bytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: pointer, count: count)
    }

    deinit {
        unsafe libcrypto.OPENSSL_cleanse(pointer, capacity)
        unsafe allocator.free(pointer, capacity)
    }
}
