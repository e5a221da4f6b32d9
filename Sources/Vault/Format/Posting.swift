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
