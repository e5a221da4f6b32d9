import Authorization

/// 16 bytes that take no memory of their own. A large circle has millions of names.
struct InlineBytes16: Hashable, Sendable, Comparable {
    private let high: UInt64
    private let low: UInt64

    /// - Returns: nil unless there are 16 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        (high, low) = (BigEndian.integer(bytes[0..<8]), BigEndian.integer(bytes[8..<16]))
    }

    init(number: UInt64) { (high, low) = (0, number) }

    var bytes: [UInt8] { BigEndian.bytes(high) + BigEndian.bytes(low) }

    static func < (one: InlineBytes16, other: InlineBytes16) -> Bool { (one.high, one.low) < (other.high, other.low) }
}

/// 32 bytes that take no memory of their own.
struct InlineBytes32: Hashable, Sendable, Comparable {
    private let words: SIMD4<UInt64>

    /// - Returns: nil unless there are 32 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        words = SIMD4(
            BigEndian.integer(bytes[0..<8]), BigEndian.integer(bytes[8..<16]), BigEndian.integer(bytes[16..<24]),
            BigEndian.integer(bytes[24..<32]))
    }

    var bytes: [UInt8] {
        BigEndian.bytes(words.x) + BigEndian.bytes(words.y) + BigEndian.bytes(words.z) + BigEndian.bytes(words.w)
    }

    /// The first eight bytes, as a number.
    var number: UInt64 { words.x }

    static func < (one: InlineBytes32, other: InlineBytes32) -> Bool {
        (one.words.x, one.words.y, one.words.z, one.words.w)
            < (other.words.x, other.words.y, other.words.z, other.words.w)
    }
}
