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
    // No vector of the processor: its places in memory are multiples of 32, and what has one is filled up to that.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// - Returns: nil unless there are 32 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        first = BigEndian.integer(bytes[0..<8])
        second = BigEndian.integer(bytes[8..<16])
        third = BigEndian.integer(bytes[16..<24])
        fourth = BigEndian.integer(bytes[24..<32])
    }

    var bytes: [UInt8] {
        BigEndian.bytes(first) + BigEndian.bytes(second) + BigEndian.bytes(third) + BigEndian.bytes(fourth)
    }

    /// The first eight bytes, as a number.
    var number: UInt64 { first }

    static func < (one: InlineBytes32, other: InlineBytes32) -> Bool {
        (one.first, one.second, one.third, one.fourth) < (other.first, other.second, other.third, other.fourth)
    }
}
