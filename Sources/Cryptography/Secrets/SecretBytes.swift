import COpenSSL

/// Secret bytes. They are wiped when the last copy goes, compared in constant time, and never printed.
///
/// Once `SecureHeap.activate` was called, secrets of up to 512 bytes are in OpenSSL's secure heap. All others are in
/// OpenSSL's ordinary heap. The bytes never change, so copies share one piece of memory.
public struct SecretBytes: Sendable {
    private let storage: SecretStorage

    init(storage: SecretStorage) {
        self.storage = storage
    }

    /// Copies bytes into secret memory. The caller must wipe the original.
    ///
    /// - Throws: `.outOfMemory`.
    public init(copying bytes: some Collection<UInt8>) throws(CryptographyError) {
        let count = bytes.count
        try unsafe self.init(unsafeCapacity: count) { (buffer) throws(CryptographyError) in
            unsafe buffer.copyBytes(from: bytes)
            return count
        }
    }

    /// Copies bytes into secret memory.
    ///
    /// - Throws: `.outOfMemory`.
    public init(copying bytes: Span<UInt8>) throws(CryptographyError) {
        storage = try unsafe SecretStorage(capacity: bytes.count) { (buffer) throws(CryptographyError) in
            unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
            return bytes.count
        }
    }

    /// Lets a C interface write into secret memory of `unsafeCapacity` zero bytes. `initialize` returns how many bytes
    /// it wrote.
    ///
    /// - Throws: what `initialize` throws, or `.outOfMemory`.
    @unsafe
    public init(
        unsafeCapacity: Int, initialize: (UnsafeMutableRawBufferPointer) throws(CryptographyError) -> Int
    ) throws(CryptographyError) {
        storage = try unsafe SecretStorage(capacity: unsafeCapacity, initialize: initialize)
    }

    /// Random bytes from OpenSSL's private generator.
    ///
    /// - Throws: `.outOfMemory`, `.library`.
    public static func random(count: Int) throws(CryptographyError) -> SecretBytes {
        try unsafe SecretBytes(unsafeCapacity: count) { (buffer) throws(CryptographyError) in
            if count > 0 {
                let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
                try OpenSSL.check(unsafe libcrypto.RAND_priv_bytes_ex(nil, start, count, 256), "make random bytes")
            }
            return count
        }
    }

    /// The number of bytes.
    public var count: Int { storage.count }

    public var isEmpty: Bool { storage.count == 0 }

    /// Lends the bytes to a C interface. The pointer is valid only inside `body`.
    @unsafe
    public func withUnsafeBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        // The storage must live until `body` has returned, and not only its pointer.
        let kept = storage
        defer { withExtendedLifetime(kept) {} }
        return try unsafe body(kept.bytes)
    }

    /// Lends the bytes to Swift code. The code must not keep a copy.
    public func withBytes<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try unsafe withUnsafeBytes { (bytes) throws(E) -> R in
            try body(unsafe Span(_unsafeBytes: bytes))
        }
    }
}

extension SecretBytes: Equatable {
    /// Takes the same time wherever the bytes differ. Lengths are not secret.
    public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBytes { (mine) -> Bool in
            unsafe right.withUnsafeBytes { (theirs) -> Bool in
                unsafe libcrypto.CRYPTO_memcmp(mine.baseAddress, theirs.baseAddress, mine.count) == 0
            }
        }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "[redacted]" }
    public var debugDescription: String { "[redacted]" }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}
