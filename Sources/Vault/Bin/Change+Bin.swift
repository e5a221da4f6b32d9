import Cryptography

/// Reads the bin. Its items are found in no other way.
extension Snapshot {
    /// All items of the bin, in no order.
    func bin() throws(VaultError) -> [BinnedItem] {
        var binned: [BinnedItem] = []
        for id in try items(of: binTerm()) {
            let item = try item(id)
            guard let deleted = item.summary.metadata.deleted else {
                throw .damaged("an index entry leads to another item")
            }
            binned.append(BinnedItem(item: item, deleted: deleted))
        }
        return binned
    }

    /// How many items are in the bin, also those whose time has passed.
    func binCount() throws(VaultError) -> Int { hasBin ? try items(of: binTerm()).count : 0 }

    /// False: the header says that the bin is empty.
    var hasBin: Bool { header.oldestDeletion != Header.noDeletion }

    private func binTerm() throws(VaultError) -> [UInt8] {
        try cryptography { () throws(CryptographyError) in try keys.binTerm() }
    }
}

/// An item of the bin, and when it was deleted.
struct BinnedItem: Sendable {
    let item: StoredItem
    /// Milliseconds since 1970-01-01 UTC.
    let deleted: UInt64

    /// The order in which items were deleted.
    static func isBefore(_ one: BinnedItem, _ other: BinnedItem) -> Bool {
        guard one.deleted == other.deleted else { return one.deleted < other.deleted }
        return one.item.summary.id.bytes.lexicographicallyPrecedes(other.item.summary.id.bytes)
    }
}

/// Empties the bin. Nothing here advances the epoch. A caller that promises that the items are gone must do that.
extension Change {
    /// Drops the items of the bin that `isKept` does not keep. Damaged ones stay.
    ///
    /// - Parameter limit: the most items that are dropped, those that were deleted first.
    /// - Returns: the dropped items.
    func keepBin(limit: Int = .max, where isKept: (BinnedItem) -> Bool) throws(VaultError) -> [BinnedItem] {
        var dropped: [BinnedItem] = []
        var oldest = Header.noDeletion
        for binned in try bin().sorted(by: BinnedItem.isBefore) {
            guard !isKept(binned), dropped.count < limit, try canDrop(binned.item) else {
                oldest = min(oldest, binned.deleted)
                continue
            }
            try drop(binned.item)
            dropped.append(binned)
        }
        next.oldestDeletion = oldest
        return dropped
    }

    /// If the vault is too full, drops what was deleted first, except for what is damaged. So the bin never keeps
    /// anything from being stored.
    ///
    /// - Parameters:
    ///   - item: stays.
    ///   - fits: whether the vault is not too full.
    func makeRoomInBin(
        besides item: ItemID? = nil, _ fits: () throws(VaultError) -> Bool
    ) throws(VaultError) {
        guard !room.keepsBin, try !fits() else { return }
        var spare = Self.spare
        for binned in try bin().sorted(by: BinnedItem.isBefore) where binned.item.summary.id != item {
            // A few more than needed, so that the next change does not have to look again.
            if try fits() {
                spare -= 1
                guard spare > 0 else { break }
            }
            guard try canDrop(binned.item) else { continue }
            try drop(binned.item)
        }
    }

    /// How many items are dropped in addition.
    private static let spare = 8
}
