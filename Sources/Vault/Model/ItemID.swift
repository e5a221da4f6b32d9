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

    /// - Returns: nil unless this is how an id is written.
    package init?(_ text: String) {
        guard let bytes = Hex.decode(text.filter { $0 != "-" }), bytes.count == Self.count else { return nil }
        self.bytes = bytes
        guard description == text else { return nil }
    }

    private init(random bytes: [UInt8]) { self.bytes = bytes }

    public static func random() throws(CryptographyError) -> ItemID { ItemID(random: try Random.bytes(count)) }

    /// Lower-case, `8-4-4-4-12`.
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text.append(UInt8(ascii: "-")) }
            Hex.append(byte, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The ids that a term leads to: sorted, without duplicates (docs/vault-format.md, "posting").
enum Posting {
    static func decode(_ bytes: [UInt8]) throws(VaultError) -> [ItemID] {
        try check(bytes)
        return items(bytes)
    }

    static func check(_ bytes: [UInt8]) throws(VaultError) {
        guard bytes.count.isMultiple(of: ItemID.count) else { throw .damaged("a posting is cut off") }
        guard !bytes.isEmpty else { throw .damaged("a posting is empty") }
        for start in stride(from: ItemID.count, to: bytes.count, by: ItemID.count) {
            guard bytes[start - ItemID.count..<start].lexicographicallyPrecedes(bytes[start..<start + ItemID.count])
            else { throw .damaged("a posting is out of order") }
        }
    }

    /// - Parameter bytes: a checked posting, or nothing.
    static func items(_ bytes: [UInt8]) -> [ItemID] {
        stride(from: 0, to: bytes.count, by: ItemID.count).compactMap {
            ItemID(bytes: Array(bytes[$0..<$0 + ItemID.count]))
        }
    }

    /// - Parameter bytes: a checked posting, or nothing.
    /// - Returns: false if it has the item already.
    static func insert(_ item: ItemID, into bytes: inout [UInt8]) -> Bool {
        let (place, isThere) = place(of: item, in: bytes)
        if !isThere { bytes.insert(contentsOf: item.bytes, at: place) }
        return !isThere
    }

    /// - Parameter bytes: a checked posting, or nothing.
    /// - Returns: false if it does not have the item.
    static func remove(_ item: ItemID, from bytes: inout [UInt8]) -> Bool {
        let (place, isThere) = place(of: item, in: bytes)
        if isThere { bytes.removeSubrange(place..<place + ItemID.count) }
        return isThere
    }

    private static func place(of item: ItemID, in bytes: [UInt8]) -> (place: Int, isThere: Bool) {
        var (low, high) = (0, bytes.count / ItemID.count)
        while low < high {
            let middle = (low + high) / 2
            let found = bytes[middle * ItemID.count..<(middle + 1) * ItemID.count]
            if found.elementsEqual(item.bytes) { return (middle * ItemID.count, true) }
            if found.lexicographicallyPrecedes(item.bytes) { low = middle + 1 } else { high = middle }
        }
        return (low * ItemID.count, false)
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
