import Authorization
import Cryptography

/// An item's permanent id: 16 random bytes, written as a UUID.
public struct ItemID: Hashable, Sendable, CustomStringConvertible {
    public static let count = 16

    public let bytes: [UInt8]

    /// - Returns: nil unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    private init(random bytes: [UInt8]) { self.bytes = bytes }

    public static func random() throws(CryptographyError) -> ItemID { ItemID(random: try Random.bytes(count)) }

    /// Lower-case, `8-4-4-4-12`.
    public var description: String {
        let digits = Hex.encode(bytes)
        var parts: [Substring] = []
        var start = digits.startIndex
        for length in [8, 4, 4, 4, 12] {
            let end = digits.index(start, offsetBy: length)
            parts.append(digits[start..<end])
            start = end
        }
        return parts.joined(separator: "-")
    }
}

/// The ids that a term leads to: sorted, without duplicates (docs/vault-format.md, "posting").
enum Posting {
    static func decode(_ bytes: [UInt8]) throws(VaultError) -> [ItemID] {
        var reader = ByteReader(bytes, "a posting")
        var items: [ItemID] = []
        while !reader.isAtEnd {
            guard let id = ItemID(bytes: try reader.bytes(ItemID.count)) else { throw .damaged("a posting is cut off") }
            if let last = items.last, !last.bytes.lexicographicallyPrecedes(id.bytes) {
                throw .damaged("a posting is out of order")
            }
            items.append(id)
        }
        guard !items.isEmpty else { throw .damaged("a posting is empty") }
        return items
    }

    static func encode(_ items: [ItemID]) -> [UInt8] {
        items.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
    }
}

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
