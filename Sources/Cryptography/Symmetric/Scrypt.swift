import COpenSSL

/// scrypt of RFC 7914.
public enum Scrypt {
    /// The cost of one guess: `128 · blockSize · rounds` bytes of memory, `parallelism` times.
    public struct Cost: Sendable, Equatable {
        /// N: a power of two above 1.
        public let rounds: UInt64
        /// r
        public let blockSize: UInt64
        /// p
        public let parallelism: UInt64

        public init(rounds: UInt64, blockSize: UInt64, parallelism: UInt64) {
            self.rounds = rounds
            self.blockSize = blockSize
            self.parallelism = parallelism
        }

        /// 128 MiB and a few tenths of a second.
        public static let standard = Cost(rounds: 1 << 17, blockSize: 8, parallelism: 1)
    }

    /// The most memory that a cost may need, in bytes. The highest cost of a login password (N = 2¹⁸, r = 8) takes
    /// 256 MiB for its blocks, and OpenSSL some more.
    public static let largestMemory: UInt64 = 257 << 20

    /// Derives `count` bytes from a password.
    ///
    /// - Parameter mostMemory: the most memory that the cost may need, in bytes.
    /// - Throws: `.invalidLength` for a count or cost that scrypt does not support; `.outOfMemory`, `.library`.
    public static func derive(
        password: SecretBytes, salt: [UInt8], cost: Cost, count: Int, mostMemory: UInt64 = largestMemory
    ) throws(CryptographyError) -> SecretBytes {
        guard count > 0 else {
            throw CryptographyError(code: .invalidLength, reason: "scrypt does not derive nothing")
        }
        return try unsafe SecretBytes(unsafeCapacity: count) { (output) throws(CryptographyError) in
            let result = unsafe password.withUnsafeBytes { password in
                unsafe libcrypto.EVP_PBE_scrypt(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count, salt, salt.count,
                    cost.rounds, cost.blockSize, cost.parallelism, mostMemory,
                    output.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
            }
            try OpenSSL.check(result, "derive a key with scrypt", code: .invalidLength)
            return count
        }
    }
}
