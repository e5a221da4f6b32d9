import Authorization

/// 16 bytes that name an item in a circle: the id of the vault's format (docs/vault-format.md, "item"). Of two items of
/// one name, the smaller id stays.
package struct SharedItemID: Hashable, Sendable, Comparable {
    /// The length in bytes.
    package static let count = 16

    private let high: UInt64
    private let low: UInt64

    /// - Returns: nil unless there are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        high = BigEndian.integer(bytes[0..<8])
        low = BigEndian.integer(bytes[8..<16])
    }

    /// For tests and the simulation.
    package init(number: UInt64) { (high, low) = (0, number) }

    package var bytes: [UInt8] { BigEndian.bytes(high) + BigEndian.bytes(low) }

    package static func < (one: SharedItemID, other: SharedItemID) -> Bool {
        (one.high, one.low) < (other.high, other.low)
    }
}

/// The device that made a change: its random id in the circle.
package struct WriterID: Hashable, Sendable, Comparable {
    package let bytes: [UInt8]

    /// - Returns: nil unless there are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == SharedItemID.count else { return nil }
        self.bytes = bytes
    }

    /// For tests and the simulation.
    package init(number: UInt64) { bytes = BigEndian.bytes(0) + BigEndian.bytes(number) }

    package static func < (one: WriterID, other: WriterID) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}
