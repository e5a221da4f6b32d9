/// A stream sealed in chunks, each of which can be checked before the next one is read: the STREAM construction (Hoang,
/// Reyhanitabar, Rogaway, Vizár, 2015), as age uses it. The nonce of a chunk is its number and whether
/// it is the last, so no chunk can be moved, repeated, left out or cut off.
public enum ChunkStream {
    /// How much longer a sealed chunk is, in bytes.
    public static let overhead = AESGCM.tagCount
    /// The most chunks that one key seals.
    public static let mostChunks: UInt64 = 1 << 32

    /// Seals the chunks of one stream in their order.
    public struct Sealer: ~Copyable, Sendable {
        private let key: SecretBytes
        private let cipher: ChunkCipher
        private var place = Place()

        /// - Parameter key: 32 bytes, which never sealed another stream.
        public init(key: SecretBytes, cipher: ChunkCipher = .aesGCM) {
            self.key = key
            self.cipher = cipher
        }

        /// - Returns: ciphertext ‖ tag.
        /// - Throws: `.invalidKey`; `.invalidLength` behind the last chunk or beyond ``mostChunks``; `.outOfMemory`,
        ///   `.library`.
        public mutating func seal(_ chunk: [UInt8], isLast: Bool) throws(CryptographyError) -> [UInt8] {
            let nonce = try place.nonce(isLast: isLast)
            return try cipher.seal(chunk, key: key, nonce: nonce)
        }
    }

    /// Opens the chunks of one stream in their order.
    public struct Opener: ~Copyable, Sendable {
        private let key: SecretBytes
        private let cipher: ChunkCipher
        private var place = Place()

        /// - Parameter key: the key that the stream was sealed with.
        public init(key: SecretBytes, cipher: ChunkCipher = .aesGCM) {
            self.key = key
            self.cipher = cipher
        }

        /// - Parameter isLast: whether nothing follows. If that is not how the chunk was sealed, it does not open.
        /// - Throws: `.authenticationFailed` if this is not the chunk that was sealed at this place; `.invalidKey`;
        ///   `.invalidLength` behind the last chunk or beyond ``mostChunks``; `.outOfMemory`, `.library`.
        public mutating func open(_ sealed: [UInt8], isLast: Bool) throws(CryptographyError) -> [UInt8] {
            let nonce = try place.nonce(isLast: isLast)
            return try cipher.open(sealed, key: key, nonce: nonce)
        }
    }

    /// The place of the next chunk.
    struct Place: Sendable {
        private(set) var number: UInt64 = 0
        private(set) var isBehindLast = false

        init(number: UInt64 = 0) { self.number = number }

        /// Takes the place. A chunk that fails uses it up, so that no nonce can come twice.
        mutating func nonce(isLast: Bool) throws(CryptographyError) -> [UInt8] {
            guard !isBehindLast, number < mostChunks else {
                throw CryptographyError(code: .invalidLength, reason: "a stream has no place for another chunk")
            }
            let nonce: [UInt8] =
                [0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
            number += 1
            isBehindLast = isLast
            return nonce + [isLast ? 1 : 0]
        }
    }
}
