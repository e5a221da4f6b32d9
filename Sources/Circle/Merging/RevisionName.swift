import Authorization

/// Names one revision of a part: the SHA-256 of the change that made it. Nobody can make two changes of one name, and a
/// change can only replace what was there before it.
package struct RevisionName: Hashable, Sendable, Comparable {
    private let words: SIMD4<UInt64>

    /// - Returns: nil unless there are 32 bytes.
    package init?(digest: [UInt8]) {
        guard digest.count == 32 else { return nil }
        words = SIMD4(
            BigEndian.integer(digest[0..<8]), BigEndian.integer(digest[8..<16]),
            BigEndian.integer(digest[16..<24]), BigEndian.integer(digest[24..<32]))
    }

    package var bytes: [UInt8] {
        BigEndian.bytes(words.x) + BigEndian.bytes(words.y) + BigEndian.bytes(words.z)
            + BigEndian.bytes(words.w)
    }

    /// The first eight bytes, as a number. Nobody makes two changes of one name, and few have this number in common.
    package var number: UInt64 { words.x }

    package static func < (one: RevisionName, other: RevisionName) -> Bool {
        (one.words.x, one.words.y, one.words.z, one.words.w)
            < (other.words.x, other.words.y, other.words.z, other.words.w)
    }
}
