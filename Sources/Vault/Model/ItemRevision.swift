import Authorization

/// Names one state of an item: the beginning of the digest that the tree has for the item's row. Every change writes
/// another row, so no two states of any item have the same revision (docs/vault-format.md, "item").
public struct ItemRevision: Hashable, Sendable, CustomStringConvertible {
    /// The length in bytes.
    public static let count = 16

    let bytes: [UInt8]

    /// - Parameter digest: of the item's row.
    init(digest: [UInt8]) { bytes = Array(digest.prefix(Self.count)) }

    /// - Returns: nil for a text that names no state.
    public init?(_ text: String) {
        guard let bytes = Hex.decode(text), bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    /// Lower-case hexadecimal.
    public var description: String { Hex.encode(bytes) }
}
