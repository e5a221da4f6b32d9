/// 16 bytes that name an item in a circle: the id of the vault's format (docs/vault-format.md, "item"). Of two items of
/// one name, the smaller id stays.
package struct SharedItemID: Hashable, Sendable, Comparable {
    /// The length in bytes.
    package static let count = 16

    private let value: InlineBytes16

    /// - Returns: nil unless there are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard let value = InlineBytes16(bytes) else { return nil }
        self.value = value
    }

    /// For tests and the simulation.
    package init(number: UInt64) { value = InlineBytes16(number: number) }

    package var bytes: [UInt8] { value.bytes }

    package static func < (one: SharedItemID, other: SharedItemID) -> Bool { one.value < other.value }
}

/// The device that made a change: its random id in the circle.
package struct WriterID: Hashable, Sendable, Comparable {
    private let value: InlineBytes16

    /// - Returns: nil unless there are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard let value = InlineBytes16(bytes) else { return nil }
        self.value = value
    }

    /// For tests and the simulation.
    package init(number: UInt64) { value = InlineBytes16(number: number) }

    package var bytes: [UInt8] { value.bytes }

    package static func < (one: WriterID, other: WriterID) -> Bool { one.value < other.value }
}
