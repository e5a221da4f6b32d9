import CofferClient

/// A deletion that may be the first half of a rename: a rename is told as a deletion and an item of the same id. It is held until the next event, or a
/// moment if there is none.
struct HeldDeletion {
    private var item: ItemAttributes?
    private var last: UInt64 = 0

    /// - Returns: the number to let go of it by.
    mutating func hold(_ deleted: ItemAttributes) -> UInt64 {
        last += 1
        item = deleted
        return last
    }

    /// Whether the deletion of this item is held.
    func holds(_ added: ItemAttributes) -> Bool { item?.id == added.id }

    /// Takes an event that came after the deletion.
    /// - Parameter added: the item of an event that tells of a new one.
    /// - Returns: the item if it was deleted and not renamed.
    mutating func followed(by added: ItemAttributes?) -> ItemAttributes? {
        defer { item = nil }
        return item?.id == added?.id ? nil : item
    }

    /// - Returns: the item, unless the deletion of that number is no longer held.
    mutating func letGo(_ number: UInt64) -> ItemAttributes? { number == last ? followed(by: nil) : nil }
}
